import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/digest/VARIANT/…`: Digest in all its forms.
struct DigestEndpoints: Service {
    let nonces: NonceStore

    func reset() { nonces.expireAll() }

    /// The maximum bytes of a body for auth-int.
    private static let bodyLimit = 16 << 20

    func register(in table: inout EndpointTable) {
        table.add("digest") { exchange in
            let variant = exchange.segments.count > 1 ? exchange.segments[1] : "md5"
            guard let realm = Self.realm(for: variant) else {
                return .text("there is no such variant of Digest\n", status: .notFound)
            }
            return try await Self.respond(exchange, realm: realm, variant: variant)
        }
    }

    private static func respond(
        _ exchange: ServerExchange, realm: DigestRealm, variant: String
    ) async throws -> Response {
        let offersBasic = variant == "all" || variant == "all-in-one"
        if offersBasic, exchange.field("Authorization")?.lowercased().hasPrefix("basic ") == true {
            let basic = BasicRealm(realm: realm.realm, announcesUTF8: true)
            if let user = basic.authenticate(exchange) {
                return try .json(success(exchange, user, realm, "Basic"))
            }
        } else {
            let needsBody = realm.qop.contains("auth-int") && exchange.field("Authorization") != nil
            let body = needsBody ? try await collect(exchange) : []
            let digest = DigestCheck(realm: realm)
            switch digest.check(exchange, body: body) {
            case .passed(let user, let answer):
                let value = success(exchange, user, realm, "Digest \(realm.name(of: answer.algorithm))")
                let info = digest.information(
                    answer, user, body: try JSONBody.bytes(value), shared: exchange.shared)
                let response = try Response.json(value)
                return info.isEmpty ? response : response.adding(.authenticationInfo, info)
            case .refused(let stale):
                return refusal(exchange, realm, stale: stale, variant: variant)
            }
        }
        return refusal(exchange, realm, stale: false, variant: variant)
    }

    private static func refusal(
        _ exchange: ServerExchange, _ realm: DigestRealm, stale: Bool, variant: String
    ) -> Response {
        let response = Response.text("Name and password, please.\n", status: .unauthorized)
        var challenges = realm.challenges(shared: exchange.shared, stale: stale)
        if variant == "all" || variant == "all-in-one" {
            challenges.append(BasicRealm(realm: realm.realm, announcesUTF8: true).challenge)
        }
        if variant == "all-in-one" { challenges = [challenges.joined(separator: ", ")] }
        return challenges.reduce(response) { $0.adding(.wwwAuthenticate, $1) }
    }

    private static func success(
        _ exchange: ServerExchange, _ user: LandscapeUser, _ realm: DigestRealm, _ scheme: String
    ) -> AuthenticatedAnswer {
        AuthenticatedAnswer(
            user: user.name, realm: realm.realm, scheme: scheme, method: exchange.method, path: exchange.path)
    }

    private static func collect(_ exchange: ServerExchange) async throws -> [UInt8] {
        let buffer = try await exchange.body().collect(upTo: bodyLimit)
        return Array(buffer.readableBytesView)
    }

    /// The realm of a variant's name.
    static func realm(for variant: String) -> DigestRealm? {
        let name = "digest-\(variant)"
        return switch variant {
        case "md5": DigestRealm(realm: name, algorithms: [.md5])
        case "sha256": DigestRealm(realm: name, algorithms: [.sha256])
        case "sha512-256": DigestRealm(realm: name, algorithms: [.sha512t256])
        case "md5-sess": DigestRealm(realm: name, algorithms: [.md5], isSession: true)
        case "sha256-sess": DigestRealm(realm: name, algorithms: [.sha256], isSession: true)
        case "sha512-256-sess": DigestRealm(realm: name, algorithms: [.sha512t256], isSession: true)
        case "auth-int": DigestRealm(realm: name, algorithms: [.sha256], qop: ["auth-int"])
        case "auth-both": DigestRealm(realm: name, algorithms: [.md5], qop: ["auth", "auth-int"])
        case "legacy": DigestRealm(realm: name, algorithms: [.md5], qop: [], namesAlgorithm: false)
        case "all", "all-in-one": DigestRealm(realm: name, algorithms: [.sha512t256, .sha256, .md5])
        case "stale": DigestRealm(realm: name, algorithms: [.md5], isAlwaysStale: true)
        case "domain":
            DigestRealm(
                realm: name, algorithms: [.sha256], domain: "/digest/domain /digest-elsewhere http://other.invalid/")
        case "once": DigestRealm(realm: name, algorithms: [.sha256], nonceUses: 1)
        case "nextnonce": DigestRealm(realm: name, algorithms: [.sha256], nonceUses: 1, announcesNext: true)
        default: nil
        }
    }

    let contents = [
        ContentsEntry("/digest/{md5|sha256|sha512-256}[-sess]/…", "Digest with qop=auth"),
        ContentsEntry("/digest/auth-int/…, /digest/auth-both/…", "Digest over the body (SHA-256; MD5)"),
        ContentsEntry("/digest/legacy/…", "Digest of RFC 2069, without qop"),
        ContentsEntry("/digest/all/…, /digest/all-in-one/…", "all algorithms and Basic, in several fields or one"),
        ContentsEntry("/digest/stale/…", "calls every right answer stale"),
        ContentsEntry(
            "/digest/once/…, /digest/nextnonce/…", "a nonce is good for one request; the latter names the next"),
        ContentsEntry("/digest/domain/…", "names other URIs of its protection space"),
    ]
}
