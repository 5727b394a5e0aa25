import Crypto
import Foundation

/// A Digest client for the variants that curl cannot do. SHA-512/256 comes from the system's OpenSSL.
struct DigestClient {
    var user = "alice"
    var password = "wonderland"
    /// Parameters of the challenge.
    let challenge: [String: String]
    var method = "GET"
    let uri: String
    var body = ""
    var qop: String? = "auth"
    var nonce: String?
    var count = 1
    let cnonce = "0a4f113b"

    /// The parameters of the first challenge for `algorithm` (nil: any) in a response's head.
    static func challenge(in head: String, algorithm: String? = nil) -> [String: String]? {
        for line in head.split(whereSeparator: \.isNewline)
        where line.lowercased().hasPrefix("www-authenticate: digest ") {
            var parameters: [String: String] = [:]
            for match in line.matches(of: /([a-z]+)=(?:"([^"]*)"|([^,\s]+))/) {
                parameters[String(match.1)] = String(match.2 ?? match.3 ?? "")
            }
            if algorithm == nil || parameters["algorithm"] == algorithm { return parameters }
        }
        return nil
    }

    /// The `Authorization` field as an argument for curl's `-H`.
    func field() async throws -> String {
        let (nonce, realm) = (nonce ?? challenge["nonce"] ?? "", challenge["realm"] ?? "")
        var first = try await hash("\(user):\(realm):\(password)")
        if challenge["algorithm"]?.hasSuffix("-sess") == true { first = try await hash("\(first):\(nonce):\(cnonce)") }
        let second = try await self.second(method: method, body: body)
        let nc = String(format: "%08x", count)
        var parts = [
            "username=\"\(user)\"", "realm=\"\(realm)\"", "nonce=\"\(nonce)\"", "uri=\"\(uri)\"",
            "opaque=\"landscape\"",
        ]
        if let algorithm = challenge["algorithm"] { parts.append("algorithm=\(algorithm)") }
        if let qop {
            parts += ["qop=\(qop)", "nc=\(nc)", "cnonce=\"\(cnonce)\""]
            parts.append("response=\"\(try await hash("\(first):\(nonce):\(nc):\(cnonce):\(qop):\(second)"))\"")
        } else {
            parts.append("response=\"\(try await hash("\(first):\(nonce):\(second)"))\"")
        }
        return "Authorization: Digest " + parts.joined(separator: ", ")
    }

    /// The expected `rspauth` for this response body.
    func expectedProof(body: String) async throws -> String {
        let nonce = nonce ?? challenge["nonce"] ?? ""
        let first = try await hash("\(user):\(challenge["realm"] ?? ""):\(password)")
        let second = try await self.second(method: "", body: body)
        return try await hash("\(first):\(nonce):\(String(format: "%08x", count)):\(cnonce):\(qop ?? ""):\(second)")
    }

    private func second(method: String, body: String) async throws -> String {
        try await hash("\(method):\(uri)" + (qop == "auth-int" ? ":\(hash(body))" : ""))
    }

    private func hash(_ text: String) async throws -> String {
        switch challenge["algorithm"]?.replacing("-sess", with: "") {
        case "SHA-256": SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
        case "SHA-512-256": try await OpenSSL.sha512t256(text)
        default: Insecure.MD5.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
        }
    }
}
