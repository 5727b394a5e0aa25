public import DataVault
internal import Foundation
public import HttpConvAuthFlows
internal import Synchronization

/// Keeps OAuth2 tokens in a ``/DataVault``: encrypted, for longer than the process runs, and shared safely by all
/// processes that open the same vault.
///
/// A save is one transaction: a crash leaves the old tokens or the new ones. A write that has begun is carried out even
/// where the calling task is cancelled, for with rotating refresh tokens the pair in hand may be the only one that
/// still works.
///
/// All operations throw ``/HttpConvAuthFlows/OAuth2Error/Code/storageFailed`` with the ``/DataVault/DataVaultError``
/// below it where the vault fails; a record that cannot be read is such an error and never "no tokens".
///
/// What was read is kept in memory for as long as nobody, in any process, writes to the vault, and until the vault is
/// closed or locked.
public final class VaultTokenStorage: OAuth2TokenStorage {
    /// The collection where none is named.
    public static let defaultCollection = "oauth2-tokens"

    /// Where the tokens are.
    public let vault: DataVault
    /// The collection of the vault that holds the tokens, and nothing else.
    public let collection: String
    let cache = TokenCache()
    /// What was in the way of a lease when it was last asked for.
    private let obstacles = Mutex<[OAuth2TokenKey: LeaseObstacle]>([:])
    private let holder = "process \(ProcessInfo.processInfo.processIdentifier)"

    /// Keeps tokens in a collection of a vault; the vault may hold other collections, too.
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

    /// What there are tokens for, in no particular order. Reads the whole collection.
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

    /// Asks for the sole right to renew the tokens under a key, against all processes that share the vault.
    ///
    /// The lease lasts at most as long as the vault gives any: ``/DataVault/DataVault/maximumLeaseDuration``.
    public func acquireLease(for key: OAuth2TokenKey, duration: Duration) async throws -> OAuth2LeaseAnswer {
        let duration = min(duration, DataVault.maximumLeaseDuration)
        // To ask takes the turn of who writes: not while nothing has happened.
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

    /// Gives a lease back. Where the vault fails at that, the lease ends by itself.
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

    /// Writes in a task of its own: the database refuses what a cancelled task asks of it.
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

    /// Short, since a holder is done within a round trip or two; not the same for all who wait.
    private static func pause() -> Duration { .milliseconds(Int.random(in: 25...75)) }
}

extension VaultTokenStorage: CustomStringConvertible, CustomReflectable {
    /// Where the vault is; nothing of what is in it.
    public var description: String { "VaultTokenStorage in \(vault.directory.path)" }
    public var customMirror: Mirror { Mirror(self, children: ["storage": description]) }
}
