#if canImport(Security) && !os(Linux)
import HttpConvConcurrency
import HttpConvPlatform
import Security

/// Keeps OAuth2 tokens in the keychain of an Apple system, readable after the first unlock and on this device only.
///
/// Compiled on Apple systems only. Each entry is a generic password; its account is ``OAuth2TokenKey/text``. An
/// application and its extensions share one by an access group: one of them renews the tokens, under a lease that
/// expires, and the others use them.
///
/// An entry says nothing of the person whose tokens it has: with several persons, give each a storage of its own by
/// `user`. Entries stay in the keychain when the application is removed, and are there again when it is installed
/// again. To begin anew, call ``removeAllTokens()`` at the first launch: when the application's settings, which are
/// removed with it, have no mark of an earlier one.
public final class KeychainTokenStorage: OAuth2TokenStorage {
    /// The service of the entries (`kSecAttrService`), used by this storage only.
    public let service: String
    /// The keychain access group of the entries, such as `TEAMID.com.example.shared`; nil: tokens are written to the
    /// application's first one, and read and removed in all of its groups.
    public let accessGroup: String?
    /// Whether the data protection keychain is used on macOS, as it always is elsewhere; requires a signed application.
    public let usesDataProtection: Bool
    private let storage: RecordTokenStorage

    /// Keeps tokens under a service, such as the application's bundle identifier followed by ` oauth2`.
    ///
    /// - Parameters:
    ///   - service: the service of the entries
    ///   - accessGroup: a group of the application's entitlement `keychain-access-groups`
    ///   - usesDataProtection: whether to use the data protection keychain on macOS; an access group needs it
    public init(service: String, accessGroup: String? = nil, usesDataProtection: Bool = true) {
        self.service = service
        self.accessGroup = accessGroup
        self.usesDataProtection = usesDataProtection
        storage = RecordTokenStorage(
            KeychainRecords(service: service, accessGroup: accessGroup, usesDataProtection: usesDataProtection))
    }

    /// Keeps the tokens of one of several persons.
    ///
    /// - Parameters:
    ///   - service: as above, the same for all of them
    ///   - user: names the person, by a name that never changes
    ///   - accessGroup: a group of the application's entitlement `keychain-access-groups`
    ///   - usesDataProtection: whether to use the data protection keychain on macOS; an access group needs it
    public convenience init(
        service: String, user: String, accessGroup: String? = nil, usesDataProtection: Bool = true
    ) {
        self.init(
            service: KeychainRules.service(service, of: user), accessGroup: accessGroup,
            usesDataProtection: usesDataProtection)
    }

    public func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? { try await storage.tokens(for: key) }

    public func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        try await storage.save(tokens, for: key, under: lease)
    }

    public func removeAllTokens() async throws { try await storage.removeAllTokens() }

    public func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        try await storage.withLease(for: key, duration: duration, until: look, work)
    }
}

extension KeychainTokenStorage: CustomStringConvertible, CustomReflectable {
    /// The service, without its entries.
    public var description: String { "KeychainTokenStorage of \(service)" }
    public var customMirror: Mirror { Mirror(self, children: ["storage": description]) }
}

/// The keychain's entries of one service. An entry's version is its attribute `kSecAttrGeneric`: the keychain changes
/// only the entry that has the version asked for.
private struct KeychainRecords: TokenRecordStore {
    let service: String
    let accessGroup: String?
    let usesDataProtection: Bool

    func read(_ name: String) async throws -> StoredTokenRecord? {
        try await perform("read tokens") { records in
            var query = records.query(name)
            query[kSecReturnData] = true
            query[kSecReturnAttributes] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            guard status == errSecSuccess else { return (status, nil) }
            guard let entry = found as? [CFString: Any], let data = entry[kSecValueData] as? Data else {
                return (errSecDecode, nil)
            }
            let version = (entry[kSecAttrGeneric] as? Data).map { String(decoding: $0, as: UTF8.self) }
            return (status, StoredTokenRecord(data: data, version: version))
        }
    }

    func replace(_ name: String, _ old: StoredTokenRecord?, with new: StoredTokenRecord) async throws -> Bool {
        try await perform("write tokens") { records in
            var query = records.query(name)
            let values: [CFString: Any] = [
                kSecValueData: new.data, kSecAttrGeneric: Data((new.version ?? "").utf8),
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            let status: OSStatus
            if let old {
                if let version = old.version { query[kSecAttrGeneric] = Data(version.utf8) }
                status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
            } else {
                status = SecItemAdd(query.merging(values) { $1 } as CFDictionary, nil)
            }
            // Another process was faster.
            let isChanged = status == errSecItemNotFound || status == errSecDuplicateItem
            return (isChanged ? errSecSuccess : status, !isChanged)
        } ?? false
    }

    func removeAll() async throws {
        _ = try await perform("remove all tokens") { records in
            // On macOS, a call may remove one entry only.
            let status = KeychainRules.removeAll { SecItemDelete(records.query(nil) as CFDictionary) }
            return (status, true)
        }
    }

    /// A query for one entry, or for all of the service.
    private func query(_ name: String?) -> [CFString: Any] {
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
        if let name { query[kSecAttrAccount] = name }
        if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
        if usesDataProtection { query[kSecUseDataProtectionKeychain] = true }
        return query
    }

    /// Calls the keychain on a thread that may block: it is another process.
    ///
    /// - Returns: nil if there is no entry
    private func perform<Value: Sendable>(
        _ wish: String, _ call: @escaping @Sendable (KeychainRecords) -> (OSStatus, Value?)
    ) async throws -> Value? {
        let (status, value) = await Blocking.run { call(self) }
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw OAuth2Error(
                .storageFailed, "The keychain could not \(wish) (OSStatus \(status)).\(KeychainRules.advice(status))")
        }
        return value
    }
}
#endif
