/// How a server wants to know who is asking: the scheme of a challenge (RFC 9110 §11.1).
///
/// Of several challenges the strongest is answered first. Methods are the same where their names are, in any case.
public struct AuthenticationMethod: Sendable, CustomStringConvertible {
    /// The scheme name in lower case.
    public let name: String
    /// How strong the scheme is, the larger the stronger: 60 DPoP, 50 Bearer, 20 Digest (with an algorithm's 1 to 9 on
    /// top), 10 Basic, 0 one that was given none.
    public let strength: Int

    /// A method by its scheme name, any case.
    public init(_ name: String) { self.init(name, strength: 0) }

    /// A scheme of one's own. The filter that `handles` it says by this how its challenges are ordered among the others.
    ///
    /// ```swift
    /// AuthenticationMethod("x-hmac", strength: 30)   // rather than Digest, but not rather than Bearer
    /// ```
    ///
    /// - Parameters:
    ///   - name: the scheme's name
    ///   - strength: does not count for the names of built-in methods: theirs is fixed
    public init(_ name: String, strength: Int) {
        self.name = name.asciiLowercased
        self.strength = Self.builtIn(self.name) ?? strength
    }

    private static func builtIn(_ name: String) -> Int? {
        switch name {
        case "dpop": 60
        case "bearer": 50
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
    /// RFC 6750.
    public static let bearer = AuthenticationMethod("bearer")
    /// RFC 9449.
    public static let dpop = AuthenticationMethod("dpop")
    /// A client certificate in the TLS handshake. No scheme: the space keeps apart what a server can say in a field.
    public static let clientCertificate = AuthenticationMethod("tls client certificate")
    /// The certificate of a server, which filters may have a say about. No scheme either.
    public static let serverTrust = AuthenticationMethod("tls server trust")
}

extension AuthenticationMethod: Hashable {
    /// By name.
    public static func == (one: AuthenticationMethod, other: AuthenticationMethod) -> Bool { one.name == other.name }
    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
