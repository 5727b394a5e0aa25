package import HttpC
package import HttpCTerminal

/// The cookies of a profile's session for another program, after a login where one is needed.
package struct CookieExport: Sendable {
    private let request: ProfileRequest
    private let profile: Profile
    private let origin: Origin

    /// Checks everything before anything is sent.
    ///
    /// - Parameter target: a URL inside the profile's match; nil for the first one
    package init(
        _ plan: ClientPlan, _ profile: Profile, for target: TargetURL?, _ run: CommandRun
    ) async throws(CommandFailure) {
        guard profile.logon == nil else {
            throw CommandFailure(
                .usage,
                "The session of the profile \"\(profile.name)\" is in a vault that a passcode locks, and stays there.")
        }
        guard let url = target ?? profile.firstURL else {
            throw CommandFailure(.usage, "The profile \"\(profile.name)\" has no match: name a URL.")
        }
        request = try await ProfileRequest(plan, profile, for: url, run)
        self.profile = profile
        origin = url.origin
    }

    /// Requests the URL, logs in if the server demands it, and returns the cookies for this server alone.
    ///
    /// - Returns: Netscape's format
    package func perform() async throws(CommandFailure) -> String {
        let outcome = try await request.perform()
        let kept = try await ProfileCookies.stored(of: profile.name)?.cookies ?? []
        let cookies = kept.filter { $0.concerns(origin) }
        guard !cookies.isEmpty else {
            let reason =
                outcome.logins.isEmpty
                ? "\(outcome.url.originInMessages) answered \(outcome.code) and asked for no login. Name a URL that asks for one."
                : "its login does not end in cookies."
            throw CommandFailure(
                .loginFailed, "There are no cookies of the profile \"\(profile.name)\" for \(origin): \(reason)")
        }
        return NetscapeCookies.format(cookies, marksHTTPOnly: false)
    }
}
