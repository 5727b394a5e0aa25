/// How a server wants to know who is asking: the scheme of a challenge, in lower case (RFC 9110 §11.1).
public struct AuthenticationMethod: Hashable, Sendable, CustomStringConvertible {
    /// The scheme name in lower case.
    public let name: String

    /// A method by its scheme name, any case.
    public init(_ name: String) { self.name = name.lowercased() }

    public var description: String { TerminalText.sanitise(name, limit: 30) }

    /// RFC 7617.
    public static let basic = AuthenticationMethod("basic")
    /// RFC 7616.
    public static let digest = AuthenticationMethod("digest")
    /// RFC 6750.
    public static let bearer = AuthenticationMethod("bearer")
    /// RFC 9449.
    public static let dpop = AuthenticationMethod("dpop")
}
