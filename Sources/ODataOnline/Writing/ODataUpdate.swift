import HTTPTypes

/// The way an entity is changed.
public enum ODataUpdate: Hashable, Sendable {
    /// Changes only the given properties (PATCH, or MERGE in OData 2.0).
    case merge
    /// Replaces the whole entity: properties that are not given get their defaults (PUT).
    case replace

    func method(_ client: ServiceClient) -> HTTPRequest.Method {
        guard self == .merge else { return .put }
        return client.configuration.updateMethod ?? (client.version == .v2 ? .merge : .patch)
    }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPRequest.Method {
    /// Changes some properties (OData 2.0).
    static let merge = HTTPRequest.Method(rawValue: "MERGE")!
}
