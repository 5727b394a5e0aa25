import Crypto
import HummingbirdCore
import NIOSSL
import X509

/// `/certificate`: the subject of the client's certificate.
struct CertificateEndpoint: EndpointGroup {
    func register(in table: inout EndpointTable) {
        table.add("certificate") { exchange in
            guard let certificate = try await exchange.connection.clientCertificate() else {
                return .text("nobody\n")
            }
            return .text("\(certificate.subject)\n")
        }
    }

    let entries = [
        ContentsEntry("/certificate", "the subject of the client's certificate, or nobody (mutual, mutualOptional)")
    ]
}

extension Connection {
    /// The client's certificate.
    func clientCertificate() async throws -> Certificate? {
        guard origin.scheme == "https" else { return nil }
        guard let certificate = try await channel.nioSSL_peerCertificate().get() else { return nil }
        return try Certificate(derEncoded: certificate.toDERBytes())
    }

    /// The thumbprint of the client's certificate in tokens (RFC 8705, 3.1).
    func clientCertificateThumbprint() async throws -> String? {
        guard origin.scheme == "https" else { return nil }
        guard let certificate = try await channel.nioSSL_peerCertificate().get() else { return nil }
        return Base64URL.string(SHA256.hash(data: try certificate.toDERBytes()))
    }
}
