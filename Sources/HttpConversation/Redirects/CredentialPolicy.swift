package import HTTPTypes

/// What of a request goes along to another origin (requirement D4, security rule S8).
public struct CredentialPolicy: Sendable {
    /// Origins that get the caller's header fields in full, by explicit choice.
    public var trustedOrigins: Set<Origin> = []

    /// Nothing but harmless fields leaves the origin.
    public init() {}

    /// Trusts the server of a URL, too.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public mutating func trust(_ url: some TargetURLConvertible) throws(ConversationError) {
        trustedOrigins.insert(try url.targetOrigin())
    }

    /// The fields that go on to `destination`. What is dropped stays dropped if the chain comes back.
    func fields(_ fields: HTTPFields, from source: Origin, to destination: Origin) -> HTTPFields {
        if source == destination || trustedOrigins.contains(destination) { return fields }
        return HTTPFields(fields.filter { Self.isHarmless($0.name) })
    }

    /// The names of the fields that no other origin may see, in lower case.
    package static func namesOfSecrets(in fields: HTTPFields) -> [String] {
        Set(fields.map(\.name).filter { !isHarmless($0) }.map(\.canonicalName)).sorted()
    }

    /// `Accept*`, `User-Agent`, `Content-*`, `Range` and `If-*`.
    private static func isHarmless(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return name.hasPrefix("accept") || name == "user-agent" || name.hasPrefix("content-") || name == "range"
            || name.hasPrefix("if-")
    }
}
