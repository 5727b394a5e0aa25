import Crypto
import HTTPTypes
import HttpConvConcurrency
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// A proof for one request (RFC 9449 §4.2).
struct DPoPProof {
    let method: HTTPRequest.Method
    let target: TargetURL
    /// The access token in the same request; nil at the token endpoint.
    var accessToken: Redacted<String>?
    /// The last nonce of this server.
    var nonce: String?
    var now = Date()
    var id = RandomText.make()

    private struct Header: Encodable {
        let typ = "dpop+jwt"
        let alg = "ES256"
        let jwk: DPoPKey.PublicKey
    }

    private struct Claims: Encodable {
        let jti: String
        let htm: String
        let htu: String
        let iat: Int
        let ath: String?
        let nonce: String?
    }

    func signed(by key: DPoPKey) throws(OAuth2Error) -> Redacted<String> {
        let claims = Claims(
            jti: id, htm: method.rawValue, htu: Self.address(target), iat: JSONWebToken.numericDate(now),
            ath: accessToken.map { Base64URL.text(SHA256.hash(data: Array($0.value.utf8))) }, nonce: nonce)
        let text = try JSONWebToken.unsigned(Header(jwk: key.publicKey), claims)
        return JSONWebToken.signed(text, with: try key.signature(of: Array(text.utf8)))
    }

    /// The URL without query and fragment.
    private static func address(_ target: TargetURL) -> String {
        String(target.absoluteString.prefix { $0 != "?" && $0 != "#" })
    }
}

/// Proves possession of one key to the authorization server and to the servers that get the tokens.
struct DPoPProver: Sendable {
    let key: DPoPKey
    let nonces: DPoPNonces
    let clock: any WallClock

    /// The field `DPoP` for one request.
    func field(
        _ method: HTTPRequest.Method, _ target: TargetURL, to role: DPoPNonces.Role, with token: Redacted<String>? = nil
    ) throws(OAuth2Error) -> HTTPField {
        let proof = DPoPProof(
            method: method, target: target, accessToken: token, nonce: nonces.nonce(of: target.origin, role),
            now: clock.date)
        return HTTPField(name: .dpop, value: try proof.signed(by: key).value)
    }
}

extension HTTPField.Name {
    /// The proof of a request (RFC 9449 §4.1).
    // swift-format-ignore: NeverForceUnwrap
    static let dpop = HTTPField.Name("DPoP")!  // a literal token
    /// The nonce for the next proofs (RFC 9449 §8).
    // swift-format-ignore: NeverForceUnwrap
    static let dpopNonce = HTTPField.Name("DPoP-Nonce")!  // a literal token
}
