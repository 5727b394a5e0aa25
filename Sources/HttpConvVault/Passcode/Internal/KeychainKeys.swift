#if canImport(Security) && !os(Linux)
import HttpConvPlatform
import LocalAuthentication
import Security

/// The keys in the keychain of an Apple system, which are removed when fingers or faces are enrolled. Compiled on Apple
/// systems only.
struct KeychainKeys: BiometricKeys {
    func keep(_ key: [UInt8], as name: String) throws(PasscodeVaultError) {
        guard
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet, nil)
        else { throw .biometry("The keychain has no entries for fingers and faces.") }
        remove(name)
        let values: [CFString: Any] = [kSecAttrAccessControl: control, kSecValueData: Data(key)]
        let status = SecItemAdd(entry(name).merging(values) { $1 } as CFDictionary, nil)
        guard status == errSecSuccess else { throw .biometry("The keychain refuses it (\(status)).") }
    }

    func release(_ name: String) throws(PasscodeVaultError) -> [UInt8] {
        let query = entry(name).merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 }
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        if status == errSecUserCanceled { throw PasscodeVaultFailure.cancelled }
        guard status == errSecSuccess, let key = found as? Data else {
            throw .biometry("The keychain does not release the key (\(status)): enter the passcode.")
        }
        return Array(key)
    }

    func holds(_ name: String) -> Bool {
        let context = LAContext()
        context.interactionNotAllowed = true
        let query = entry(name).merging([kSecUseAuthenticationContext: context, kSecReturnData: true]) { $1 }
        // The key is there, and the person would have to be asked.
        return SecItemCopyMatching(query as CFDictionary, nil) == errSecInteractionNotAllowed
    }

    func remove(_ name: String) { _ = SecItemDelete(entry(name) as CFDictionary) }

    private func entry(_ name: String) -> [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "HttpConversation passcode vault",
            kSecAttrAccount: name, kSecUseDataProtectionKeychain: true,
        ]
    }
}
#endif
