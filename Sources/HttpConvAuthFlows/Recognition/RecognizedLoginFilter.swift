public import HTTPTypes
public import HttpConversation

/// Fails a conversation that certainly gets a login which nothing configured handles: a login page must not pass for the
/// resource. Added after the filters of configured logins.
///
/// The `underlyingError` of the conversation's error is the ``RecognizedLogin``, which names what was seen and the
/// configuration that would log in there. Only HTML with a status of 2xx, 401 or 403 is looked at, its first 64 KiB; all
/// other answers pass at once. ``LoginRecognition`` has the rules.
public struct RecognizedLoginFilter: RedirectFilter, ResponseFilter {
    /// The id for configurations.
    public static let id = "HttpConvAuthFlows.RecognizedLogin"

    private let passesUnauthorized: Bool
    private let report: @Sendable (RecognizedLogin) -> Void

    /// Creates the filter.
    ///
    /// - Parameters:
    ///   - passesUnauthorized: whether a 401 is returned to the caller, as the answer to the caller's credentials
    ///   - report: called with each login that is only likely, whose page is returned to the caller
    public init(passesUnauthorized: Bool, reportingLikely report: @escaping @Sendable (RecognizedLogin) -> Void) {
        self.passesUnauthorized = passesUnauthorized
        self.report = report
    }

    public func concerns(_ redirect: Redirect) -> Bool {
        guard let destination = redirect.destination else { return false }
        return LoginRecognition.mayLead(redirect.response, to: destination)
            || redirect.context[Recognition.self] != nil
    }

    public func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        guard concerns(redirect), let destination = redirect.destination, !context.isPartOfLogin else {
            return .follow
        }
        var recognition = context[Recognition.self] ?? LoginRecognition(of: context.target)
        let login = recognition.recognize(redirect: redirect.response, from: redirect.source, to: destination)
        if let login { throw login.error }
        context[Recognition.self] = recognition
        return .follow
    }

    public func concerns(_ head: HTTPResponse, in context: ConversationContext) -> Bool {
        SAML2Challenge.isPage(head) && (head.status != .unauthorized || !passesUnauthorized)
    }

    public func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        guard concerns(response.head, in: context), !context.isPartOfLogin else { return .proceed }
        let recognition =
            context[Recognition.self] ?? LoginRecognition(of: context.target, redirectedTo: response.target)
        if let login = try await recognition.recognize(response) {
            guard login.certainty == .likely else { throw login.error }
            report(login)
        }
        return .proceed
    }

    /// The redirects of a conversation so far.
    private enum Recognition: ConversationContextKey {
        typealias Value = LoginRecognition
    }
}

extension LoginRecognition {
    /// Looks at a page, and reads its body only if the head leaves something open.
    fileprivate func recognize(_ response: ReceivedResponse) async throws -> RecognizedLogin? {
        if let login = recognize(head: response.head, at: response.target) { return login }
        // An answer to the caller's own token is not a first demand.
        if response.status == .unauthorized, !response.request.headerFields.contains(.authorization),
            let login = Self.recognize(challenge: response.head, at: response.target)
        {
            return login
        }
        guard response.request.method != .head else { return Self.markedLogin(response.head, at: response.target) }
        let chunks = try await response.peekChunks(upTo: Self.limit)
        guard Self.mayHaveLogin(chunks, response.head) else {
            return Self.markedLogin(response.head, at: response.target)
        }
        let body = Array(chunks.joined().prefix(Self.limit))
        return recognize(parsing: body, of: response.head, at: response.target)
    }
}
