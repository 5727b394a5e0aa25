internal import HttpConvConcurrency
internal import HttpConvPlatform

/// The vault's key in the keychain of an Apple system, released by fingerprint or face. It stays on this device, and is
/// removed when fingers or faces are enrolled. Other systems keep no key.
extension PasscodeVault {
    /// Lets fingerprint or face open the vault from now on, until the passcode is changed. The vault has to be
    /// unlocked, and the policy has to allow it.
    ///
    /// - Throws: ``PasscodeVaultError/Code/biometryUnavailable``, ``PasscodeVaultError/Code/locked``, …
    public func allowBiometry() async throws(PasscodeVaultError) {
        _ = try await current()
        guard let key else { throw PasscodeVaultFailure.locked }
        let keys = try await biometricKeys()
        try await Blocking.run { [biometryName] () throws(PasscodeVaultError) in
            try keys.keep(key.bytes, as: biometryName)
        }
    }

    /// Unlocks the vault by fingerprint or face; the system asks for it. It does not count as a try of the passcode.
    ///
    /// - Throws: ``PasscodeVaultError/Code/biometryUnavailable`` if the passcode has to be asked for,
    ///   ``PasscodeVaultError/Code/cancelled``, and as ``unlock(key:)``
    public func unlockByBiometry() async throws(PasscodeVaultError) {
        let keys = try await biometricKeys()
        let bytes = try await Blocking.run { [biometryName] () throws(PasscodeVaultError) in
            try keys.release(biometryName)
        }
        var complaint: PasscodeVaultError?
        do throws(PasscodeVaultError) { try await unlock(key: PasscodeVaultKey(bytes: bytes)) } catch {
            switch error.code {
            // The vault is open.
            case .expired: complaint = error
            case .wrongKey:
                await forget(keys)
                throw .biometry("The passcode was changed: enter it, and allow fingers or faces again.")
            default: throw error
            }
        }
        // The vault's own policy takes precedence over the file's.
        do throws(PasscodeVaultError) { _ = try await biometricKeys() } catch {
            lock()
            throw error
        }
        if let complaint { throw complaint }
    }

    /// Whether the key is kept for fingerprint or face. Asks nobody.
    public func hasBiometry() async -> Bool {
        guard let keys = configuration.biometricKeys else { return false }
        return await Blocking.run { [biometryName] in keys.holds(biometryName) }
    }

    /// Lets only the passcode open the vault.
    public func forbidBiometry() { configuration.biometricKeys?.remove(biometryName) }

    /// The name under which a vault's key is kept.
    static func biometryName(of vaultID: [UInt8]) -> String { Data(vaultID).base64EncodedString() }

    private func forget(_ keys: any BiometricKeys) async {
        await Blocking.run { [biometryName] in keys.remove(biometryName) }
    }

    private var biometryName: String { Self.biometryName(of: vaultID) }

    /// The place for keys, if the policy allows it.
    private func biometricKeys() async throws(PasscodeVaultError) -> any BiometricKeys {
        guard let keys = configuration.biometricKeys else {
            throw .biometry("This system keeps no key for fingers and faces: enter the passcode.")
        }
        guard try await policy().allowsFingerprint else {
            throw .biometry("The policy does not allow fingers and faces: enter the passcode.")
        }
        return keys
    }
}
