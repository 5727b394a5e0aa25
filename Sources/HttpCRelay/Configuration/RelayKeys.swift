import HttpC
import HttpConvFormats
import HttpConvPlatform

/// The secrets of a relay that listens on TCP, new for each run. Requests prove with them that they come from its
/// owner.
struct RelayKeys: Sendable {
    /// The field with the secret, for clients that can send fields of their own.
    static let field = "Httpc-Relay-Secret"

    /// The secret of the local URL's path.
    let secret = Redacted(Self.random())
    /// The name of the browser's cookie. It is random, because browsers share cookies among the ports of a host.
    let cookieName = "httpc-relay-" + Self.random(bytes: 6)
    /// The value of that cookie.
    let cookieValue = Redacted(Self.random())

    private static func random(bytes: Int = 24) -> String { Hexadecimal.text(RandomBytes.make(bytes)) }

    func isSecret(_ text: some StringProtocol) -> Bool { ConstantTime.isEqual(text.utf8, secret.value.utf8) }

    /// Whether the path or query of a request has the secret, perhaps percent-encoded.
    func isSecret(in path: Substring) -> Bool {
        path.contains(secret.value) || String(decoding: path.percentDecoded, as: UTF8.self).contains(secret.value)
    }

    /// Whether a `Cookie` field has the browser's cookie.
    func isInCookies(_ values: [String]) -> Bool {
        var isFound = false
        for pair in values.flatMap({ $0.split(ascii: ";") }) {
            guard let (name, value) = pair.cut(atASCII: "="), name.trimmingSpaces == cookieName else { continue }
            isFound = ConstantTime.isEqual(value.trimmingSpaces.utf8, cookieValue.value.utf8) || isFound
        }
        return isFound
    }

    /// The `Set-Cookie` value that lets a browser in.
    var setCookie: String { "\(cookieName)=\(cookieValue.value); Path=/; HttpOnly; SameSite=Strict" }
}
