import HTTPTypes
import HttpConvFormats
import HttpConversation

/// A server's information after it accepted a Digest answer (RFC 7616 §3.5).
struct AuthenticationInfo {
    /// The nonce for the next request; nil also for one that cannot be sent back.
    let nextNonce: String?
    /// The server's proof that it knows the password.
    let serverProof: String?
    let clientNonce: String?
    /// Eight hexadecimal digits.
    let count: String?
    let quality: String?

    // swift-format-ignore: NeverForceUnwrap
    private static let fieldName = HTTPField.Name("Authentication-Info")!
    // swift-format-ignore: NeverForceUnwrap
    private static let proxyFieldName = HTTPField.Name("Proxy-Authentication-Info")!

    /// Nil if the response has no such field, or an unreadable one.
    init?(_ response: HTTPResponse, ofProxy: Bool = false) {
        guard let text = response.headerFields[ofProxy ? Self.proxyFieldName : Self.fieldName] else { return nil }
        // The field is a list of parameters, as in a challenge.
        guard let parsed = ChallengeParser.parse("Digest \(text)").challenges.first else { return nil }
        // A nonce is sent back byte by byte.
        nextNonce = parsed.parameter("nextnonce").flatMap { $0.isEmpty || $0.hasLostBytes ? nil : $0 }
        serverProof = parsed.parameter("rspauth")
        clientNonce = parsed.parameter("cnonce")
        count = parsed.parameter("nc")?.lowercased()
        quality = parsed.parameter("qop")?.lowercased()
    }
}
