import Dispatch
import HttpConvConcurrency
import HttpConvPlatform
import Synchronization

/// The tickets of one login.
///
/// Calls of the library run one after another on a queue of their own, because one may wait for a key distribution
/// center. The first call for a service gets the ticket, and the next ones find it.
final class KerberosClient: Sendable, CustomStringConvertible, CustomReflectable {
    let login: KerberosLogin
    private let queue = DispatchQueue(label: "HttpConvAuthFlows.Kerberos")
    private let kept = Mutex<(credential: GSSCredential, until: ContinuousClock.Instant)?>(nil)
    /// The name of the cache in memory. Nobody else can guess it, and no two logins share it.
    private let memory = "HttpConversation-\(UUID().uuidString)"

    init(_ login: KerberosLogin) { self.login = login }

    var description: String { login.description }
    var customMirror: Mirror { Mirror(self, children: ["login": description]) }

    /// Begins a login at a service.
    ///
    /// - Parameters:
    ///   - bindings: the data that bind the login to a TLS connection; nil: none
    ///   - limit: the time limit, waiting for other calls included
    /// - Returns: the context and its first token
    /// - Throws: `KerberosError`; `CancellationError` if the task is cancelled
    func begin(
        at host: String, bindings: [UInt8]?, within limit: Duration, clock: any Clock<Duration> & Sendable
    ) async throws -> (context: GSSContext, token: [UInt8]) {
        try await run(within: limit, clock: clock) { [self] () throws(KerberosError) in
            do throws(KerberosError) {
                return try start(host, bindings)
            } catch {
                // The tickets in memory may have been replaced, or have ended early.
                guard kept.withLock({ $0.take() }) != nil, error.code != .unknownService else { throw error }
                return try start(host, bindings)
            }
        }
    }

    /// Makes the next token of a context; empty if the service needs none.
    func next(
        _ token: [UInt8], of context: GSSContext, within limit: Duration, clock: any Clock<Duration> & Sendable
    ) async throws -> [UInt8] {
        try await run(within: limit, clock: clock) { () throws(KerberosError) in try context.next(token) }
    }

    private func start(
        _ host: String, _ bindings: [UInt8]?
    ) throws(KerberosError) -> (context: GSSContext, token: [UInt8]) {
        let context = GSSContext(try credential(), login, host: host, bindings: bindings)
        return (context, try context.next())
    }

    private func credential() throws(KerberosError) -> GSSCredential {
        // Another program may change a cache at any time, and opening it costs little.
        if case .cache = login.source { return try GSSCredential(login, memory: memory) }
        if let kept = kept.withLock({ $0 }), kept.until > .now { return kept.credential }
        let credential = try GSSCredential(login, memory: memory)
        let lifetime = (credential.lifetime ?? .seconds(3600)) - .seconds(60)
        kept.withLock { $0 = (credential, .now + lifetime) }
        return credential
    }

    private func run<Value: Sendable>(
        within limit: Duration, clock: any Clock<Duration> & Sendable,
        _ body: @escaping @Sendable () throws(KerberosError) -> Value
    ) async throws -> Value {
        let (results, continuation) = AsyncStream<Result<Value, KerberosError>>.makeStream()
        let isWanted = Flag()
        continuation.onTermination = { _ in isWanted.clear() }
        queue.async {
            // A caller that has given up leaves no work behind the one that blocks.
            if isWanted.isSet { continuation.yield(Result { () throws(KerberosError) in try body() }) }
            continuation.finish()
        }
        let timer = Task {
            try? await clock.sleep(for: limit)
            continuation.finish()
        }
        defer { timer.cancel() }
        let result = await results.first { _ in true }
        // The library may have answered a caller that had given up.
        try Task.checkCancellation()
        guard let result else {
            throw KerberosError(
                .timedOut,
                "Kerberos did not answer within \(limit): can the realm's key distribution center be reached (krb5.conf)?"
            )
        }
        return try result.get()
    }
}

/// Whether somebody waits for a result.
private final class Flag: Sendable {
    private let value = Atomic<Bool>(true)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func clear() { value.store(false, ordering: .releasing) }
}
