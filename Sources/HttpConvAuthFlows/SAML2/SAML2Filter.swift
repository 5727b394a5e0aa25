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

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        guard
            let config = try await configurations.configuration(
                for: context.target, else: redirect.source, in: context),
            SAML2Challenge.isMarked(redirect.response, config)
                || SAML2Challenge.isRequest(location: redirect.location)
                || SAML2Challenge.isLoginPage(redirect, config)
        else { return .follow }
        return .restart(reason: Self.reason, after: logIn(config, for: redirect.source, in: context))
    }

    func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        guard
            let config = try await configurations.configuration(
                for: context.target, else: response.target, in: context)
        else { return .proceed }
        if !SAML2Challenge.isMarked(response.head, config) {
            guard try await SAML2Challenge.isForm(response) else { return .proceed }
        }
        return .restart(reason: Self.reason, after: logIn(config, for: response.target, in: context))
    }

    private static let reason = "SAML2 login done"

    /// The key of a login, for tests that hold it until all requests wait.
    func login(_ config: SAML2Config) -> SendableKey { key(config).ofStep }

    private func key(_ config: SAML2Config) -> WebLoginFlow.Key {
        flow.key(for: config.finishEndpoint.origin, page: config.finishEndpoint.requestTarget)
    }

    private func logIn(
        _ config: SAML2Config, for target: TargetURL, in context: ConversationContext
    ) -> ConversationStep<StepOutcome> {
        let targets = [context.target, target, config.finishEndpoint]
        return flow.step(key(config), for: target, in: context) { [self] request, context in
            let other = try? await configurations.configuration(
                for: context.target, else: request.target, in: context)
            return other.map { key($0) == key(config) } ?? false
        } _: { [flow] in
            guard let strategy = flow.web.strategies.saml2Strategy(for: config) else {
                throw WebLoginError.noStrategy("SAML2WebStrategy")
            }
            let login = WebLogin(
                .saml2, start: config.finishEndpoint, cookieTargets: targets, returnsCookies: true,
                isFinish: config.isFinish)
            let outcome = try await WebLoginRunner(context: context).show(
                .saml2, at: login.start.origin, by: strategy
            ) { try await strategy.logIn(saml2: login, in: context) }
            return (login, outcome)
        }
    }
}

extension SAML2Config {
    /// Whether a navigation to this URL ends a login.
    func isFinish(_ url: String) -> Bool {
        guard let target = try? TargetURL(url), target.origin == finishEndpoint.origin,
            target.path == finishEndpoint.path, let query = target.query
        else { return false }
        let present = FormEncoding.decode(query)
        return finishQuery.allSatisfy { wanted in
            present.contains { $0.name == wanted.name && (wanted.value.isEmpty || $0.value == wanted.value) }
        }
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
