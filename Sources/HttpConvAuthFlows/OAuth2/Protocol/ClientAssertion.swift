import HttpConvPlatform
import HttpConversation

/// An assertion to be signed (RFC 7523 §3): valid for one request to one server. A client's assertion about itself has
/// the client as its subject, too.
struct ClientAssertion {
    /// The value of `client_assertion_type` (RFC 7523 §2.2).
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// The lifetime in seconds.
    private static let lifetime = 60

    let clientID: String
    let audience: String
    /// The subject; nil: the client.
    var subject: String?
    var now = Date()

    private struct Header: Encodable {
        let alg: String
        let typ = "JWT"
        let kid: String?
    }

    /// The audience is one text: a list would be valid at several servers.
    private struct Claims: Encodable {
        let iss: String
        let sub: String
        let aud: String
        let iat: Int
        let exp: Int
        let jti: String
    }

    func signed(by key: OAuth2ClientKey) async throws -> Redacted<String> {
        let time = JSONWebToken.numericDate(now)
        let claims = Claims(
            iss: clientID, sub: subject ?? clientID, aud: audience, iat: time, exp: time + Self.lifetime,
            jti: RandomText.make())
        let text = try JSONWebToken.unsigned(Header(alg: key.algorithm.rawValue, kid: key.id), claims)
        return JSONWebToken.signed(text, with: try await key.signature(of: Array(text.utf8)))
    }
}
