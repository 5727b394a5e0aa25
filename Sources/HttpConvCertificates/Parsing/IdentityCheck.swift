import HttpConvPlatform
import HttpConversation
import NIOSSL
import X509

/// Combines certificates and a key, and checks that they can be used.
struct IdentityCheck {
    /// The certificates in DER, in any order.
    let certificates: [[UInt8]]
    /// The key in DER.
    let key: [UInt8]
    /// The time at which the certificate has to be valid.
    let now: Date

    /// Each certificate is tried with the key, which takes a while.
    private static let maximumCertificates = 50

    /// The identity: the key's certificate first, then the others in their order. If the key has several, such as those
    /// before and after a renewal, the first valid one is used.
    func identity() throws(CertificateError) -> ClientIdentity {
        let key = try Self.loaded(self.key)
        guard !certificates.isEmpty else { throw CertificateError(.unreadable, "There is a key, but no certificate.") }
        guard certificates.count <= Self.maximumCertificates,
            certificates.allSatisfy({ $0.count <= BERReader.maximumBytes })
        else {
            throw CertificateError(
                .unreadable, "There are more or longer certificates in it than one client has: \(certificates.count).")
        }
        let own = certificates.filter { fits($0, key) }
        guard let first = own.first else { throw mismatch() }
        let leaf = own.first { ((try? Self.valid($0, at: now)) as CertificateSummary?) != nil } ?? first
        let summary = try Self.valid(leaf, at: now)
        let others = certificates.filter { !own.contains($0) }
        return ClientIdentity(certificates: [leaf] + others, privateKey: .der(self.key), summary: summary)
    }

    /// The summary of a certificate that is valid.
    static func valid(_ certificate: [UInt8], at now: Date) throws(CertificateError) -> CertificateSummary {
        let summary = try CertificateSummary(der: certificate)
        guard summary.notBefore <= now else {
            throw CertificateError(
                .notYetValid, "The certificate (\(summary)) is not valid before \(Self.text(summary.notBefore)).")
        }
        guard now <= summary.notAfter else {
            throw CertificateError(
                .expired,
                "The certificate (\(summary)) was valid until \(Self.text(summary.notAfter)): have it renewed."
            )
        }
        return summary
    }

    /// A key in DER, as far as it is of a kind that is supported.
    static func loaded(_ key: [UInt8]) throws(CertificateError) -> NIOSSLPrivateKey {
        // NIOSSL ends the process on an empty key.
        guard !key.isEmpty, (try? BERReader(sequence: key)) != nil else {
            throw CertificateError(.unreadable, "The private key is damaged.")
        }
        do { return try NIOSSLPrivateKey(bytes: key, format: .der) } catch {
            throw CertificateError(.unsupportedKey, "The private key is of a kind that is not supported, or damaged.")
        }
    }

    /// Whether the key belongs to the certificate: BoringSSL compares them when it makes a context.
    private func fits(_ certificate: [UInt8], _ key: NIOSSLPrivateKey) -> Bool {
        guard !certificate.isEmpty, let certificate = try? NIOSSLCertificate(bytes: certificate, format: .der) else {
            return false
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        configuration.certificateChain = [.certificate(certificate)]
        configuration.privateKey = .privateKey(key)
        return (try? NIOSSLContext(configuration: configuration)) != nil
    }

    private func mismatch() -> CertificateError {
        for certificate in certificates {
            if (try? Certificate(derEncoded: certificate)) == nil { return CertificateSummary.unreadable }
        }
        return CertificateError(
            .keyMismatch, "The private key belongs to none of the \(certificates.count) certificates.")
    }

    private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
