import Crypto
public import Foundation
import SwiftASN1
import Synchronization
import X509

/// The certificates of a landscape, made when it starts and valid relative to that moment.
public struct LandscapeCertificates: Sendable {
    /// The CA certificate as PEM text, which a client must trust.
    public var authorityPEM: String { authority.pem }

    private let authority: CertificateAuthority
    private let good: ServerIdentity
    private let expired: ServerIdentity
    private let wrongName: ServerIdentity
    private let revocations = RevocationList()
    /// The key of the client `signer`, which authenticates by assertions (RFC 7523), as PEM text, not encrypted.
    public let assertionKeyPEM: String
    let assertionPublicKeyPEM: String

    init(extraHostNames: [String]) throws(LandscapeError) {
        do {
            authority = try CertificateAuthority()
            let assertionKey = P256.Signing.PrivateKey()
            assertionKeyPEM = assertionKey.pemRepresentation + "\n"
            assertionPublicKeyPEM = assertionKey.publicKey.pemRepresentation
            let names = Self.loopbackNames + extraHostNames.map { .dnsName($0) }
            good = try authority.serverIdentity(names: names, commonName: "localhost")
            expired = try authority.serverIdentity(
                names: names, commonName: "localhost", validFrom: -2 * 86_400, to: -86_400)
            wrongName = try authority.serverIdentity(names: [.dnsName("wrong.invalid")], commonName: "wrong.invalid")
        } catch {
            throw LandscapeError(.certificate, "a certificate could not be made", cause: error)
        }
    }

    /// Writes the CA certificate as a PEM file.
    public func writeAuthority(to file: URL) throws {
        try Data(authorityPEM.utf8).write(to: file, options: .atomic)
    }

    /// A certificate for a client, with its key.
    public func client(
        _ name: String, validity: LandscapeClientCertificate.Validity = .now
    ) throws(LandscapeError) -> LandscapeClientCertificate {
        do {
            let (start, end): (TimeInterval, TimeInterval) =
                switch validity {
                case .now, .revoked: (-3600, 7 * 86_400)
                case .past: (-2 * 86_400, -86_400)
                case .future: (86_400, 2 * 86_400)
                }
            let identity = try authority.clientIdentity(commonName: name, validFrom: start, to: end)
            let certificate = LandscapeClientCertificate(
                name: name, certificatePEM: identity.certificatePEM + "\n", keyPEM: identity.keyPEM)
            if validity == .revoked { try revocations.add(certificate) }
            return certificate
        } catch {
            throw LandscapeError(.certificate, "a client's certificate could not be made", cause: error)
        }
    }

    /// Revokes a certificate: from now on the servers that ask for certificates do not accept it.
    public func revoke(_ certificate: LandscapeClientCertificate) throws(LandscapeError) {
        do { try revocations.add(certificate) } catch {
            throw LandscapeError(.certificate, "a client's certificate cannot be read", cause: error)
        }
    }

    var enrolment: EnrolmentAuthority { authority.enrolment }

    func isRevoked(_ certificate: Certificate) -> Bool { revocations.contains(certificate) }

    func identity(for origin: LandscapeOrigin) -> ServerIdentity? {
        switch origin {
        case .main, .other, .raw, .proxy: nil
        case .secure, .secureOther, .secureProxy, .multiplexed: good
        case .mutual: good.asking(.demanded, authority.pem)
        case .mutualOptional: good.asking(.wanted, authority.pem)
        case .expired: expired
        case .wrongName: wrongName
        }
    }

    private static let loopbackNames: [GeneralName] = [
        .dnsName("localhost"),
        .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
        .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
    ]
}

/// The revoked certificates, by their serial numbers (RFC 5280, 5).
private final class RevocationList: Sendable {
    private let serials = Mutex<Set<Certificate.SerialNumber>>([])

    func add(_ certificate: LandscapeClientCertificate) throws {
        let certificate = try Certificate(pemEncoded: certificate.certificatePEM)
        serials.withLock { _ = $0.insert(certificate.serialNumber) }
    }

    func contains(_ certificate: Certificate) -> Bool {
        serials.withLock { $0.contains(certificate.serialNumber) }
    }
}
