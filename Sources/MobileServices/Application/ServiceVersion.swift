/// The version of a mobile server's registration service.
public struct ServiceVersion: Hashable, Sendable, CustomStringConvertible {
    /// The segment of the path.
    public let description: String
    /// The navigation properties that are expanded when a connection is read.
    let related: [String]

    private init(_ description: String, related: [String]) {
        self.description = description
        self.related = related
    }

    private static let capability = "Capability"
    private static let featureVectorPolicy = "FeatureVectorPolicy"

    /// Connections alone.
    public static let v1 = ServiceVersion("v1", related: [])
    /// With feature vector policies.
    public static let v2 = ServiceVersion("v2", related: [featureVectorPolicy])
    /// With capabilities as well.
    public static let v3 = ServiceVersion("v3", related: [capability, featureVectorPolicy])
    /// The newest version known to this library.
    public static let v4 = ServiceVersion("v4", related: [capability, featureVectorPolicy])
    /// The newest version of the server.
    public static let latest = ServiceVersion("latest", related: [capability, featureVectorPolicy])
}
