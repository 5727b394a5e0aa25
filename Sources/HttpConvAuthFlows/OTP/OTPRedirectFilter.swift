import HTTPTypes
public import HttpConversation

/// Two factors: takes a redirect to a one-time-code form, lets the form be answered once for all conversations that
/// need it, and restarts them (the guide's chapter on two factors).
///
/// The first factor, whichever it is, came before; its session goes into the view. ``CommonAuthenticationConfigurator``
/// adds the filter under ``id`` to the request and redirect filters.
public struct OTPRedirectFilter: RequestFilter, RedirectFilter {
    /// The id under which configurators add the filter.
    public static let id = "HttpConvAuthFlows.OTP"

    let configurations: ConfigurationLookup<OTPConfig>
    let flow: WebLoginFlow

    public func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        guard flow.mayHaveToWait(in: context) else { return }
        // Which form it would be is not known yet: any that this server wants filled in now.
        let origin = request.target.origin
        try await flow.waitForLogins(in: context) { $0.space.origin == origin }
    }

    public func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        guard !WebLoginScope.isInside, let destination = redirect.destination,
            let config = try await configuration(for: redirect, in: context), config.isChallenge(redirect.response)
        else { return .follow }
        // Nobody is asked for a code that could not be used: the engine says what helps.
        guard redirect.canBeRepeated else { return .restart(reason: "one-time code needed") }
        try await logIn(config, at: destination, WebLoginChallenge(redirect), in: context)
        return .restart(reason: "one-time code accepted")
    }

    /// The caller's URL speaks for its own server only: no other one that it redirects to may show a form for codes.
    private func configuration(
        for redirect: Redirect, in context: ConversationContext
    ) async throws -> OTPConfig? {
        let isOfCaller = redirect.source.origin == context.target.origin
        return try await configurations.configuration(
            for: isOfCaller ? context.target : redirect.source, else: redirect.source, in: context)
    }

    /// The flight key of a form, for tests that hold it until everybody waits. The query may tell the conversations
    /// apart that need the same code, such as a URL to return to.
    package func login(at form: TargetURL, for origin: Origin) -> FlightBoard.Key {
        flow.key(for: origin, page: "\(form.origin)\(form.path)")
    }

    private func logIn(
        _ config: OTPConfig, at destination: TargetURL, _ challenge: WebLoginChallenge, in context: ConversationContext
    ) async throws {
        let key = login(at: destination, for: challenge.target.origin)
        try await flow.logIn(key, after: challenge, in: context) { [flow] in
            guard let strategy = flow.web.strategies.otpStrategy(for: config) else {
                throw WebLoginError.noStrategy("OTPWebStrategy")
            }
            let form = try config.form(at: destination)
            let origins: Set = [context.target.origin, challenge.target.origin, form.origin]
            return try await WebLoginRunner(web: flow.web, context: context).show(
                .otp, at: form.origin, by: strategy, as: key
            ) {
                try await CodeAuthenticator.using(
                    flow.web, parameter: config.passcodeParameter, at: form.origin
                ) { authenticator in
                    let login = WebLogin(
                        .otp, start: form, cookieTargets: [context.target, challenge.target, form],
                        returnsCookies: true, authenticator: authenticator
                    ) { config.isFinish($0, on: origins) }
                    return (login, try await strategy.logIn(otp: login, in: context))
                }
            }
        }
    }
}

extension OTPRedirectFilter: CustomStringConvertible, CustomReflectable {
    /// The number of providers.
    public var description: String { "OTPRedirectFilter with \(configurations.providers.count) providers" }
    public var customMirror: Mirror { Mirror(self, children: ["filter": description]) }
}
