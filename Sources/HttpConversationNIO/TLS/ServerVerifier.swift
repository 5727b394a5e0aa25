import Foundation
import HttpConvCertificates
import HttpConversation
import NIOSSL
import X509

/// Verifies a server's certificates by ourselves, where filters are to have a say about them: NIOSSL's call-back replaces
/// all of its own checks (security rule S4).
struct ServerVerifier: Sendable {
    /// Nil: nothing is verified.
    let roots: CertificateStore?

    func verify(_ certificates: [NIOSSLCertificate], for origin: Origin, now: Date = Date()) async -> ServerTrust {
        let encoded = certificates.compactMap { try? $0.toDERBytes() }
        let chain = encoded.compactMap { try? Certificate(derEncoded: $0) }
        guard let der = encoded.first, let leaf = chain.first, chain.count == certificates.count,
            let summary = try? CertificateSummary(der: der)
        else { return ServerTrust(certificates: encoded, summary: nil, problems: roots == nil ? [] : [.invalid]) }
        guard let roots else { return ServerTrust(certificates: encoded, summary: summary, problems: []) }
        var problems: Set<ServerTrust.Problem> = []
        if now > leaf.notValidAfter { problems.insert(.expired) }
        if now < leaf.notValidBefore { problems.insert(.notYetValid) }
        if !Self.isNamed(origin, by: leaf) { problems.insert(.wrongName) }
        if !Self.isForServers(leaf) { problems.insert(.invalid) }
        // Whether the issuer is known is another question than whether the time is right.
        let time = min(max(now, leaf.notValidBefore), leaf.notValidAfter)
        if await !CertificateChain.leads(leaf, chain, to: roots, at: time) { problems.insert(.unknownIssuer) }
        return ServerTrust(certificates: encoded, summary: summary, problems: problems)
    }

    private static func isNamed(_ origin: Origin, by leaf: Certificate) -> Bool {
        guard let names = try? leaf.extensions.subjectAlternativeNames else { return false }
        let address = origin.isIPLiteral ? IPAddressBytes.parse(origin.host) : nil
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
