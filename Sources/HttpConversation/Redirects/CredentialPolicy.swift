package import HTTPTypes

/// The policy for header fields of a request that goes to another origin (security rule S8).
public struct CredentialPolicy: Sendable {
    /// Origins that get all of the caller's header fields, by explicit choice.
    public var trustedOrigins: Set<Origin> = []

    /// Creates a policy that passes only harmless fields to another origin.
    public init() {}

    /// Trusts the origin of a URL.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public mutating func trust(_ url: some TargetURLConvertible) throws(ConversationError) {
        trustedOrigins.insert(try url.targetOrigin())
    }

    /// The fields for `destination`. A dropped field stays dropped even if the chain returns.
    func fields(_ fields: HTTPFields, from source: Origin, to destination: Origin) -> HTTPFields {
        if source == destination || trustedOrigins.contains(destination) { return fields }
        return HTTPFields(fields.filter { Self.isHarmless($0.name) })
    }

    /// The names of the fields that other origins must not get, in lower case.
    package static func namesOfSecrets(in fields: HTTPFields) -> [String] {
        Set(fields.map(\.name).filter { !isHarmless($0) }.map(\.canonicalName)).sorted()
    }

    /// Whether a field is one of `Accept*`, `User-Agent`, `Content-*`, `Range` and `If-*`.
    private static func isHarmless(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return name.hasPrefix("accept") || name == "user-agent" || name.hasPrefix("content-") || name == "range"
            || name.hasPrefix("if-")
    }
}
