/// Decides about servers in the TLS handshake: what a transport gets of a conversation whose filters handle
/// ``AuthenticationMethod/serverTrust``.
///
/// The transport verifies first, chain and name, by its own roots, and then asks, whatever it has found. Two exchanges may
/// share a connection only where they have the same policy, or none (security rules S3 and S4).
public final class ServerTrustPolicy: Sendable {
    private let decide: @Sendable (ServerTrust, Origin) async throws -> Void

    /// A policy.
    ///
    /// - Parameter decide: throws where no connection is to be made
    public init(_ decide: @escaping @Sendable (ServerTrust, Origin) async throws -> Void) { self.decide = decide }

    /// Returns where the server is trusted.
    ///
    /// - Throws: ``ConversationError/Code/certificateNotTrusted``, or what the policy says
    public func check(_ trust: ServerTrust, of origin: Origin) async throws(ConversationError) {
        do { try await decide(trust, origin) } catch {
            throw .wrapping(error, as: .certificateNotTrusted, "The certificate of \(origin) could not be judged.")
        }
    }
}

extension ServerTrustPolicy: Hashable {
    /// A policy is equal to itself alone.
    public static func == (one: ServerTrustPolicy, other: ServerTrustPolicy) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
