public import HTTPTypes

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 §11.6.1).
public struct OfferedChallenge: Hashable, Sendable {
    /// The scheme as sent, such as `Digest`.
    public let scheme: String
    /// The parameters in order, names in lower case, quoted strings unescaped.
    public let parameters: [Parameter]
    /// The token68 form's value, such as Negotiate's.
    public let token68: String?

    /// A name and value of a challenge.
    public struct Parameter: Hashable, Sendable {
        /// In lower case.
        public let name: String
        /// Unquoted and unescaped. Text from a peer.
        public let value: String
        /// Name and value as sent, with quotes and escapes. Text from a peer.
        let written: String

        init(name: String, value: String, written: String) {
            (self.name, self.value, self.written) = (name, value, written)
        }

        /// Compares name and value; their spelling does not count.
        public static func == (one: Parameter, other: Parameter) -> Bool {
            one.name == other.name && one.value == other.value
        }

        /// Hashes name and value.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(value)
        }
    }

    /// The challenges of a response, in the order of its `WWW-Authenticate` fields, for any status. Unreadable ones are
    /// left out.
    public static func offered(by response: HTTPResponse) -> [OfferedChallenge] {
        response.headerFields[values: .wwwAuthenticate].flatMap { ChallengeParser.parse($0).challenges }
    }

    /// A challenge that a web view met, of which only scheme and realm are known.
    package init(scheme: String, realm: String) {
        self.init(
            scheme: scheme, parameters: [Parameter(name: "realm", value: realm, written: "realm=\(realm)")],
            token68: nil)
    }

    init(scheme: String, parameters: [Parameter], token68: String?) {
        self.scheme = scheme
        self.parameters = parameters
        self.token68 = token68
    }

    /// The scheme as a method.
    public var method: AuthenticationMethod { AuthenticationMethod(scheme) }
    /// The `realm` parameter.
    public var realm: String? { parameter("realm") }

    /// Digest's `stale=true`.
    var isStale: Bool { parameter("stale")?.lowercased() == "true" }

    /// The first value of a parameter, by its name in lower case.
    public func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
}
