public import HttpConvLogon

/// Unlocks a logon's vault by fingerprint or face: ``LogonDialogue/biometry``. On Apple's systems `system(_:)` is the
/// keychain's.
public struct LogonBiometry: Sendable {
    /// Whether the vault's key is kept for it, and the policy allows it. Asks nobody.
    public var isReady: @Sendable () async -> Bool
    /// Opens the vault; the system asks the person.
    public var unlock: @Sendable () async throws(LogonError) -> Void

    /// - Parameters:
    ///   - isReady: whether the vault's key is kept for it, and the policy allows it; must ask nobody
    ///   - unlock: opens the vault
    public init(
        isReady: @escaping @Sendable () async -> Bool, unlock: @escaping @Sendable () async throws(LogonError) -> Void
    ) {
        self.isReady = isReady
        self.unlock = unlock
    }
}
