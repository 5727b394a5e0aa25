import HttpC
import Logon

/// A profile's logon, whose vault one process opens for all: while it is unlocked, the others find its key.
struct SharedLogon: Sendable {
    let profile: String
    let logon: Logon
    var keys: any UnlockedKeys = Self.systemKeys

    #if os(Linux)
    static let systemKeys: any UnlockedKeys = KernelKeyring()
    #else
    static let systemKeys: any UnlockedKeys = NoUnlockedKeys()
    #endif

    /// Opens a locked vault by the key of another process, where there is one.
    func takeUp() async throws(LogonError) {
        guard await logon.state == .locked, let name = keyName,
            let bytes = keys.key(of: name, renewedFor: try await lockTimeout),
            let key = try? PasscodeVaultKey(bytes: bytes.value)
        else { return }
        do throws(LogonError) { try await logon.unlock(key: key) } catch {
            // Of another vault that was here before, or whose passcode has to be changed first.
            guard error.underlyingError is PasscodeVaultError else { throw error }
            return keys.forget(name)
        }
        try await logon.resumeSession()
    }

    /// Has the vault open: by the key of another process, else by asking, whose answer others then find.
    func open(asking: () async throws -> Void) async throws {
        let isKnown = await logon.state != .nothing
        try await takeUp()
        if await logon.state == .unlocked { return }
        try await asking()
        try await leaveKey()
        if isKnown { try await logon.resumeSession() }
    }

    /// Leaves the key of an open vault for others; where that cannot be, each of them asks.
    func leaveKey() async throws(LogonError) {
        guard let name = keyName, let key = await logon.vaultKey else { return }
        _ = keys.keep(Redacted(key.bytes), of: name, for: try await lockTimeout)
    }

    /// Leaves the person's sessions for others, where the vault is open: nobody has to log in again.
    func leaveSession() async throws(LogonError) {
        guard await logon.state == .unlocked else { return }
        do throws(LogonError) { try await logon.keepSession() } catch {
            // Locked between the two: whoever comes next logs in again.
            guard await logon.state == .unlocked else { return }
            throw error
        }
    }

    /// Whether others find the key.
    var isKeyLeft: Bool {
        get async throws(LogonError) {
            guard let keyName else { return false }
            return keys.key(of: keyName, renewedFor: try await lockTimeout) != nil
        }
    }

    /// Does what takes the vault away, and its key with it.
    func removing(_ work: () async throws -> Void) async throws {
        // Its directory says what the key is called.
        let name = keyName
        try await work()
        if let name { keys.forget(name) }
    }

    private var lockTimeout: Duration {
        get async throws(LogonError) {
            let time = try await logon.passwordPolicy().lockTimeout
            // Without a time in the policy there is the longest that a key is kept for.
            return time > .zero ? time : .seconds(Int64.max)
        }
    }

    private var keyName: String? { VaultKeyName.of(logon.directory) }
}
