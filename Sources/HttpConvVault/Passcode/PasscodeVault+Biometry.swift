#if canImport(Security) && !os(Linux)
import HttpConvConcurrency
import HttpConvPlatform
import LocalAuthentication
import Security

/// The key in the keychain of an Apple system, released by fingerprint or face.
///
/// Compiled on Apple systems only. Entries stay on this device, and are removed when fingers or faces are enrolled.
extension PasscodeVault {
    /// Lets fingerprint or face open the vault from now on. The vault has to be unlocked, and the policy has to allow
    /// it.
    ///
    /// - Throws: ``PasscodeVaultError/Code/biometryUnavailable``, ``PasscodeVaultError/Code/locked``, …
    public func allowBiometry() async throws(PasscodeVaultError) {
        _ = try await current()
        guard let key else { throw VaultFailure.locked }
        guard try await policy().allowsFingerprint else { throw Self.biometryForbidden }
        guard
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet, nil)
        else { throw Self.biometryFailure("The keychain has no entries for fingers and faces.") }
        var entry = biometryEntry
        _ = SecItemDelete(entry as CFDictionary)
        entry[kSecAttrAccessControl] = control
        entry[kSecValueData] = Data(key.bytes)
        let status = SecItemAdd(entry as CFDictionary, nil)
        guard status == errSecSuccess else { throw Self.biometryFailure("The keychain refuses it (\(status)).") }
    }

    /// Unlocks the vault by fingerprint or face; the system asks for it. It does not count as a try of the passcode.
    ///
    /// - Throws: ``PasscodeVaultError/Code/biometryUnavailable`` if the passcode has to be asked for,
    ///   ``PasscodeVaultError/Code/cancelled``, and as ``unlock(key:)``
    public func unlockByBiometry() async throws(PasscodeVaultError) {
        guard try await policy().allowsFingerprint else { throw Self.biometryForbidden }
        let (status, bytes) = await Blocking.run { [self] in
            var query = biometryEntry
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            return (status, (found as? Data).map { Array($0) })
        }
        if status == errSecUserCanceled { throw VaultFailure.cancelled }
        guard status == errSecSuccess, let bytes else {
            throw Self.biometryFailure("The keychain does not release the key (\(status)): enter the passcode.")
        }
        try await unlock(key: PasscodeVaultKey(bytes: bytes))
        // The vault's own policy takes precedence over the file's.
        guard try await policy().allowsFingerprint else {
            lock()
            throw Self.biometryForbidden
        }
    }

    /// Whether the key is kept for fingerprint or face. Asks nobody.
    public func hasBiometry() async -> Bool {
        await Blocking.run { [self] in
            let context = LAContext()
            context.interactionNotAllowed = true
            var query = biometryEntry
            query[kSecUseAuthenticationContext] = context
            query[kSecReturnData] = true
            // The key is there, and the person would have to be asked.
            return SecItemCopyMatching(query as CFDictionary, nil) == errSecInteractionNotAllowed
        }
    }

    /// Lets only the passcode open the vault.
    public func forbidBiometry() { _ = SecItemDelete(biometryEntry as CFDictionary) }

    private var biometryEntry: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "HttpConversation passcode vault",
            kSecAttrAccount: Data(vaultID).base64EncodedString(), kSecUseDataProtectionKeychain: true,
        ]
    }

    private static var biometryForbidden: PasscodeVaultError {
        biometryFailure("The policy does not allow fingers and faces: enter the passcode.")
    }

    private static func biometryFailure(_ message: String) -> PasscodeVaultError {
        PasscodeVaultError(.biometryUnavailable, message)
    }
}
#endif
