/// A registration: the mobile server's record of one user's application on one device.
public struct ApplicationConnection: Hashable, Sendable {
    /// The id (`X-SMP-APPCID`), visible ASCII. Keep it private: a client with the id may be taken for this device.
    public let id: String
    /// All properties, also unknown ones.
    public let properties: ConnectionProperties
    /// The device's capabilities; empty if the service's version has none.
    public let capabilities: [DeviceCapability]
    /// The feature policies that the server lists for the connection; empty if the service's version has none.
    public let featureVectorPolicies: [FeatureVectorPolicy]

    /// - Parameter id: the id for an answer that does not contain one
    init(
        _ entity: ServiceEntity, id fallback: String?, at application: MobileApplication
    ) throws(MobileServicesError) {
        properties = try ConnectionProperties(read: entity.properties, at: application)
        guard let id = properties[.applicationConnectionID] ?? fallback, ServiceText.isConnectionID(id) else {
            throw MobileServicesError(
                .malformedAnswer, "The answer about \(application) has no connection id that could be used.",
                property: ConnectionSchema.id)
        }
        self.id = id
        capabilities = (entity.related["Capability"] ?? []).compactMap(DeviceCapability.init)
        featureVectorPolicies = (entity.related["FeatureVectorPolicy"] ?? []).map(FeatureVectorPolicy.init)
    }

    /// The server's settings for the application.
    ///
    /// - Throws: ``MobileServicesError/Code/contradictoryPolicy``
    public func settings() throws(MobileServicesError) -> ApplicationSettings {
        try ApplicationSettings(self)
    }
}

extension ApplicationConnection: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of properties, without the id and personal data.
    public var description: String { "a connection with \(properties.names.count) properties" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["connection": description]) }
}
