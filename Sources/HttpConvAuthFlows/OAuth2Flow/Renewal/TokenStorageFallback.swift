import HttpConversation
import Synchronization

/// Wraps a storage: tokens that could not be written are kept in memory while the process lives.
///
/// With rotating refresh tokens, the latest pair is the only one that still works: a full disk must not lose it.
final class TokenStorageFallback: Sendable {
    let storage: any OAuth2TokenStorage
    private let unsaved = Mutex<[OAuth2TokenKey: OAuth2Tokens]>([:])
    private let hasUnsaved = Atomic<Bool>(false)

    init(_ storage: any OAuth2TokenStorage) { self.storage = storage }

    nonisolated(nonsending) func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? {
        if hasUnsaved.load(ordering: .acquiring), let tokens = unsaved.withLock({ $0[key] }) { return tokens }
        do { return try await storage.tokens(for: key) } catch { throw Self.failed(error, "read", key) }
    }

    /// Stores tokens.
    ///
    /// - Returns: whether the storage has them now; otherwise they are kept in memory and written with the next ones
    /// - Throws: ``OAuth2Error/Code/leaseLost``
    func save(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws -> Bool {
        do {
            try await storage.save(tokens, for: key, under: lease)
            forget(key)
            return true
        } catch let error as OAuth2Error where error.code == .leaseLost {
            throw error
        } catch {
            unsaved.withLock { $0[key] = tokens }
            hasUnsaved.store(true, ordering: .releasing)
            return false
        }
    }

    func remove(_ key: OAuth2TokenKey, under lease: OAuth2Lease? = nil) async throws {
        forget(key)
        do { try await storage.save(nil, for: key, under: lease) } catch { throw Self.failed(error, "remove", key) }
    }

    func removeAll() async throws {
        unsaved.withLock { $0.removeAll() }
        hasUnsaved.store(false, ordering: .releasing)
        do { try await storage.removeAllTokens() } catch { throw Self.failed(error, "remove", nil) }
    }

    private func forget(_ key: OAuth2TokenKey) {
        guard hasUnsaved.load(ordering: .acquiring) else { return }
        unsaved.withLock { unsaved in
            unsaved[key] = nil
            hasUnsaved.store(!unsaved.isEmpty, ordering: .releasing)
        }
    }

    private static func failed(_ error: any Error, _ what: String, _ key: OAuth2TokenKey?) -> any Error {
        OAuth2Error.wrapping(
            error, as: .storageFailed,
            "The token storage could not \(what) \(key.map { "the tokens of \($0)" } ?? "all tokens").")
    }
}
