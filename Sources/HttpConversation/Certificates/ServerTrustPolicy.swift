import Synchronization

/// Decides about servers in the TLS handshake: what a transport gets of a conversation whose filters handle
/// ``AuthenticationMethod/serverTrust``.
///
/// The platform's verifier judges first: chain, name, validity and purpose, by the transport's roots and the
/// ``ServerTrustTerms/authorities`` of this origin. Then the transport asks the policy, which can refuse a good certificate,
/// or accept the key of a bad one for this origin. Two exchanges may share a connection only where they have the same
/// policy and terms, or none (security rules S3, S4 and S27).
public final class ServerTrustPolicy: Sendable {
    private let declared: @Sendable (Origin) -> ServerTrustTerms
    private let decide: @Sendable (ServerTrust, Origin) async throws -> Void
    private let accepted = Mutex<[Origin: Set<[UInt8]>]>([:])

    /// A policy.
    ///
    /// - Parameters:
    ///   - terms: what is known beforehand about the certificate of a server; asked before each exchange with it
    ///   - decide: throws where no connection is to be made
    public init(
        terms: @escaping @Sendable (Origin) -> ServerTrustTerms = { _ in ServerTrustTerms() },
        _ decide: @escaping @Sendable (ServerTrust, Origin) async throws -> Void
    ) {
        declared = terms
        self.decide = decide
    }

    /// What applies to the certificate of a server: what was declared, and the keys that were accepted since.
    public func terms(for origin: Origin) -> ServerTrustTerms {
        var terms = declared(origin)
        if let keys = accepted.withLock({ $0[origin] }) { terms.acceptedKeys.formUnion(keys) }
        return terms
    }

    /// Returns where the server is trusted. Where something was wrong with its certificate, its key is an accepted one of
    /// this origin from then on.
    ///
    /// - Throws: ``ConversationError/Code/certificateNotTrusted``, or what the policy says
    public func check(_ trust: ServerTrust, of origin: Origin) async throws(ConversationError) {
        do { try await decide(trust, origin) } catch {
            throw .wrapping(error, as: .certificateNotTrusted, "The certificate of \(origin) could not be judged.")
        }
        if !trust.problems.isEmpty { accept(trust, of: origin) }
    }

    /// Accepts the server's key for this origin.
    func accept(_ trust: ServerTrust, of origin: Origin) {
        guard let key = trust.summary?.publicKeyFingerprint, !key.isEmpty else { return }
        _ = accepted.withLock { $0[origin, default: []].insert(key) }
    }
}

extension ServerTrustPolicy: Hashable {
    /// A policy is equal to itself alone.
    public static func == (one: ServerTrustPolicy, other: ServerTrustPolicy) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
