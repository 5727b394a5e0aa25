import HttpConvVault

/// The vault's key in the keychain of an Apple system, released by fingerprint or face. Other systems keep no key.
extension Logon {
    /// Lets fingerprint or face open the vault from now on. The vault has to be open, and the policy has to allow it.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed``
    public func allowBiometry() async throws(LogonError) {
        guard state == .unlocked, let vault else {
            throw LogonError(
                .operationNotAllowed, "Fingers and faces open a vault that is unlocked now: unlock it first.")
        }
        do throws(PasscodeVaultError) { try await vault.allowBiometry() } catch { throw .wrapping(error) }
    }

    /// Lets only the passcode open the vault.
    public func forbidBiometry() throws(LogonError) { try existingVault()?.forbidBiometry() }

    /// Whether the vault's key is kept for fingerprint or face, and the policy allows it. Asks nobody.
    public func isBiometryReady() async -> Bool {
        guard let vault = try? existingVault(), (try? await vault.policy().allowsFingerprint) == true else {
            return false
        }
        return await vault.hasBiometry()
    }

    /// Opens the vault by fingerprint or face; the system asks for it.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` if the passcode has to be asked for,
    ///   ``LogonError/Code/operationCancelled``; others as ``unlock(passcode:)``
    public func unlockByBiometry() async throws(LogonError) {
        try await run(.unlock) { () async throws(LogonError) in
            try await self.open { (vault) throws(PasscodeVaultError) in try await vault.unlockByBiometry() }
        }
    }
}
