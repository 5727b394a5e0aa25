import HTTPTypes
import HummingbirdCore
import NIOCore
import SwiftASN1
import X509

/// Certificates for devices. A client sends a request (PKCS#10) and gets certificates of the landscape's authority,
/// which the origin ``LandscapeOrigin/mutual`` accepts. The endpoints are on origins with TLS only.
///
/// - `/enrol/challenge`: for clients with a challenge password, see ``Landscape/makeEnrolmentChallenge(for:)``
/// - `/enrol/basic`: for users, for their own name
/// - `/enrol/renew`: for clients with a certificate, for its name (``LandscapeOrigin/mutual``)
///
/// The request must be signed with its own key.
extension EnrolmentServer {
    func register(in table: inout EndpointTable) {
        table.add("enrol") { [self] exchange in
            await exchange.wait(at: Self.gate)
            if exchange.connection.isGone { throw ChannelError.inputClosed }
            return try await respond(exchange)
        }
    }

    private func respond(_ exchange: ServerExchange) async throws -> Response {
        guard exchange.origin.scheme == "https" else { return .text("by TLS, please\n", status: .notFound) }
        guard exchange.method == "POST" else { return .text("POST, please\n", status: .methodNotAllowed) }
        let body = try await exchange.body().collect(upTo: 65_536)
        let way = exchange.segments.count == 2 ? exchange.segments[1] : ""
        if way == "basic", Self.realm.authenticate(exchange) == nil { return Self.realm.refusal(to: exchange) }
        guard exchange.field("Content-Type") == "application/pkcs10",
            let request = try? CertificateSigningRequest(derEncoded: Array(body.readableBytesView)),
            request.publicKey.isValidSignature(request.signature, for: request)
        else {
            counters.count(\.malformed)
            return .text("that is no request for a certificate\n", status: .badRequest)
        }
        guard try await isAllowed(request, by: way, exchange) else {
            counters.count(\.refused)
            return .text("not that certificate\n", status: .forbidden)
        }
        counters.count(\.issued)
        if way == "renew" { counters.count(\.renewed) }
        let authority = exchange.shared.certificates.enrolment
        return try CertificateIssuing(authority: authority, request: request, lifetime: lifetime)
            .answer(fault, exchange)
    }

    private static let realm = BasicRealm(realm: "enrolment")

    private func isAllowed(
        _ request: CertificateSigningRequest, by way: String, _ exchange: ServerExchange
    ) async throws -> Bool {
        let name = Self.commonName(request.subject)
        switch way {
        case "challenge":
            guard let challenge = Self.challenge(of: request) else { return false }
            return name != nil && redeem(challenge) == name
        case "basic": return name != nil && Self.realm.authenticate(exchange)?.name == name
        case "renew":
            guard exchange.origin == .mutual else { return false }
            return try await exchange.connection.clientCertificate()?.subject == request.subject
        default: return false
        }
    }

    private static func commonName(_ name: DistinguishedName) -> String? {
        name.lazy.flatMap { $0 }.first { $0.type == .RDNAttributeType.commonName }.map { "\($0.value)" }
    }

    private static func challenge(of request: CertificateSigningRequest) -> String? {
        let attribute = request.attributes.first { $0.oid == [1, 2, 840, 113_549, 1, 9, 7] }
        guard let value = attribute?.values.first else { return nil }
        if let text = try? ASN1PrintableString(asn1Any: value) { return String(text) }
        return (try? ASN1UTF8String(asn1Any: value)).map { String($0) }
    }

    var contents: [ContentsEntry] {
        [
            ContentsEntry("/enrol/challenge, /enrol/basic", "POST of PKCS#10 makes a certificate (origins with TLS)"),
            ContentsEntry("/enrol/renew", "the same for a client that shows one of the same name (mutual)"),
        ]
    }
}
