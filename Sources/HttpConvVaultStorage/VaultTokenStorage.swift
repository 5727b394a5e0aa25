public import HttpConvAuthFlows
internal import HttpConvPlatform
public import HttpConvVault

/// Keeps OAuth2 tokens in a ``/HttpConvVault/DataVault``: encrypted, persistent, and shared safely by all processes
/// that open the same vault.
///
/// A save is one transaction: a crash leaves the old tokens or the new ones. A write that has begun is completed even
/// if the calling task is cancelled: with rotating refresh tokens the new pair may be the only one that still works.
///
/// All operations throw ``/HttpConvAuthFlows/OAuth2Error/Code/storageFailed`` with an underlying
/// ``/HttpConvVault/DataVaultError`` if the vault fails. An unreadable record is such an error, never "no tokens".
///
/// Tokens are cached in memory until any process writes to the vault, or the vault is closed or locked.
public final class VaultTokenStorage: QuickTokenStorage {
    /// The default collection.
    public static let defaultCollection = "oauth2-tokens"

    /// The vault with the tokens.
    public let vault: DataVault
    /// The collection for the tokens, which holds nothing else.
    public let collection: String
    let cache = TokenCache()
    private let holder = "process \(ProcessInfo.processInfo.processIdentifier)"

    /// Keeps tokens in a collection of a vault; the vault may have other collections, too.
    public init(_ vault: DataVault, collection: String = VaultTokenStorage.defaultCollection) {
        self.vault = vault
        self.collection = collection
        vault.closesWithKeys(cache)
    }

    /// Keeps the tokens of one user of a service, apart from those of all other users.
    ///
    /// - Parameters:
    ///   - vault: the vault
    ///   - user: an identifier that never changes and is never given to another user
    public convenience init(_ vault: DataVault, user: String) {
        self.init(vault, collection: "\(Self.defaultCollection) of user \(user)")
    }

    public func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? {
        let stamp = vault.changeStamp
        if let stamp, let tokens = cache.tokens(for: key, at: stamp) { return tokens }
        do {
            guard let record = try await vault.read(key.text, in: collection) else { return nil }
            let tokens = try TokenRecord.decode(record.value)
            if let stamp { cache.keep(tokens, for: key, at: stamp) }
            return tokens
        } catch { throw VaultStorageFailure.error(error, to: "read the tokens of \(key)") }
    }

    package func tokensInMemory(for key: OAuth2TokenKey) -> OAuth2Tokens? {
        vault.changeStamp.flatMap { cache.tokens(for: key, at: $0) }
    }

    /// The keys of all tokens, in no particular order. Reads the whole collection.
    ///
    /// - Throws: ``/HttpConvAuthFlows/OAuth2Error/Code/storageFailed``; `CancellationError`
    public func keys() async throws -> [OAuth2TokenKey] {
        do {
            return try await vault.keys(in: collection).compactMap { OAuth2TokenKey(text: $0) }
        } catch { throw VaultStorageFailure.error(error, to: "list its tokens") }
    }

    public func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        try await finishing("\(tokens == nil ? "remove" : "save") the tokens of \(key)") { storage in
            let (vault, collection) = (storage.vault, storage.collection)
            if let value = try tokens.map(TokenRecord.encode) {
                try await vault.write(
                    value, for: key.text, in: collection, under: try lease.map(storage.vaultLease))
            } else if let lease {
                try await vault.delete(key.text, in: collection, under: try storage.vaultLease(lease))
            } else {
                try await vault.transaction { transaction in
                    try transaction.delete(key.text, in: collection)
                    try transaction.endLease(storage.leaseName(key.text))
                }
            }
        }
    }

    public func removeAllTokens() async throws {
        try await finishing("remove all tokens") { storage in
            let collection = storage.collection
            try await storage.vault.transaction { transaction in
                // A lease is named after its key, which a damaged record does not tell.
                for key in try transaction.readableKeys(in: collection) {
                    try transaction.endLease(storage.leaseName(key))
                }
                try transaction.deleteAll(in: collection)
            }
        }
    }

    /// Runs work with the exclusive right to refresh the tokens under a key, among all processes that share the vault.
    ///
    /// The duration is limited to the vault's maximum: ``/HttpConvVault/DataVault/maximumLeaseDuration``.
    ///
    /// - Parameters:
    ///   - key: the key of the tokens
    ///   - duration: the duration of the lease
    ///   - look: called while another holder has the lease; a result ends the wait
    ///   - work: gets the lease
    /// - Throws: ``/HttpConvAuthFlows/OAuth2Error/Code/storageFailed``; the errors of the closures
    public func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        do {
            return try await vault.withLease(
                leaseName(key), holder: holder, duration: min(duration, DataVault.maximumLeaseDuration),
                waitingFor: "for another process that gets tokens of \(key)", until: look
            ) { lease in
                try await work(OAuth2Lease(key: key, fence: try VaultFence.fence(of: lease)))
            }
        } catch { throw VaultStorageFailure.error(error, to: "lease the tokens of \(key)") }
    }

    /// Writes in a separate task: the database refuses a cancelled task.
    private func finishing(
        _ wish: String, _ write: @escaping @Sendable (VaultTokenStorage) async throws -> Void
    ) async throws {
        let writing = Task { try await write(self) }
        do { try await writing.value } catch { throw VaultStorageFailure.error(error, to: wish) }
    }

    func vaultLease(_ lease: OAuth2Lease) throws -> DataVaultLease {
        try VaultFence.lease(named: leaseName(lease.key), fence: lease.fence)
    }

    func leaseName(_ key: OAuth2TokenKey) -> String { leaseName(key.text) }

    private func leaseName(_ key: String) -> String { "\(collection) \(key)" }
}

extension VaultTokenStorage: CustomStringConvertible, CustomReflectable {
    /// The vault's directory, without its content.
    public var description: String { "VaultTokenStorage in \(vault.directory.path)" }
    public var customMirror: Mirror { Mirror(self, children: ["storage": description]) }
}

/// Converts between the fence of a storage's lease and the token of a vault's lease: the same number in two types.
enum VaultFence {
    static func fence(of lease: DataVaultLease) throws(DataVaultError) -> UInt64 {
        guard let fence = UInt64(exactly: lease.token) else {
            throw DataVaultError(.damaged, "The vault gave out a lease with a negative token.")
        }
        return fence
    }

    /// The vault's lease; throws `.leaseLost` for a fence that is never granted.
    static func lease(named name: String, fence: UInt64) throws(DataVaultError) -> DataVaultLease {
        guard let token = Int64(exactly: fence) else {
            throw DataVaultError(.leaseLost, "This vault never gave out that lease.")
        }
        return DataVaultLease(name: name, token: token)
    }
}
