public import HttpConversation
import X509

/// Trusts authorities of one's own for some servers, beside those that the transport trusts.
///
/// The authorities are roots for these servers and nobody else. The platform's verifier judges the whole chain by them: name,
/// time of validity and purposes have to be right all the same. A root is a certificate that is signed by itself.
public struct PrivateAuthorityFilter: ChallengeFilter {
    public let handles: Set<AuthenticationMethod> = [.serverTrust]
    public var requiredCapabilities: TransportCapabilities { .serverTrust }

    /// Empty: it only accepts more servers.
    public var connectionPolicy: ConnectionPolicy { ConnectionPolicy() }

    private let authorities: [[UInt8]]
    private let origins: [Origin]

    /// A filter for the authorities in a PEM file.
    ///
    /// - Parameters:
    ///   - pem: their certificates
    ///   - origins: the servers that they may vouch for
    /// - Throws: ``/HttpConversation/ConversationError/Code/trustRootsUnusable`` where there is no certificate in it
    public init(pem: [UInt8], for origins: [Origin]) throws(ConversationError) {
        authorities = PEMText.blocks(pem).filter { $0.label == "CERTIFICATE" }.map(\.bytes)
            .filter { (try? Certificate(derEncoded: $0)) != nil }
        guard !authorities.isEmpty else {
            throw ConversationError(.trustRootsUnusable, "There is no certificate of an authority in the given PEM.")
        }
        self.origins = origins
    }

    public func serverTrustTerms(for origin: Origin) -> ServerTrustTerms {
        var terms = ServerTrustTerms()
        if origins.contains(origin) { terms.authorities = authorities }
        return terms
    }

    public func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer { .notHandled }
}
