import HTTPTypes
import HttpConvConcurrency
import HttpConvFormats
import HttpConversation

/// SAML2 Web SSO (saml-profiles-2.0 §4.1): recognises a service provider's challenges, runs one login for all
/// conversations that need it, and restarts them.
///
/// A challenge is one of: a response with the configuration's identifying header; a page with a form that carries
/// `SAMLRequest` (POST binding); a redirect with it in the query (Redirect binding), which is not followed; a redirect
/// of a request other than GET to the page where logins start.
struct SAML2Filter: RedirectFilter, ResponseFilter {
    let configurations: ConfigurationLookup<SAML2Config>
    let flow: WebLoginFlow
    private let headers = IdentifyingHeaders()

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        flow.note(redirect)
        guard let config = try await configuration(for: redirect.source, in: context), config.isChallenge(redirect)
        else { return .follow }
        if config.opensResource { flow.dropCookies(of: redirect, in: context) }
        return .restart(reason: Self.reason, after: logIn(config, for: redirect.source, in: context))
    }

    /// Most answers are successful and not pages. They pass without a question to the providers, unless they may have a
    /// server's identifying header, or come from another server than the caller's.
    func concerns(_ head: HTTPResponse, in context: ConversationContext) -> Bool {
        PageHead.mayBePage(head) || headers.mayBe(in: head, of: context.target.origin)
            || flow.wasRedirectedElsewhere(context)
    }

    func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        guard let config = try await configuration(for: response.target, in: context),
            try await config.isChallenge(response, in: context)
        else { return .proceed }
        if config.opensResource { flow.dropCookies(of: response, in: context) }
        return .restart(reason: Self.reason, after: logIn(config, for: response.target, in: context))
    }

    private static let reason = "SAML2 login done"

    private func configuration(for target: TargetURL, in context: ConversationContext) async throws -> SAML2Config? {
        let config = try await configurations.configuration(forExchangeWith: target, in: context)
        headers.note(config.map(SAML2Challenge.header), of: target.origin)
        return config
    }

    /// The key of a login with a finish endpoint, for tests that hold it until all requests wait.
    func login(_ config: SAML2Config) -> SendableKey? {
        config.finishEndpoint.map { key(config, at: $0).ofStep }
    }

    private func key(_ config: SAML2Config, at target: TargetURL) -> WebLoginFlow.Key {
        let page = config.finishEndpoint ?? config.start
        return flow.key(for: config.finishEndpoint?.origin ?? target.origin, page: page?.absoluteString ?? "")
    }

    private func logIn(
        _ config: SAML2Config, for target: TargetURL, in context: ConversationContext
    ) -> ConversationStep<StepOutcome> {
        let key = key(config, at: target)
        return flow.step(key, for: target, in: context) { [self] request, context in
            let other = try? await configurations.configuration(forExchangeWith: request.target, in: context)
            return other.map { self.key($0, at: request.target) == key } ?? false
        } _: { [flow] in
            guard let finish = config.finishEndpoint else {
                let login = flow.login(to: target, from: config.start, recognising: config, in: context)
                return try await flow.show(login, in: context)
            }
            let login = WebLogin(
                .saml2, start: finish, cookieTargets: [context.target, target, finish], returnsCookies: true,
                isFinish: config.isFinish)
            return try await flow.show(login, in: context)
        }
    }
}

extension SAML2Config: LoginChallenge {
    /// Whether the login opens the challenged resource again.
    fileprivate var opensResource: Bool { finishEndpoint == nil && start == nil }

    func isChallenge(_ redirect: Redirect) -> Bool {
        SAML2Challenge.isMarked(redirect.response, self) || SAML2Challenge.isRequest(location: redirect.location)
            || SAML2Challenge.isLoginPage(redirect, self)
    }

    func isChallenge(_ response: ReceivedResponse) async throws -> Bool {
        if SAML2Challenge.isMarked(response.head, self) { return true }
        // Only bodies of pages are read; most responses are not pages.
        guard readsBody(of: response.head) else { return false }
        return try await SAML2Challenge.isForm(response)
    }

    func readsBody(of head: HTTPResponse) -> Bool { PageHead.isPage(head) }

    /// Whether a navigation to this URL ends a login.
    func isFinish(_ url: String) -> Bool {
        guard let finishEndpoint, let target = try? TargetURL(url), target.origin == finishEndpoint.origin,
            target.path == finishEndpoint.path
        else { return false }
        return target.hasParameters(finishQuery)
    }

    /// The parameters at the end of a login.
    var finishQuery: [FormEncoding.Parameter] { finishParameters.flatMap { FormEncoding.decode($0[...]) } }

    /// A query that marks the end of a login.
    public var finishedQuery: String {
        FormEncoding.encode(finishQuery.map { ($0.name, $0.value.isEmpty ? "true" : $0.value) })
    }
}

extension SAML2Filter: CustomStringConvertible, CustomReflectable {
    /// The number of providers.
    var description: String { "SAML2Filter with \(configurations.providers.count) providers" }
    var customMirror: Mirror { Mirror(self, children: ["filter": description]) }
}
