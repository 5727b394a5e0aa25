public import DataVault
internal import Foundation
public import HttpConvAuthFlows
internal import Synchronization

/// Keeps OAuth2 tokens in a ``/DataVault``: encrypted, persistent, and shared safely by all processes that open the
/// same vault.
///
/// A save is one transaction: a crash leaves the old tokens or the new ones. A write that has begun is completed even
/// if the calling task is cancelled: with rotating refresh tokens the new pair may be the only one that still works.
///
/// All operations throw ``/HttpConvAuthFlows/OAuth2Error/Code/storageFailed`` with an underlying
/// ``/DataVault/DataVaultError`` if the vault fails. An unreadable record is such an error, never "no tokens".
///
/// Tokens are cached in memory until any process writes to the vault, or the vault is closed or locked.
public final class VaultTokenStorage: OAuth2TokenStorage {
    /// The default collection.
    public static let defaultCollection = "oauth2-tokens"

    /// The vault with the tokens.
    public let vault: DataVault
    /// The collection for the tokens, which holds nothing else.
    public let collection: String
    let cache = TokenCache()
    /// The obstacles of the last refused lease requests.
    private let obstacles = Mutex<[OAuth2TokenKey: LeaseObstacle]>([:])
    private let holder = "process \(ProcessInfo.processInfo.processIdentifier)"

    /// Keeps tokens in a collection of a vault; the vault may have other collections, too.
    public init(_ vault: DataVault, collection: String = VaultTokenStorage.defaultCollection) {
        self.vault = vault
        self.collection = collection
        vault.whenClosed { [weak cache] in cache?.close() }
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

    /// The keys of all tokens, in no particular order. Reads the whole collection.
    public func keys() async throws -> [OAuth2TokenKey] {
        do {
            return try await vault.keys(in: collection).compactMap { OAuth2TokenKey(text: $0) }
        } catch { throw VaultStorageFailure.error(error, to: "list its tokens") }
    }

    public func save(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey) async throws {
        try await store(tokens, for: key, under: nil)
    }

    public func removeTokens(for key: OAuth2TokenKey) async throws { try await remove(key, under: nil) }

    public func removeAllTokens() async throws {
        try await finishing("remove all tokens") { try await $0.vault.deleteAll(in: $0.collection) }
    }

    /// Requests the exclusive right to refresh the tokens under a key, among all processes that share the vault.
    ///
    /// The lease is limited to the vault's maximum: ``/DataVault/DataVault/maximumLeaseDuration``.
    public func acquireLease(for key: OAuth2TokenKey, duration: Duration) async throws -> OAuth2LeaseAnswer {
        let duration = min(duration, DataVault.maximumLeaseDuration)
        // A request takes the write lock, so make none while the obstacle is unchanged.
        if let obstacle = obstacles.withLock({ $0[key] }), vault.isInTheWay(obstacle) { return .busy(Self.pause()) }
        do {
            let (lease, obstacle) = try await vault.requestLease(leaseName(key), holder: holder, duration: duration)
            obstacles.withLock { $0[key] = obstacle }
            guard let lease else { return .busy(Self.pause()) }
            return .granted(OAuth2Lease(key: key, fence: try VaultFence.fence(of: lease), duration: duration))
        } catch { throw VaultStorageFailure.error(error, to: "lease the tokens of \(key)") }
    }

    public func extendLease(_ lease: OAuth2Lease) async throws {
        do {
            _ = try await vault.renew(
                try vaultLease(lease), duration: min(lease.duration, DataVault.maximumLeaseDuration))
        } catch { throw VaultStorageFailure.error(error, to: "extend the lease on the tokens of \(lease.key)") }
    }

    /// Releases a lease. If the vault fails, the lease expires by itself.
    public func releaseLease(_ lease: OAuth2Lease) async {
        try? await finishing("release the lease on the tokens of \(lease.key)") {
            try await $0.vault.release(try $0.vaultLease(lease))
        }
    }

    public func save(_ tokens: OAuth2Tokens, under lease: OAuth2Lease) async throws {
        try await store(tokens, for: lease.key, under: lease)
    }

    public func removeTokens(under lease: OAuth2Lease) async throws { try await remove(lease.key, under: lease) }

    private func store(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        try await finishing("save the tokens of \(key)") { storage in
            let value = try TokenRecord.encode(tokens)
            let lease = try lease.map(storage.vaultLease)
            try await storage.vault.write(value, for: key.text, in: storage.collection, under: lease)
        }
    }

    private func remove(_ key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        try await finishing("remove the tokens of \(key)") { storage in
            let lease = try lease.map(storage.vaultLease)
            try await storage.vault.delete(key.text, in: storage.collection, under: lease)
        }
    }

    /// Writes in a separate task: the database refuses a cancelled task.
    private func finishing(
        _ wish: String, _ write: @escaping @Sendable (VaultTokenStorage) async throws -> Void
    ) async throws {
        let writing = Task { try await write(self) }
        do { try await writing.value } catch { throw VaultStorageFailure.error(error, to: wish) }
    }

    private func vaultLease(_ lease: OAuth2Lease) throws -> DataVaultLease {
        try VaultFence.lease(named: leaseName(lease.key), fence: lease.fence)
    }

    private func leaseName(_ key: OAuth2TokenKey) -> String { "\(collection) \(key.text)" }

    /// A short pause, since a refresh takes a round trip or two; randomised so that waiters do not collide.
    private static func pause() -> Duration { .milliseconds(Int.random(in: 25...75)) }
}

extension VaultTokenStorage: CustomStringConvertible, CustomReflectable {
    /// The vault's directory, without its content.
    public var description: String { "VaultTokenStorage in \(vault.directory.path)" }
    public var customMirror: Mirror { Mirror(self, children: ["storage": description]) }
}
