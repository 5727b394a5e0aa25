#if canImport(Security) && !os(Linux)
import Foundation
import HttpConvConcurrency
import Security

/// Keeps OAuth2 tokens in the keychain of an Apple system, readable after the first unlock and on this device only.
///
/// Compiled on Apple systems only. Each entry is a generic password; its account is ``OAuth2TokenKey/text``. This
/// storage has no leases for processes that share a keychain group: let one of them renew the tokens, or share a vault.
public final class KeychainTokenStorage: OAuth2TokenStorage {
    /// The service of the entries (`kSecAttrService`), used by this storage only.
    public let service: String
    /// Whether the data protection keychain is used on macOS, as it always is elsewhere; requires a signed application.
    public let usesDataProtection: Bool

    /// Keeps tokens under a service, such as the application's bundle identifier followed by ` oauth2`.
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
            // The decoder's own error may quote the entry.
            throw OAuth2Error(.storageFailed, "The keychain's entry for \(key) holds no tokens that can be read.")
        }
    }

    /// Changes the entry atomically, adds it, or removes it.
    public func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        guard let tokens else {
            try await perform("remove the tokens of \(key)") { (SecItemDelete($0.query(key) as CFDictionary), nil) }
            return
        }
        let data = try JSONEncoder().encode(tokens)
        try await perform("save the tokens of \(key)") { storage in
            let query = storage.query(key)
            let values: [CFString: Any] = [
                kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(query.merging(values) { $1 } as CFDictionary, nil)
                // Another process added it between the two calls.
                if status == errSecDuplicateItem {
                    status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
                }
            }
            // Report "not found" as a failure here; `perform` would ignore it.
            return (status == errSecItemNotFound ? errSecInternalError : status, nil)
        }
    }

    public func removeAllTokens() async throws {
        try await perform("remove all tokens") { (SecItemDelete($0.query(nil) as CFDictionary), nil) }
    }

    /// A query for one entry, or for all of the service.
    private func query(_ key: OAuth2TokenKey?) -> [CFString: Any] {
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
        if let key { query[kSecAttrAccount] = key.text }
        if usesDataProtection { query[kSecUseDataProtectionKeychain] = true }
        return query
    }

    /// Calls the keychain on a thread that may block: it is another process.
    ///
    /// - Returns: the data found; nil if there is no entry
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
    /// The service, without its entries.
    public var description: String { "KeychainTokenStorage of \(service)" }
    public var customMirror: Mirror { Mirror(self, children: ["storage": description]) }
}
#endif
