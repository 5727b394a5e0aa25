import HttpConvVault
public import HttpConversation

/// The sessions at the registered server, for short-lived processes.
extension Logon {
    private static let cookies = "cookies"

    /// Stores the person's cookies in the vault, so that the next process stays logged in as long as the server
    /// remembers. Stores only what this process changed, so that the newer cookies of another one stay.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` while the vault is locked, or if it cannot be written
    public func keepSession() async throws(LogonError) {
        guard let vault, state == .unlocked else { throw .notUnlocked }
        let person = person
        let before = person.keptCookies.withLock { $0 }
        let after = CookieStore.Snapshot(cookies: person.session.cookies.snapshot.cookies.filter(CookieRules.mayBeKept))
        guard before != after else { return }
        do throws(PasscodeVaultError) {
            try await vault.change(CookieStore.Snapshot.self, Self.cookies, initial: CookieStore.Snapshot()) { kept in
                kept.apply(changesFrom: before, to: after)
            }
        } catch { throw .wrapping(error) }
        person.keptCookies.withLock { $0 = after }
    }

    /// Loads the cookies that another process has stored, if there are any. Cookies that this process has changed since
    /// ``keepSession()`` stay as they are.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` while the vault is locked, or if it cannot be read
    public func resumeSession() async throws(LogonError) {
        guard let vault, state == .unlocked else { throw .notUnlocked }
        let person = person
        do throws(PasscodeVaultError) {
            let kept = try await vault.read(CookieStore.Snapshot.self, Self.cookies)?.cookies ?? []
            let known = Self.byIdentity(person.keptCookies.withLock { $0 }.unexpired)
            let own = Self.byIdentity(person.session.cookies.snapshot)
            let unchanged = kept.filter { own[CookieIdentity($0)] == known[CookieIdentity($0)] }
            person.session.cookies.insert(kept: unchanged)
            let present = Self.byIdentity(person.session.cookies.snapshot)
            let read = Set(unchanged.map(CookieIdentity.init))
            person.keptCookies.withLock { known in
                known.cookies.removeAll { read.contains(CookieIdentity($0)) }
                known.cookies += unchanged.map { cookie in
                    present[CookieIdentity(cookie)].flatMap { $0.isSame(as: cookie) ? $0 : nil } ?? cookie
                }
            }
        } catch { throw .wrapping(error) }
    }

    /// Adds cookies from elsewhere, such as a file, to the person's session. As long as the server does not change them,
    /// ``keepSession()`` does not store them.
    public func use(_ cookies: [Cookie]) {
        let person = person
        for cookie in cookies { person.session.cookies.insert(cookie) }
        let given = Set(cookies.map(CookieIdentity.init))
        let present = person.session.cookies.snapshot.cookies.filter { given.contains(CookieIdentity($0)) }
        person.keptCookies.withLock { known in
            known.cookies.removeAll { given.contains(CookieIdentity($0)) }
            known.cookies += present
        }
    }

    private static func byIdentity(_ snapshot: CookieStore.Snapshot) -> [CookieIdentity: Cookie] {
        Dictionary(snapshot.cookies.map { (CookieIdentity($0), $0) }) { $1 }
    }
}

extension LogonError {
    fileprivate static var notUnlocked: LogonError {
        LogonError(.operationNotAllowed, "The session is kept in the vault: unlock it first.")
    }
}
