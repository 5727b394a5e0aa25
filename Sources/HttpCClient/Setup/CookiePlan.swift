import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// The sources and destinations of cookies (security rule S16).
struct CookiePlan: Sendable {
    /// The cookies at the session's start.
    let start: CookieStore.Snapshot
    /// The value of a `Cookie` field from -b name=value.
    let field: String?
    /// The profile's cookies.
    let kept: ProfileCookies?
    private let file: String?

    /// - Parameter state: the profile's state; nil also if an explicit -u needs a separate session
    init(_ plan: ClientPlan, _ state: ProfileState?, _ diagnostics: Diagnostics) async throws(CommandFailure) {
        var kept: ProfileCookies?
        if let state { kept = try await ProfileCookies(state, diagnostics) }
        self.kept = kept
        file = plan.cookieJar
        var cookies = kept?.start.cookies ?? []
        for path in plan.cookies where !path.contains(ascii: "=") {
            let given = try CookieFile.read(path, diagnostics)
            kept?.expect(given)
            cookies += given
        }
        start = .init(cookies: cookies)
        let pairs = plan.cookies.filter { $0.contains(ascii: "=") }
        field = pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    func save(_ session: HttpSession) async throws(CommandFailure) {
        let after = session.cookies.snapshot
        try await CommandFailure.both(
            { () async throws(CommandFailure) in try await kept?.save(after) },
            { () async throws(CommandFailure) in if let file { try await CookieFile.write(after, to: file) } })
    }
}
