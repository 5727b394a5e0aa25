/// The parts of a JSON web token in the compact form (RFC 7515 §7.1). Checks no signature.
package struct JSONWebTokenText {
    package let header: [String: JSONValue]
    package let claims: [String: JSONValue]
    /// Whether the part for the signature is not empty.
    package let hasSignature: Bool

    /// Reads a token; nil unless it has three parts, and its header and its claims are JSON objects.
    package init?(_ text: String) {
        let parts = text.split(ascii: ".", keepsEmpty: true)
        guard parts.count == 3, let header = Base64URL.bytes(parts[0]).flatMap(JSONValue.object),
            let claims = Base64URL.bytes(parts[1]).flatMap(JSONValue.object)
        else { return nil }
        (self.header, self.claims) = (header, claims)
        hasSignature = !parts[2].isEmpty
    }
}
