import HTTPTypes
import HttpConvConcurrency
import HttpConvFormats
import HttpConversation

/// SAML2 logins without a page (saml-profiles-2.0 §4.2): offers ECP to the service providers of its configurations,
/// recognises their requests, runs one login for all conversations that need it, and restarts them.
///
/// No other server gets the offer, and no other server's request is read. A service provider that wants a page fails
/// the conversation.
struct ECPFilter: RequestFilter, RedirectFilter, ResponseFilter {
    let configurations: ConfigurationLookup<ECPConfiguration>
    /// Separates the logins of filters with different providers.
    let flow: FlowIdentity
    /// The logins at the identity providers.
    let attempts: PasswordAttempts<ECPLogin.Place>

    // MARK: The offer

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        guard request.headerFields[.paos] == nil, try await configuration(for: request.target, in: context) != nil
        else { return }
        request.headerFields[.paos] = ECPNames.offer
        let accepted = request.headerFields[values: .accept]
        request.headerFields[.accept] =
            (accepted.isEmpty ? ["*/*"] : accepted).joined(separator: ", ") + ", "
            + ECPNames.mediaType
    }

    private func configuration(
        for target: TargetURL, in context: ConversationContext
    ) async throws -> ECPConfiguration? {
        try await configurations.configuration(for: target, in: context)
    }

    // MARK: The answer

    func concerns(_ head: HTTPResponse, in context: ConversationContext) -> Bool {
        Self.isRequest(head) || PageHead.isPage(head)
    }

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        guard LoginPage().isChallenge(redirect),
            try await configuration(for: redirect.source, in: context) != nil
        else { return .follow }
        throw Self.wantsPage(redirect.source)
    }

    func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        // A caller with an offer of its own gets the answer.
        guard context.callersFields[.paos] == nil,
            let configuration = try await configuration(for: response.target, in: context)
        else { return .proceed }
        guard Self.isRequest(response.head) else {
            var wantsPage = try await LoginPage().isChallenge(response)
            if !wantsPage { wantsPage = try await LoginPage().isChallengeToGET(response, in: context) == true }
            guard wantsPage else { return .proceed }
            throw Self.wantsPage(response.target)
        }
        let hasBody = response.request.method != .head
        let envelope = hasBody ? try await response.peek(upTo: ECPEnvelope.limit + 1) : nil
        return .restart(
            reason: "SAML2 login by ECP done", after: logIn(configuration, response.target, envelope, in: context))
    }

    /// A login on a page, as the answer to the offer.
    private struct LoginPage: LoginChallenge {
        func isChallenge(_ redirect: Redirect) -> Bool { SAML2Challenge.isRequest(location: redirect.location) }
        func isChallenge(_ response: ReceivedResponse) async throws -> Bool {
            try await SAML2Challenge.isForm(response)
        }
        func readsBody(of head: HTTPResponse) -> Bool { PageHead.isPage(head) }
    }

    private static func isRequest(_ head: HTTPResponse) -> Bool {
        head.status == .ok && head.headerFields[.contentType]?.mediaType == ECPNames.mediaType
    }

    private static func wantsPage(_ target: TargetURL) -> ConversationError {
        let error = ECPError(
            .pageWanted,
            "\(target.origin) wants a SAML2 login on a page, although it was offered one by ECP: is ECP enabled there?")
        return ConversationError(.authenticationFailed, error.message, underlyingError: error)
    }

    // MARK: The login

    private struct Key: Hashable, Sendable {
        let flow: FlowIdentity
        let origin: Origin
    }

    /// - Parameter envelope: the service provider's request; nil after a HEAD, whose answer has none
    private func logIn(
        _ configuration: ECPConfiguration, _ target: TargetURL, _ envelope: [UInt8]?, in context: ConversationContext
    ) -> ConversationStep<StepOutcome> {
        ConversationStep(
            Key(flow: flow, origin: target.origin),
            covers: { [self] request, context in
                guard request.target.origin == target.origin else { return false }
                return (try? await self.configuration(for: request.target, in: context)) != nil
            },
            policy: StepPolicy(remembers: .outcomes, isLogin: true)
        ) { context in
            try await Self.perform(
                ECPLogin(configuration, for: target, attempts, in: context), envelope, in: context)
        }.mapFailure { Self.failure($0, target) }
    }

    private static func perform(
        _ login: ECPLogin, _ envelope: [UInt8]?, in context: ConversationContext
    ) async throws {
        let place = login.configuration.identityProvider.origin
        context.notify(.webLoginStarted(.saml2, origin: place, strategy: "ECP"))
        context.notify(.webLoginShown(.saml2, origin: place, by: "by ECP, without a page"))
        var outcome = LoginEvent.Outcome.abandoned
        defer { context.notify(.webLoginFinished(.saml2, origin: place, strategy: "ECP", outcome: outcome)) }
        do {
            try await login.perform(envelope)
            outcome = .succeeded
        } catch {
            try Task.checkCancellation()
            outcome = .failed(code: (error as? ECPError)?.code.description)
            throw error
        }
    }

    private static func failure(_ error: any Error, _ target: TargetURL) -> any Error {
        var cause = error
        if error is StepError {
            cause = ECPError(
                .challengedAgain,
                "\(target.origin) wants a SAML2 login by ECP again right after one: is the person authorised, and do the clocks of the servers agree?"
            )
        }
        guard let cause = cause as? ECPError else {
            return ConversationError.wrapping(
                error, as: .authenticationFailed, "There is no login at the identity provider of \(target.origin).")
        }
        return ConversationError(
            .authenticationFailed, "The SAML2 login for \(target.origin) failed. \(cause.message)",
            underlyingError: cause)
    }
}

extension ECPFilter: CustomStringConvertible, CustomReflectable {
    /// The number of providers.
    var description: String { "ECPFilter with \(configurations.providers.count) providers" }
    var customMirror: Mirror { Mirror(self, children: ["filter": description]) }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPField.Name {
    /// The field of a client that speaks PAOS (saml-profiles-2.0 §4.2.3.1).
    static let paos = HTTPField.Name("PAOS")!
}
