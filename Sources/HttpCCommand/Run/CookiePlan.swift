import Foundation
import HttpC

/// Where cookies come from and go to (security rule S16).
struct CookiePlan: Sendable {
    /// What the session starts with.
    let start: CookieStore.Snapshot
    /// The value of a `Cookie` field from -b name=value.
    let field: String?
    /// Those of the profile.
    let kept: ProfileCookies?
    private let file: String?

    /// - Parameter state: of the profile; nil also where an explicit -u asks for a session of its own
    init(_ options: LoginOptions, _ state: ProfileState?, _ diagnostics: Diagnostics) async throws(CommandFailure) {
        var kept: ProfileCookies?
        if let state { kept = try await ProfileCookies(state, diagnostics) }
        self.kept = kept
        file = options.cookieJar
        var cookies = kept?.start.cookies ?? []
        for path in options.cookies where !path.contains(ascii: "=") {
            let given = try CookieFile.read(path)
            kept?.expect(given)
            cookies += given
        }
        start = .init(cookies: cookies)
        let pairs = options.cookies.filter { $0.contains(ascii: "=") }
        field = pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    func save(_ session: HttpSession) async throws(CommandFailure) {
        let after = session.cookies.snapshot
        try await CommandFailure.both(
            { () async throws(CommandFailure) in try await kept?.save(after) },
            { () async throws(CommandFailure) in if let file { try await CookieFile.write(after, to: file) } })
    }
}
