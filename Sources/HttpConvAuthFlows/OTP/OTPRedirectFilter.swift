import HTTPTypes
import HttpConvConcurrency
import HttpConversation

/// Handles the second factor: on a redirect to a one-time-code form, lets the person fill in the form once for all
/// conversations that need it, and restarts them.
///
/// The first factor, of any kind, came before; the view gets its session.
struct OTPRedirectFilter: RedirectFilter {
    let configurations: ConfigurationLookup<OTPConfig>
    let flow: WebLoginFlow

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        guard let destination = redirect.destination,
            let config = try await configurations.configuration(forExchangeWith: redirect.source, in: context),
            config.isChallenge(redirect.response)
        else { return .follow }
        return .restart(
            reason: "one-time code accepted", after: logIn(config, at: destination, for: redirect.source, in: context))
    }

    /// The key of a form, for tests that hold it until all requests wait.
    func login(at form: TargetURL, for origin: Origin) -> SendableKey { key(form, for: origin).ofStep }

    /// The key of a form without its query, which may differ between conversations that need the same code, such as by
    /// a URL to return to.
    private func key(_ form: TargetURL, for origin: Origin) -> WebLoginFlow.Key {
        flow.key(for: origin, page: "\(form.origin)\(form.path)")
    }

    private func logIn(
        _ config: OTPConfig, at destination: TargetURL, for target: TargetURL, in context: ConversationContext
    ) -> ConversationStep<StepOutcome> {
        // The form that another request would get is not known yet, so all requests to this server wait.
        flow.step(key(destination, for: target.origin), for: target, in: context) { request, _ in
            request.target.origin == target.origin
        } _: { [flow] in
            let form = try config.form(at: destination)
            let origins: Set = [context.target.origin, target.origin, form.origin]
            return try await CodeAuthenticator.using(
                flow.web, parameter: config.passcodeParameter, at: form.origin
            ) { authenticator in
                let login = WebLogin(
                    .otp, start: form, cookieTargets: [context.target, target, form], returnsCookies: true,
                    authenticator: authenticator
                ) { config.isFinish($0, on: origins) }
                return try await flow.show(login, in: context)
            }
        }
    }
}

extension OTPRedirectFilter: CustomStringConvertible, CustomReflectable {
    /// The number of providers.
    var description: String { "OTPRedirectFilter with \(configurations.providers.count) providers" }
    var customMirror: Mirror { Mirror(self, children: ["filter": description]) }
}
