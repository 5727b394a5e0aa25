import HttpConvVault
import HttpConversation

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
        let present = person.cookies.filter { CookieRules.mayBeKept($0.value) }
        let before = person.keptCookies.withLock { $0 }
        let changed = present.filter { before[$0.key] != $0.value }
        let removed = before.filter { present[$0.key] == nil }
        guard !changed.isEmpty || !removed.isEmpty else { return }
        do throws(PasscodeVaultError) {
            try await vault.change(CookieStore.Snapshot.self, Self.cookies, initial: CookieStore.Snapshot()) { kept in
                kept.cookies.removeAll { cookie in
                    let identity = CookieIdentity(cookie)
                    return changed[identity] != nil || removed[identity].map { cookie.isSameValue(as: $0) } ?? false
                }
                kept.cookies += changed.values.sorted { $0.created < $1.created }
            }
        } catch { throw .wrapping(error) }
        person.keptCookies.withLock { $0 = present }
    }

    /// Loads the cookies that another process has stored, if there are any.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` while the vault is locked, or if it cannot be read
    public func resumeSession() async throws(LogonError) {
        guard let vault, state == .unlocked else { throw .notUnlocked }
        let person = person
        do throws(PasscodeVaultError) {
            let kept = try await vault.read(CookieStore.Snapshot.self, Self.cookies)
            for cookie in kept?.cookies ?? [] { person.session.cookies.insert(cookie) }
            let present = person.cookies
            person.keptCookies.withLock { known in
                for cookie in kept?.cookies ?? [] {
                    let identity = CookieIdentity(cookie)
                    known[identity] = present[identity] ?? cookie
                }
            }
        } catch { throw .wrapping(error) }
    }
}

extension LogonPerson {
    fileprivate var cookies: [CookieIdentity: Cookie] {
        Dictionary(session.cookies.snapshot.cookies.map { (CookieIdentity($0), $0) }) { $1 }
    }
}

extension Cookie {
    fileprivate func isSameValue(as other: Cookie) -> Bool { value == other.value && expires == other.expires }
}

extension LogonError {
    fileprivate static var notUnlocked: LogonError {
        LogonError(.operationNotAllowed, "The session is kept in the vault: unlock it first.")
    }
}
