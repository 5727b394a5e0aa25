import HttpC
package import HttpCTerminal
package import HttpConvLogon
import HttpConvVault

/// A profile's logon, whose vault one process unlocks for all: while it is unlocked, the others find its key.
package struct SharedLogon: Sendable {
    let profile: Profile
    package let accounts: LogonAccounts
    package let account: LogonAccount
    let logon: Logon
    var keys: any UnlockedKeys = Self.systemKeys

    #if os(Linux)
    static let systemKeys: any UnlockedKeys = KernelKeyring()
    #else
    static let systemKeys: any UnlockedKeys = NoUnlockedKeys()
    #endif

    /// The account, for messages.
    package var words: String { account.words(of: profile.name) }

    /// The command line about the account, for messages.
    private func commandLine(_ command: String) -> String {
        profile.commandLine(command) + (account.id == .first ? "" : " --account \(ShellWords.word(account.name))")
    }

    /// The failure of a command that needs a registration.
    package var notRegistered: CommandFailure {
        CommandFailure(.loginFailed, "Nothing is registered with \(words). Run: \(commandLine("logon"))")
    }

    /// The failure of a command that needs the vault, and has nobody to ask.
    func locked(_ reason: String) -> CommandFailure {
        CommandFailure(
            .loginFailed, "The vault of \(words) is locked. \(reason) Unlock it before: \(commandLine("unlock"))")
    }

    /// Opens a locked vault with the key of another process, if there is one.
    func unlockWithSharedKey() async throws(LogonError) {
        guard await logon.state == .locked, let name = keyName,
            let bytes = keys.key(of: name, renewedFor: try await lockTimeout),
            let key = try? PasscodeVaultKey(bytes: bytes.value)
        else { return }
        do throws(LogonError) { try await logon.unlock(key: key) } catch {
            // The key is an earlier vault's, or the passcode must be changed first.
            guard error.underlyingError is PasscodeVaultError else { throw error }
            return keys.forget(name)
        }
        try await logon.resumeSession()
    }

    /// Opens the vault with the key of another process, else by asking; then stores the key for the others.
    func open(asking: () async throws -> Void) async throws {
        let isKnown = await logon.state != .nothing
        try await unlockWithSharedKey()
        if await logon.state == .unlocked { return }
        try await asking()
        try await shareKey()
        if isKnown { try await logon.resumeSession() }
    }

    /// Stores the key of an open vault for other processes. If that is impossible, each of them asks.
    package func shareKey() async throws(LogonError) {
        guard let name = keyName, let key = await logon.vaultKey else { return }
        _ = keys.keep(Redacted(key.bytes), of: name, for: try await lockTimeout)
    }

    /// Stores the person's sessions for other processes if the vault is open, so that they need no login.
    package func shareSession() async throws(LogonError) {
        guard await logon.state == .unlocked else { return }
        do throws(LogonError) { try await logon.keepSession() } catch {
            // The vault was locked in between: the next process logs in again.
            guard await logon.state == .unlocked else { return }
            throw error
        }
    }

    /// Whether other processes find the key.
    package var isKeyShared: Bool {
        get async throws(LogonError) {
            guard let keyName else { return false }
            return keys.key(of: keyName, renewedFor: try await lockTimeout) != nil
        }
    }

    /// Does work that removes the vault, and removes its key.
    package func removing(_ work: () async throws -> Void) async throws {
        // The key's name depends on the directory.
        let name = keyName
        try await work()
        if let name { keys.forget(name) }
    }

    private var lockTimeout: Duration {
        get async throws(LogonError) {
            let time = try await logon.passwordPolicy().lockTimeout
            // Without a timeout in the policy, the key is kept as long as possible.
            return time > .zero ? time : .seconds(Int64.max)
        }
    }

    private var keyName: String? { VaultKeyName.of(logon.directory) }
}
