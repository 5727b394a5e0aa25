/// A version of HTTP (RFC 9110 §2.5).
public struct ProtocolVersion: Hashable, Sendable, CustomStringConvertible {
    /// The number before the dot.
    public let major: Int
    /// The number after the dot; HTTP/2 has none, which counts as 0.
    public let minor: Int

    /// Creates a version; the common ones have names.
    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// HTTP/1.0 (RFC 1945).
    public static let http10 = ProtocolVersion(major: 1, minor: 0)
    /// HTTP/1.1 (RFC 9112).
    public static let http11 = ProtocolVersion(major: 1, minor: 1)
    /// HTTP/2 (RFC 9113).
    public static let http2 = ProtocolVersion(major: 2, minor: 0)

    /// The number alone, as `1.1` or `2`.
    public var number: String { major > 1 && minor == 0 ? "\(major)" : "\(major).\(minor)" }
    public var description: String { "HTTP/\(number)" }
}
