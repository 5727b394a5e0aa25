import HttpConvConcurrency
package import HttpConvPlatform
package import HttpConversation
import SwiftASN1
import X509

extension CertificateRequest {
    /// More certificates than there are between a device and its authority.
    private static let maximumCertificates = 8
    /// A certificate with less time left would expire before it is stored.
    private static let shortestLife = Duration.seconds(60)

    /// The identity that the key and the answer make, after all checks of the answer.
    ///
    /// - Parameters:
    ///   - answer: certificates in PEM: the key's own first, each signed by the next
    ///   - authorities: the authorities that the last one has to lead to, in PEM; nil: any
    ///   - now: the current time
    /// - Throws: `CertificateError`
    package func identity(
        from answer: [UInt8], authorities: [UInt8]?, now: Date
    ) async throws(CertificateError) -> ClientIdentity {
        let ders = try Self.certificates(in: answer)
        let chain = try ders.map { der throws(CertificateError) in try Self.read(der) }
        // The array is never empty here.
        guard let leaf = chain.first, let der = ders.first else { throw Self.noCertificate }
        guard leaf.publicKey == publicKey else {
            throw CertificateError(.keyMismatch, "The certificate is for another key than the one that was made.")
        }
        guard Self.parts(leaf.subject) == Self.parts(subject) else {
            throw CertificateError(.wrongSubject, "The certificate has another subject than the request.")
        }
        try Self.checkUsage(of: leaf)
        try Self.checkTime(of: chain, now)
        try Self.checkOrder(of: chain)
        if let authorities { try await Self.check(chain, leadsTo: authorities, now) }
        return ClientIdentity(
            certificates: ders, privateKey: .der(privateKey), summary: CertificateSummary(leaf, der: der))
    }

    // MARK: Reading

    private static let noCertificate = CertificateError(.unreadable, "There is no certificate in PEM in it.")

    private static func certificates(in answer: [UInt8]) throws(CertificateError) -> [[UInt8]] {
        let blocks = try PEMText.identityBlocks(answer)
        guard !blocks.isEmpty else { throw noCertificate }
        guard blocks.count <= maximumCertificates else {
            throw CertificateError(.unreadable, "There are more certificates in it than \(maximumCertificates).")
        }
        guard blocks.allSatisfy({ $0.label == "CERTIFICATE" && !$0.bytes.isEmpty }) else {
            throw CertificateError(.unreadable, "There is something else than certificates in it, or a damaged one.")
        }
        return blocks.map(\.bytes)
    }

    private static func read(_ der: [UInt8]) throws(CertificateError) -> Certificate {
        do { return try Certificate(derEncoded: der) } catch {
            throw CertificateError(
                .unreadable, "A certificate in it cannot be read: it is damaged, or its key is of an unknown kind.")
        }
    }

    // MARK: Checking

    /// The parts of a name as text, for comparison: servers may write the same name with other ASN.1 string types.
    private static func parts(_ name: DistinguishedName) -> [[String]] {
        name.map { part in part.map { "\($0.type)=\($0.value)" } }
    }

    private static func checkUsage(of leaf: Certificate) throws(CertificateError) {
        let isUsable: Bool
        do {
            let vouches =
                if case .isCertificateAuthority? = try leaf.extensions.basicConstraints { true } else { false }
            let signs = try leaf.extensions.keyUsage?.digitalSignature ?? true
            let purposes = try leaf.extensions.extendedKeyUsage
            isUsable = !vouches && signs && (purposes?.contains { $0 == .clientAuth || $0 == .any } ?? true)
        } catch {
            throw CertificateError(.unreadable, "The key usage of the certificate cannot be read.")
        }
        guard isUsable else {
            throw CertificateError(
                .wrongUsage, "The certificate is not for clients that log in: its authority should know.")
        }
    }

    private static func checkTime(of chain: [Certificate], _ now: Date) throws(CertificateError) {
        for certificate in chain {
            guard certificate.notValidBefore <= now else {
                throw CertificateError(
                    .notYetValid,
                    "The certificate is not valid before \(certificate.notValidBefore.formatted(.iso8601)): is the clock right?"
                )
            }
            guard now + shortestLife <= certificate.notValidAfter else {
                throw CertificateError(
                    .expired, "The certificate is valid until \(certificate.notValidAfter.formatted(.iso8601)) only.")
            }
        }
    }

    /// Checks that each certificate is signed by the next one, and that the next one is an authority.
    private static func checkOrder(of chain: [Certificate]) throws(CertificateError) {
        for (certificate, issuer) in zip(chain, chain.dropFirst()) {
            guard certificate.issuer == issuer.subject,
                case .isCertificateAuthority? = try? issuer.extensions.basicConstraints,
                issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
            else {
                throw CertificateError(.wrongIssuer, "The certificates do not lead from each to the next.")
            }
        }
    }

    private static func check(
        _ chain: [Certificate], leadsTo authorities: [UInt8], _ now: Date
    ) async throws(CertificateError) {
        let roots = try certificates(in: authorities).map { der throws(CertificateError) in try read(der) }
        guard await IssuedChain.leads(chain, to: roots, at: now) else {
            throw CertificateError(.wrongIssuer, "The certificate does not lead to the authority that is trusted.")
        }
    }
}
