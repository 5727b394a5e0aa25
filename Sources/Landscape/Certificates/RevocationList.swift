import Synchronization
import X509

/// The revoked certificates, by their serial numbers (RFC 5280, 5).
final class RevocationList: Sendable {
    private let serials = Mutex<Set<Certificate.SerialNumber>>([])

    func add(_ certificate: LandscapeClientCertificate) throws {
        let certificate = try Certificate(pemEncoded: certificate.certificatePEM)
        serials.withLock { _ = $0.insert(certificate.serialNumber) }
    }

    func contains(_ certificate: Certificate) -> Bool {
        serials.withLock { $0.contains(certificate.serialNumber) }
    }
}
