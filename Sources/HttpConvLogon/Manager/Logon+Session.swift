import HttpConvVault
import HttpConversation

/// The sessions at the registered server, for short-lived processes.
extension Logon {
    private static let cookies = "cookies"

    /// Stores the person's cookies in the vault, so that the next process stays logged in as long as the server
    /// remembers.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` while the vault is locked, or if it cannot be written
    public func keepSession() async throws(LogonError) {
        guard let vault, state == .unlocked else { throw .notUnlocked }
        var snapshot = person.session.cookies.snapshot
        snapshot.cookies.removeAll { !CookieRules.mayBeKept($0) }
        do throws(PasscodeVaultError) {
            let kept = try await vault.read(CookieStore.Snapshot.self, Self.cookies)
            guard Set(kept?.cookies ?? []) != Set(snapshot.cookies) else { return }
            try await vault.write(snapshot, Self.cookies)
        } catch { throw .wrapping(error) }
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
        } catch { throw .wrapping(error) }
    }
}

extension LogonError {
    fileprivate static var notUnlocked: LogonError {
        LogonError(.operationNotAllowed, "The session is kept in the vault: unlock it first.")
    }
}
