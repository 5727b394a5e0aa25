import Foundation
import HttpConvFormats
import HttpConversation

/// A client's assertion about itself, to be signed (RFC 7523 §3): valid for one request to one server.
struct ClientAssertion {
    /// The value of `client_assertion_type` (RFC 7523 §2.2).
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// The lifetime in seconds.
    private static let lifetime = 60

    let clientID: String
    let audience: String
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

    func signed(by key: OAuth2ClientKey) throws(OAuth2Error) -> Redacted<String> {
        let time = PeerNumber.integer(now.timeIntervalSince1970, clampingTo: 0...253_402_300_799) ?? 0
        let header = Header(alg: key.algorithm.rawValue, kid: key.id)
        let claims = Claims(
            iss: clientID, sub: clientID, aud: audience, iat: time, exp: time + Self.lifetime, jti: RandomText.make())
        let text = try "\(Self.encode(header)).\(Self.encode(claims))"
        return Redacted("\(text).\(RandomText.base64URL(try key.signature(of: Array(text.utf8))))")
    }

    private static func encode(_ value: some Encodable) throws(OAuth2Error) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return RandomText.base64URL(try encoder.encode(value)) } catch {
            throw OAuth2Error(.invalidConfiguration, "The assertion of the client cannot be written.")
        }
    }
}
