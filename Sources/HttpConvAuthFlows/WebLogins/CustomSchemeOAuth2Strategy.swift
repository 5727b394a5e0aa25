import HttpConvPlatform
public import HttpConversation

/// A login in another application, or in the system browser with a custom-scheme redirect (RFC 8252 §7.1).
///
/// Opens the authorization endpoint, of any scheme, and waits until the system opens this application with the redirect
/// URI: see ``CustomURLSchemeManagement``.
public struct CustomSchemeOAuth2Strategy: OAuth2WebStrategy {
    private let schemes: CustomURLSchemeManagement
    private let opener: any ExternalURLOpener

    /// Creates a strategy that opens URLs by `opener`.
    public init(opener: some ExternalURLOpener, schemes: CustomURLSchemeManagement = .shared) {
        self.opener = opener
        self.schemes = schemes
    }

    public func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer {
        let redirect = request.redirectURI
        guard redirect.kind == .customScheme, schemes.accepts(scheme: redirect.scheme) else {
            throw OAuth2Error(
                .invalidConfiguration,
                "The redirect URI \(redirect) does not lead back here: its scheme is not one that this application has registered."
            )
        }
        if let endpoint = request.endpoint {
            try context.requireHeldElsewhere(at: endpoint.origin, by: "The system's browser")
        }
        let url = try await request.url()
        return try await withThrowingTaskGroup(of: OAuth2AuthorizationAnswer?.self) { [schemes, opener] group in
            let (ready, continuation) = AsyncStream<Void>.makeStream()
            group.addTask {
                defer { continuation.finish() }
                let answer = try await schemes.waitForURL {
                    request.isAnswer($0.absoluteString)
                } ready: {
                    continuation.finish()
                }
                return OAuth2AuthorizationAnswer(url: answer.absoluteString, redirectURI: redirect)
            }
            group.addTask {
                for await _ in ready {}
                try Task.checkCancellation()
                try await opener.open(url)
                return nil
            }
            while let finished = try await group.next() {
                guard let finished else { continue }
                group.cancelAll()
                return finished
            }
            throw CancellationError()
        }
    }
}
