import Synchronization

/// Decides about servers in the TLS handshake. A transport gets it if the conversation's filters handle
/// ``AuthenticationMethod/serverTrust``.
///
/// The platform's verifier judges first: chain, name, validity and purpose, by the transport's roots and the
/// ``ServerTrustTerms/authorities`` for this origin. Then the transport asks the policy, which can refuse a verified
/// certificate, or accept the key of a refused one for this origin. Two exchanges may share a connection only if they
/// have the same policy and terms, or none (security rules S3, S4 and S27).
public final class ServerTrustPolicy: Sendable {
    private let declared: @Sendable (Origin) -> ServerTrustTerms
    private let decide: @Sendable (ServerTrust, Origin) async throws -> Void
    /// The keys of servers that were accepted, the oldest first.
    private let accepted = Mutex<[(origin: Origin, key: [UInt8])]>([])
    /// The maximum number of accepted keys of all servers. Above it, the oldest key is dropped, and its server is
    /// judged anew.
    static let maximumAcceptedKeys = 256

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - terms: the terms for a server's certificate; called before each exchange with it
    ///   - decide: throws if no connection may be made
    public init(
        terms: @escaping @Sendable (Origin) -> ServerTrustTerms = { _ in ServerTrustTerms() },
        _ decide: @escaping @Sendable (ServerTrust, Origin) async throws -> Void
    ) {
        declared = terms
        self.decide = decide
    }

    /// The terms for a server's certificate: the declared ones, and the keys accepted since.
    public func terms(for origin: Origin) -> ServerTrustTerms {
        var terms = declared(origin)
        accepted.withLock { accepted in
            for entry in accepted where entry.origin == origin { terms.acceptedKeys.insert(entry.key) }
        }
        return terms
    }

    /// Returns if the server is trusted. If its certificate has problems, its key is accepted for this origin from then
    /// on.
    ///
    /// - Throws: ``ConversationError/Code/certificateNotTrusted``, or the policy's error
    public func check(_ trust: ServerTrust, of origin: Origin) async throws(ConversationError) {
        do { try await decide(trust, origin) } catch {
            throw .wrapping(error, as: .certificateNotTrusted, "The certificate of \(origin) could not be judged.")
        }
        if !trust.problems.isEmpty { accept(trust, of: origin) }
    }

    /// Accepts the server's key for this origin.
    func accept(_ trust: ServerTrust, of origin: Origin) {
        guard let key = trust.summary?.publicKeyFingerprint, !key.isEmpty else { return }
        accepted.withLock { accepted in
            accepted.removeAll { $0 == (origin, key) }
            accepted.append((origin, key))
            if accepted.count > Self.maximumAcceptedKeys { accepted.removeFirst() }
        }
    }
}

extension ServerTrustPolicy: Hashable {
    /// A policy equals only itself.
    public static func == (one: ServerTrustPolicy, other: ServerTrustPolicy) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
