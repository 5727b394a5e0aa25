import HttpConvConcurrency
import Synchronization

/// A conversation's answer to servers that ask for a client certificate in the TLS handshake, as a transport gets it.
///
/// Two exchanges may share a connection only if they have the same source, or none (security rule S3): a certificate on
/// a connection was shown for its source only.
public final class ClientIdentitySource: Sendable {
    private struct State {
        var answer: ClientIdentity??
        var waiters = 0
        var since = ContinuousClock.now
        var waited = Duration.zero
    }

    private let state = Mutex(State())
    private let flight = SingleFlight<Int, ClientIdentity?>()
    private let answer: @Sendable () async throws -> ClientIdentity?

    /// Creates a source.
    ///
    /// - Parameter answer: called once, when the first server asks; nil: there is no certificate
    public init(_ answer: @escaping @Sendable () async throws -> ClientIdentity?) { self.answer = answer }

    /// The certificate for a server that asks; nil: the server is told that there is none.
    ///
    /// Simultaneous handshakes share one question, and its answer is kept. The question is cancelled when its last
    /// waiter is.
    public func identity() async throws(ConversationError) -> ClientIdentity? {
        if let known = state.withLock(\.answer) { return known }
        state.withLock { state in
            if state.waiters == 0 { state.since = .now }
            state.waiters += 1
        }
        defer {
            state.withLock { state in
                state.waiters -= 1
                if state.waiters == 0 { state.waited += .now - state.since }
            }
        }
        do {
            return try await flight.join(
                0,
                completed: { result in
                    if case .success(let identity) = result { self.state.withLock { $0.answer = .some(identity) } }
                }
            ) {
                // Between the check above and joining, the flight may have ended.
                if let known = self.state.withLock(\.answer) { return known }
                return try await self.answer()
            }
        } catch {
            throw .wrapping(error, as: .clientCertificateUnusable, "The provider of client certificates failed.")
        }
    }

    /// Whether a server has asked, and was answered.
    public var isAnswered: Bool { state.withLock { $0.answer != nil } }
    /// The certificate that servers get; nil if none has asked yet, or there is none.
    public var answeredIdentity: ClientIdentity? { state.withLock { $0.answer ?? nil } }

    /// The time that handshakes have waited for an answer so far; time limits of the network exclude it.
    public var waitingTime: Duration {
        state.withLock { $0.waited + ($0.waiters > 0 ? .now - $0.since : .zero) }
    }
}

extension ClientIdentitySource: Hashable {
    /// A source equals only itself.
    public static func == (one: ClientIdentitySource, other: ClientIdentitySource) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ClientIdentitySource: CustomStringConvertible, CustomReflectable {
    /// The type, without the identity.
    public var description: String { "client identity source" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
