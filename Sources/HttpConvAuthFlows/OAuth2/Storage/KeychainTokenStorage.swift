#if canImport(Security) && !os(Linux)
import Foundation
import HttpConvConcurrency
import Security

/// Keeps OAuth2 tokens in the keychain of an Apple system, readable after the first unlock and on this device only.
///
/// Compiled on Apple systems only. Each entry is a generic password; its account is ``OAuth2TokenKey/text``. Processes
/// that share a keychain group have no leases here: let one of them renew the tokens, or share a vault.
public final class KeychainTokenStorage: OAuth2TokenStorage {
    /// The service of the entries (`kSecAttrService`): this storage's alone.
    public let service: String
    /// Whether the data protection keychain is used on macOS, as it always is elsewhere; needs a signed application.
    public let usesDataProtection: Bool

    /// Keeps tokens under a service, such as the application's bundle identifier and ` oauth2`.
    public init(service: String, usesDataProtection: Bool = true) {
        self.service = service
        self.usesDataProtection = usesDataProtection
    }

    public func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? {
        let data: Data? = try await perform("read the tokens of \(key)") { storage in
            var query = storage.query(key)
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            return (status, found as? Data)
        }
        guard let data else { return nil }
        do { return try JSONDecoder().decode(OAuth2Tokens.self, from: data) } catch {
            // The decoder's own error may quote what it read.
            throw OAuth2Error(.storageFailed, "The keychain's entry for \(key) holds no tokens that can be read.")
        }
    }

    /// Changes the entry in one step, or adds it.
    public func save(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey) async throws {
        let data = try JSONEncoder().encode(tokens)
        try await perform("save the tokens of \(key)") { storage in
            let query = storage.query(key)
            let values: [CFString: Any] = [
                kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(query.merging(values) { $1 } as CFDictionary, nil)
                // Somebody else added it between the two calls.
                if status == errSecDuplicateItem {
                    status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
                }
            }
            // Not found here would be a failure, and `perform` takes it for none.
            return (status == errSecItemNotFound ? errSecInternalError : status, nil)
        }
    }

    public func removeTokens(for key: OAuth2TokenKey) async throws {
        try await perform("remove the tokens of \(key)") { (SecItemDelete($0.query(key) as CFDictionary), nil) }
    }

    public func removeAllTokens() async throws {
        try await perform("remove all tokens") { (SecItemDelete($0.query(nil) as CFDictionary), nil) }
    }

    /// What names one entry, or all of the service.
    private func query(_ key: OAuth2TokenKey?) -> [CFString: Any] {
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
        if let key { query[kSecAttrAccount] = key.text }
        if usesDataProtection { query[kSecUseDataProtectionKeychain] = true }
        return query
    }

    /// Asks the keychain on a thread that may wait: it lives in another process.
    ///
    /// - Returns: the data found; nil where there is no entry
    @discardableResult
    private func perform(
        _ wish: String, _ call: @escaping @Sendable (KeychainTokenStorage) -> (OSStatus, Data?)
    ) async throws -> Data? {
        let (status, data) = await Blocking.run { call(self) }
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw OAuth2Error(.storageFailed, "The keychain could not \(wish) (OSStatus \(status)).")
        }
        return data
    }
}

extension KeychainTokenStorage: CustomStringConvertible, CustomReflectable {
    /// The service; nothing of what is stored.
    public var description: String { "KeychainTokenStorage of \(service)" }
    public var customMirror: Mirror { Mirror(self, children: ["storage": description]) }
}
#endif
