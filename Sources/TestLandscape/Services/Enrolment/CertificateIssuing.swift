import Crypto
import HTTPTypes
import HummingbirdCore
import NIOCore
import X509

/// Makes the requested certificate, or a wrong one.
struct CertificateIssuing {
    let authority: EnrolmentAuthority
    let request: CertificateSigningRequest
    let lifetime: Int

    func answer(_ fault: EnrolmentFault?, _ exchange: ServerExchange) throws -> Response {
        if let fault, let response = try odd(fault, exchange) { return response }
        var wish = EnrolmentAuthority.Wish(
            key: request.publicKey, subject: request.subject, end: Double(lifetime))
        switch fault {
        case .otherKey: wish.key = .init(P256.Signing.PrivateKey().publicKey)
        case .otherSubject: wish.subject = try DistinguishedName { CommonName("mallory") }
        case .expired: (wish.start, wish.end) = (-2 * 86_400, -86_400)
        case .notYetValid: (wish.start, wish.end) = (86_400, 2 * 86_400)
        case .shortLived: wish.end = 30
        case .authority: wish.isAuthority = true
        case .serverPurpose: wish.usage = .serverAuth
        case .forged: wish.isForged = true
        default: break
        }
        let stranger = try CertificateAuthority()
        let leaf = try fault == .wrongAuthority ? stranger.enrolment.issue(wish) : authority.issue(wish)
        let pem = try leaf.serializeAsPEM().pemString + "\n"
        switch fault {
        case .wrongAuthority: return Self.pem(pem + stranger.pem + "\n")
        case .wrongOrder: return Self.pem(authority.pem + "\n" + pem)
        case .stranger: return Self.pem(pem + stranger.pem + "\n")
        case .many: return Self.pem(String(repeating: pem, count: 20))
        case .withKey: return Self.pem(pem + P256.Signing.PrivateKey().pemRepresentation + "\n")
        case .der: return Self.pem(String(decoding: try leaf.serializeAsPEM().derBytes, as: Unicode.ASCII.self))
        case .cut: return Self.pem(String(pem.prefix(pem.count / 2)))
        default: return Self.pem(pem + authority.pem + "\n")
        }
    }

    /// The answer for a fault outside of certificates.
    private func odd(_ fault: EnrolmentFault, _ exchange: ServerExchange) throws -> Response? {
        switch fault {
        case .garbage: return Self.pem(Self.nonsense)
        case .empty: return Self.pem("")
        case .huge: return Self.pem(String(repeating: Self.nonsense, count: (1 << 20) / Self.nonsense.utf8.count))
        case .endless: return Self.pem(exchange.endless(Self.nonsense))
        case .slow:
            return Self.stream { writer in
                for byte in String(repeating: Self.nonsense, count: 10) {
                    try await writer.write(Self.bytes(String(byte)))
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        case .page: return CaptivePortal.page.response(exchange)
        case .portal: return CaptivePortal.required.response(exchange)
        case .redirect: return CaptivePortal.redirect.response(exchange)
        case .repeatElsewhere:
            let target = exchange.shared.addresses.base(of: .secureOther) + exchange.path
            return Response(status: .temporaryRedirect, headers: [.location: target])
        case .unavailable: return .text("later\n", status: .serviceUnavailable)
        default: return nil
        }
    }

    private static let nonsense =
        "-----BEGIN CERTIFICATE-----\n" + String(repeating: "bm8gY2VydGlmaWNhdGU=\n", count: 50)
        + "-----END CERTIFICATE-----\n"

    private static func bytes(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    private static func pem(_ text: String) -> Response { pem(ResponseBody(byteBuffer: bytes(text))) }

    private static func pem(_ body: ResponseBody) -> Response {
        Response(status: .ok, headers: [.contentType: "application/pem-certificate-chain"], body: body)
    }

    private static func stream(_ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void)
        -> Response
    {
        let body = ResponseBody { writer in
            var inner: any ResponseBodyWriter = writer
            try await write(&inner)
            try await inner.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/pem-certificate-chain"], body: body)
    }
}
