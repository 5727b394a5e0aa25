import HttpConversation
import Synchronization

/// Wraps a storage: tokens that could not be written are kept in memory, and are written as soon as the storage works
/// again. That goes on as long as the flow lives, and for ten minutes in any case.
///
/// With rotating refresh tokens, the latest pair is the only one that still works: a full disk, or a database that
/// restarts, must not lose it. Another process that found the older pair would use it a second time, which ends the
/// login of all.
final class TokenStorageFallback: Sendable {
    private struct Unsaved {
        let number: Int
        let tokens: OAuth2Tokens
        let lease: OAuth2Lease?
        var retries: Task<Void, Never>?
    }

    private struct State {
        var unsaved: [OAuth2TokenKey: Unsaved] = [:]
        var nextNumber = 0
    }

    let storage: any OAuth2TokenStorage
    private let quick: (any QuickTokenStorage)?
    private let state = Mutex(State())
    private let hasUnsaved = Atomic<Bool>(false)
    /// How long tokens are kept and written again after their flow has gone: as long as a storage keeps their lease.
    private static let longestHolding = Duration.seconds(600)

    init(_ storage: any OAuth2TokenStorage) {
        self.storage = storage
        quick = storage as? any QuickTokenStorage
    }

    /// The tokens under a key, if that needs no wait; nil: `tokens(for:)` knows.
    func tokensInMemory(for key: OAuth2TokenKey) -> OAuth2Tokens? {
        hasUnsaved.load(ordering: .acquiring) ? nil : quick?.tokensInMemory(for: key)
    }

    deinit { state.withLock { $0.unsaved.values.forEach { $0.retries?.cancel() } } }

    /// - Parameter context: the conversation whose observers hear of a failure of the storage; the same below
    nonisolated(nonsending) func tokens(
        for key: OAuth2TokenKey, in context: ConversationContext? = nil
    ) async throws -> OAuth2Tokens? {
        if hasUnsaved.load(ordering: .acquiring), let entry = state.withLock({ $0.unsaved[key] }) {
            return entry.tokens
        }
        do { return try await storage.tokens(for: key) } catch { throw Self.failed(error, .read, key, context) }
    }

    /// Runs work under the lease of a key. The closures report failures of their own.
    ///
    /// - Parameter isUrgent: whether to wait for a storage that is out of reach
    func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, isUrgent: Bool, in context: ConversationContext,
        until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        let isTheirs = Atomic(false)
        do {
            return try await storage.lease(for: key, duration: duration, isUrgent: isUrgent) {
                do { return try await look() } catch {
                    isTheirs.store(true, ordering: .relaxed)
                    throw error
                }
            } _: { lease in
                do { return try await work(lease) } catch {
                    isTheirs.store(true, ordering: .relaxed)
                    throw error
                }
            }
        } catch {
            if !isTheirs.load(ordering: .relaxed) { Self.report(error, .lease, context) }
            throw error
        }
    }

    /// Stores tokens.
    ///
    /// - Returns: whether the storage has them now; otherwise they are kept in memory and written later
    /// - Throws: ``OAuth2Error/Code/leaseLost``
    func save(
        _ tokens: OAuth2Tokens, for key: OAuth2TokenKey, under lease: OAuth2Lease?, in context: ConversationContext
    ) async throws -> Bool {
        let older = await stopRetries(key)
        do {
            try await storage.save(tokens, for: key, under: lease)
            if let older { forget(key, older) }
            return true
        } catch let error as OAuth2Error where error.code == .leaseLost {
            if let older { forget(key, older) }
            throw error
        } catch {
            keep(tokens, key, lease)
            // Once: the writes that follow are the same failure.
            Self.report(error, .write, context)
            return false
        }
    }

    func remove(
        _ key: OAuth2TokenKey, under lease: OAuth2Lease? = nil, in context: ConversationContext? = nil
    ) async throws {
        if let older = await stopRetries(key) { forget(key, older) }
        do { try await storage.save(nil, for: key, under: lease) } catch {
            throw Self.failed(error, .remove, key, context)
        }
    }

    func removeAll() async throws {
        for key in state.withLock({ Array($0.unsaved.keys) }) {
            if let older = await stopRetries(key) { forget(key, older) }
        }
        do { try await storage.removeAllTokens() } catch { throw Self.failed(error, .remove, nil, nil) }
    }

    // MARK: Unsaved tokens

    private func keep(_ tokens: OAuth2Tokens, _ key: OAuth2TokenKey, _ lease: OAuth2Lease?) {
        state.withLock { state in
            state.nextNumber += 1
            let number = state.nextNumber
            // The flow may go right after a request, and with it the last reference to these tokens.
            let holding = Task { [self] in
                try? await Task.sleep(for: Self.longestHolding)
                withExtendedLifetime(self) {}
            }
            let retries = Task { [weak self] in
                defer { holding.cancel() }
                var pause = Duration.milliseconds(100)
                while (try? await Task.sleep(for: pause)) != nil, let self, await !self.retry(key, number) {
                    pause = min(pause * 2, .seconds(5))
                }
            }
            state.unsaved[key] = Unsaved(number: number, tokens: tokens, lease: lease, retries: retries)
            hasUnsaved.store(true, ordering: .releasing)
        }
    }

    /// Writes tokens again.
    ///
    /// - Returns: whether no further attempt is needed: the tokens are written, or another process has newer ones
    private func retry(_ key: OAuth2TokenKey, _ number: Int) async -> Bool {
        guard let entry = state.withLock({ $0.unsaved[key] }), entry.number == number else { return true }
        do {
            // A write that has begun is completed, although the retries are cancelled.
            try await Task { [storage] in try await storage.save(entry.tokens, for: key, under: entry.lease) }.value
        } catch {
            guard (error as? OAuth2Error)?.code == .leaseLost else { return false }
        }
        forget(key, number)
        return true
    }

    /// Ends the retries for a key, so that they overwrite nothing newer. The tokens are kept.
    ///
    /// - Returns: the number of the unsaved tokens, if there are any
    private func stopRetries(_ key: OAuth2TokenKey) async -> Int? {
        guard hasUnsaved.load(ordering: .acquiring), let entry = state.withLock({ $0.unsaved[key] }) else { return nil }
        entry.retries?.cancel()
        await entry.retries?.value
        return entry.number
    }

    private func forget(_ key: OAuth2TokenKey, _ number: Int) {
        state.withLock { state in
            if state.unsaved[key]?.number == number { state.unsaved[key] = nil }
            hasUnsaved.store(!state.unsaved.isEmpty, ordering: .releasing)
        }
    }

    // MARK: Failures

    private static func failed(
        _ error: any Error, _ operation: LoginEvent.StorageOperation, _ key: OAuth2TokenKey?,
        _ context: ConversationContext?
    ) -> any Error {
        report(error, operation, context)
        return OAuth2Error.wrapping(
            error, as: .storageFailed,
            "The token storage could not \(operation) \(key.map { "the tokens of \($0)" } ?? "all tokens").")
    }

    private static func report(
        _ error: any Error, _ operation: LoginEvent.StorageOperation, _ context: ConversationContext?
    ) {
        guard let failure = OAuth2Error.wrapping(error, as: .storageFailed, "") as? OAuth2Error,
            failure.code == .storageFailed
        else { return }
        let code = (failure.underlyingError as? any TokenStorageError)?.codeName
        context?.notify(.storageFailed(operation, code: code ?? "\(failure.code)"))
    }
}

/// An error of a storage of this package. Observers hear its code, which has few values.
package protocol TokenStorageError: Error {
    /// The error's code.
    var codeName: String { get }
}
