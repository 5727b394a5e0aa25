import Foundation
import HttpC

/// Where cookies come from and go to (security rule S16).
struct CookiePlan: Sendable {
    /// What the session starts with.
    let start: CookieStore.Snapshot
    /// The value of a `Cookie` field from -b name=value.
    let field: String?
    private let jar: ProfileJar?
    private let file: String?

    /// - Parameter profile: nil also where an explicit -u asks for a session of its own
    init(_ options: LoginOptions, profile: Profile?) throws(CommandFailure) {
        jar = profile.map { ProfileJar(profile: $0.name) }
        file = options.cookieJar
        var cookies = try jar?.load().cookies ?? []
        for path in options.cookies where !path.contains("=") { cookies += try CookieFile.read(path) }
        start = .init(cookies: cookies)
        let pairs = options.cookies.filter { $0.contains("=") }
        field = pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }

    func save(_ session: HttpSession) throws(CommandFailure) {
        let after = session.cookies.snapshot
        try jar?.merge(from: start, to: after)
        if let file { try CookieFile.write(after, to: file) }
    }
}
