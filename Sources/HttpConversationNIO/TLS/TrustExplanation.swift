import HttpConvCertificates
import HttpConvPlatform
import HttpConversation
import NIOSSL
import X509

/// Explains why BoringSSL refused a server's certificates, which NIOSSL does not say. It decides nothing.
struct TrustExplanation: Sendable {
    /// The authorities that the transport trusts; nil if the system does not show them.
    let roots: [Certificate]?

    /// The problems of a refused chain. The work is bounded, whatever the server sent (``ChainSearch``). Blocks.
    ///
    /// - Parameters:
    ///   - authorities: additional authorities of this origin, in DER
    ///   - deadline: when the search for an authority gives up
    func explain(
        _ certificates: [NIOSSLCertificate], of origin: Origin, authorities: [[UInt8]],
        until deadline: ContinuousClock.Instant
    ) -> ServerTrust {
        let encoded = certificates.prefix(1 + ChainSearch.maximumCertificates).compactMap { try? $0.toDERBytes() }
        let summary = encoded.first.flatMap { try? CertificateSummary(der: $0) }
        guard let der = encoded.first, let leaf = try? Certificate(derEncoded: der), summary != nil else {
            return ServerTrust(certificates: encoded, summary: summary, problems: [.invalid])
        }
        var problems: Set<ServerTrust.Problem> = []
        let now = Date()
        if now > leaf.notValidAfter { problems.insert(.expired) }
        if now < leaf.notValidBefore { problems.insert(.notYetValid) }
        if !Self.isNamed(origin, by: leaf) { problems.insert(.wrongName) }
        if !Self.isForServers(leaf) { problems.insert(.invalid) }
        let others = encoded.dropFirst().compactMap { try? Certificate(derEncoded: $0) }
        let trusted = (roots ?? []) + authorities.compactMap { try? Certificate(derEncoded: $0) }
        // BoringSSL needs a root, which is signed by itself. It uses other trusted certificates to find one.
        let nonRoots = trusted.filter { $0.issuer != $0.subject }
        var search = ChainSearch(to: trusted.filter { $0.issuer == $0.subject }, until: deadline)
        let leadsToRoot = search.path(from: leaf, among: others + nonRoots) != nil
        if !leadsToRoot { problems.insert(.unknownIssuer) }
        // BoringSSL refused it for a reason that only it knows.
        if problems.isEmpty { problems.insert(.invalid) }
        var trust = ServerTrust(certificates: encoded, summary: summary, problems: problems)
        if !leadsToRoot { trust.trustedNonRoot = Self.nonRoot(nonRoots, of: leaf, others, deadline) }
        return trust
    }

    /// The trusted certificate that is not a root, and to which a chain leads.
    private static func nonRoot(
        _ nonRoots: [Certificate], of leaf: Certificate, _ others: [Certificate], _ deadline: ContinuousClock.Instant
    ) -> ServerTrust.NonRoot? {
        if nonRoots.contains(leaf) { return .own }
        var search = ChainSearch(to: nonRoots, until: deadline)
        return search.path(from: leaf, among: others)?.last.map { .intermediate("\($0.subject)") }
    }

    private static func isNamed(_ origin: Origin, by leaf: Certificate) -> Bool {
        guard let names = try? leaf.extensions.subjectAlternativeNames else { return false }
        let address = origin.addressBytes
        return names.contains { name in
            switch name {
            case .dnsName(let name): address == nil && ServerIdentity.matches(origin.host, pattern: Array(name.utf8))
            case .ipAddress(let bytes): address.map { bytes.bytes.elementsEqual($0) } ?? false
            default: false
            }
        }
    }

    private static func isForServers(_ leaf: Certificate) -> Bool {
        guard let usages = try? leaf.extensions.extendedKeyUsage else { return true }
        return usages.contains(.serverAuth) || usages.contains(.any)
    }
}
