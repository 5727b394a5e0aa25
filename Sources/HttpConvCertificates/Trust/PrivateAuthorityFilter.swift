public import HttpConversation
import X509

/// Trusts private authorities for some servers, in addition to those that the transport trusts.
///
/// The authorities are roots for these servers only. The platform's verifier still judges the whole chain: name, time
/// of validity and purposes have to be right. A root is a certificate that is signed by itself.
///
/// Over URL loading on Apple's systems, App Transport Security judges before this filter. Without an exception for the
/// host in the application's `Info.plist` (`NSAppTransportSecurity`), the filter has no effect.
public struct PrivateAuthorityFilter: ChallengeFilter {
    public let handles: Set<AuthenticationMethod> = [.serverTrust]
    public var requiredCapabilities: TransportCapabilities { .serverTrust }

    /// An empty policy: this filter only accepts more servers.
    public var connectionPolicy: ConnectionPolicy { ConnectionPolicy() }

    private let authorities: [[UInt8]]
    private let origins: [Origin]

    /// Creates a filter for the authorities in a PEM file.
    ///
    /// - Parameters:
    ///   - pem: the authorities' certificates
    ///   - origins: the servers that they may issue certificates for
    /// - Throws: ``/HttpConversation/ConversationError/Code/trustRootsUnusable`` if the file has no certificate
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
