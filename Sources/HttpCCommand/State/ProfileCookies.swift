import HttpC
import Synchronization

/// What one run has of a profile's cookies, and what it gives back.
final class ProfileCookies: Sendable {
    let profile: String
    private let file: ProfileCookieFile
    /// What the run took or has given: everything else in its session is a change of its own.
    private let known: Mutex<CookieStore.Snapshot>
    /// The logins of the time when the file was read.
    let webLogins: WebLoginRecords

    init(profile: String) throws(CommandFailure) {
        self.profile = profile
        file = ProfileCookieFile(profile: profile)
        // The logins first: a login that is noted in between counts as one to come.
        webLogins = try WebLoginRecords(profile: profile)
        known = Mutex(try file.load())
    }

    var start: CookieStore.Snapshot { known.withLock { $0 } }

    /// Takes cookies that come from elsewhere for no change of the run.
    func expect(_ cookies: [Cookie]) { known.withLock { $0 = Self.inserting(cookies, into: $0) } }

    /// Gives the changes of a session to whoever comes next.
    func save(_ session: CookieStore.Snapshot) throws(CommandFailure) {
        let before = start
        try file.merge(from: before, to: session)
        known.withLock { $0 = session }
    }

    /// Keeps the cookies of a login at once.
    func keep(_ cookies: [Cookie]) throws(CommandFailure) {
        let before = start
        let after = Self.inserting(cookies, into: before)
        try file.merge(from: before, to: after)
        known.withLock { $0 = after }
    }

    /// The cookies for a login that another process has got since.
    func takeOver(for login: WebLogin) throws(CommandFailure) -> [Cookie] {
        let old = Set(start.cookies)
        let new = login.cookiesToKeep(of: try file.load().cookies.filter { !old.contains($0) })
        known.withLock { $0 = Self.inserting(new, into: $0) }
        return new
    }

    private static func inserting(_ cookies: [Cookie], into snapshot: CookieStore.Snapshot) -> CookieStore.Snapshot {
        let store = CookieStore(snapshot, suffixes: PublicSuffixList.system)
        for cookie in cookies { store.insert(cookie) }
        return store.snapshot
    }
}
