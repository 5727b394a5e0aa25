import Crypto
import Foundation

/// The `Authorization: Digest` of a request, checked against a realm.
struct DigestAnswer: Sendable {
    let parameters: AuthenticationParameters
    let realm: DigestRealm
    let algorithm: DigestAlgorithm
    let username: String
    let nonce: String
    let uri: String
    let qop: String?

    /// Reads the Digest answer of a request. Nil if there is none, or if it does not fit the realm's challenges.
    init?(_ exchange: ServerExchange, realm: DigestRealm) {
        guard let value = exchange.field("Authorization"), value.prefix(7).lowercased() == "digest ",
            let parameters = AuthenticationParameters(value.dropFirst(7)),
            let username = parameters["username"] ?? Self.extended(parameters["username*"]),
            let nonce = parameters["nonce"], let uri = parameters["uri"],
            let algorithm = realm.algorithm(named: parameters["algorithm"])
        else { return nil }
        let qop = parameters["qop"]?.lowercased()
        guard parameters["realm"] == realm.realm, parameters["opaque"] == "landscape",
            uri == exchange.incoming.target, realm.qop.isEmpty ? qop == nil : realm.qop.contains(qop ?? "")
        else { return nil }
        (self.parameters, self.realm, self.algorithm) = (parameters, realm, algorithm)
        (self.username, self.nonce, self.uri, self.qop) = (username, nonce, uri, qop)
    }

    /// The nonce count, eight hexadecimal digits.
    var count: UInt32? {
        guard let text = parameters["nc"], text.utf8.count == 8 else { return nil }
        return UInt32(text, radix: 16)
    }

    /// Whether the client knows the password. `bodyHash` is for auth-int.
    func proves(_ user: LandscapeUser, method: String, bodyHash: String) -> Bool {
        guard let response = parameters["response"] else { return false }
        if qop != nil, count == nil || parameters["cnonce"] == nil { return false }
        return UserDirectory.equal(digest(user, method: method, bodyHash: bodyHash), response.lowercased())
    }

    /// `rspauth` for `Authentication-Info`: computed like the response, without a method.
    func proofOfServer(_ user: LandscapeUser, bodyHash: String) -> String {
        digest(user, method: "", bodyHash: bodyHash)
    }

    private func digest(_ user: LandscapeUser, method: String, bodyHash: String) -> String {
        var first = algorithm.hex("\(user.name):\(realm.realm):\(user.password)")
        let cnonce = parameters["cnonce"] ?? ""
        if realm.isSession { first = algorithm.hex("\(first):\(nonce):\(cnonce)") }
        let second = algorithm.hex("\(method):\(uri)" + (qop == "auth-int" ? ":\(bodyHash)" : ""))
        guard let qop else { return algorithm.hex("\(first):\(nonce):\(second)") }
        return algorithm.hex("\(first):\(nonce):\(parameters["nc"] ?? ""):\(cnonce):\(qop):\(second)")
    }

    /// Decodes a value of RFC 8187: `UTF-8''J%C3%BCrgen`.
    private static func extended(_ value: String?) -> String? {
        guard let value, value.lowercased().hasPrefix("utf-8'"),
            let quote = value.lastIndex(of: "'")
        else { return nil }
        return PercentCoding.decodeText(value[value.index(after: quote)...])
    }
}
