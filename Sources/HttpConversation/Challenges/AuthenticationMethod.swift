import HttpConvFormats

/// An authentication scheme: how a server wants clients to authenticate (RFC 9110 §11.1).
///
/// The strongest of several challenges is answered first. Methods with the same name, in any case, are equal.
public struct AuthenticationMethod: Sendable, CustomStringConvertible {
    /// The scheme name in lower case.
    public let name: String
    /// The strength of the scheme, larger is stronger: 60 DPoP, 50 Bearer, 40 Negotiate, 20 Digest (plus 1 to 9 by its
    /// algorithm), 10 Basic, 0 by default.
    public let strength: Int

    /// A method by its scheme name, any case.
    public init(_ name: String) { self.init(name, strength: 0) }

    /// Creates a scheme of your own, for a filter that `handles` it. The strength decides its place among the other
    /// schemes.
    ///
    /// ```swift
    /// AuthenticationMethod("x-hmac", strength: 30)   // stronger than Digest, weaker than Bearer
    /// ```
    ///
    /// - Parameters:
    ///   - name: the scheme's name
    ///   - strength: ignored for built-in methods, whose strengths are fixed
    public init(_ name: String, strength: Int) {
        self.name = name.asciiLowercased
        self.strength = Self.builtIn(self.name) ?? strength
    }

    private static func builtIn(_ name: String) -> Int? {
        switch name {
        case "dpop": 60
        case "bearer": 50
        case "negotiate": 40
        case "digest": 20
        case "basic": 10
        default: nil
        }
    }

    public var description: String { TerminalText.sanitise(name, limit: 30) }

    /// RFC 7617.
    public static let basic = AuthenticationMethod("basic")
    /// RFC 7616.
    public static let digest = AuthenticationMethod("digest")
    /// RFC 4559, with Kerberos tickets.
    public static let negotiate = AuthenticationMethod("negotiate")
    /// RFC 6750.
    public static let bearer = AuthenticationMethod("bearer")
    /// RFC 9449.
    public static let dpop = AuthenticationMethod("dpop")
    /// A client certificate in the TLS handshake. Its name is invalid as a scheme, so no header field can imitate it.
    public static let clientCertificate = AuthenticationMethod("tls client certificate")
    /// A server's certificate, which filters may judge. Its name is invalid as a scheme, too.
    public static let serverTrust = AuthenticationMethod("tls server trust")
}

extension AuthenticationMethod: Hashable {
    /// Compares the names.
    public static func == (one: AuthenticationMethod, other: AuthenticationMethod) -> Bool { one.name == other.name }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
