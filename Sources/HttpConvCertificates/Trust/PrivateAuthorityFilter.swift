import Foundation
public import HttpConversation
import X509

/// Trusts authorities of one's own for some servers, beside those that the transport trusts.
///
/// Name and time of validity have to be right all the same.
public struct PrivateAuthorityFilter: ChallengeFilter {
    public let handles: Set<AuthenticationMethod> = [.serverTrust]
    public var requiredCapabilities: TransportCapabilities { .serverTrust }

    private let roots: CertificateStore
    private let origins: [Origin]

    /// A filter for the authorities in a PEM file.
    ///
    /// - Parameters:
    ///   - pem: their certificates
    ///   - origins: the servers that they may vouch for
    /// - Throws: ``/HttpConversation/ConversationError/Code/trustRootsUnusable`` where there is no certificate in it
    public init(pem: [UInt8], for origins: [Origin]) throws(ConversationError) {
        let certificates = PEMText.blocks(pem).filter { $0.label == "CERTIFICATE" }
            .compactMap { try? Certificate(derEncoded: $0.bytes) }
        guard !certificates.isEmpty else {
            throw ConversationError(.trustRootsUnusable, "There is no certificate of an authority in the given PEM.")
        }
        roots = CertificateStore(certificates)
        self.origins = origins
    }

    public func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer {
        guard let trust = challenge.serverTrust, origins.contains(challenge.target.origin),
            trust.problems == [.unknownIssuer], await leads(trust)
        else { return .notHandled }
        return .trust
    }

    private func leads(_ trust: ServerTrust) async -> Bool {
        let chain = trust.certificates.compactMap { try? Certificate(derEncoded: $0) }
        guard let leaf = chain.first, chain.count == trust.certificates.count else { return false }
        return await CertificateChain.leads(leaf, chain, to: roots, at: Date())
    }
}
