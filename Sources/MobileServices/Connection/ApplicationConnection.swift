/// A registration: what a mobile server knows of one user's application on one device.
public struct ApplicationConnection: Hashable, Sendable {
    /// The id (`X-SMP-APPCID`), visible ASCII. It is as good as a name: whoever knows it may be taken for this device.
    public let id: String
    /// All properties, those that are not known included.
    public let properties: ConnectionProperties
    /// What the device can do; empty where the service's version has none.
    public let capabilities: [DeviceCapability]
    /// The feature policies that the server lists for it; empty where the service's version has none.
    public let featureVectorPolicies: [FeatureVectorPolicy]

    /// - Parameter id: where the answer itself does not say it
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

    /// What the server wants of the application.
    ///
    /// - Throws: ``MobileServicesError/Code/contradictoryPolicy``
    public func settings() throws(MobileServicesError) -> ApplicationSettings {
        try ApplicationSettings(self)
    }
}

extension ApplicationConnection: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How much there is; neither the id nor what is about a person.
    public var description: String { "a connection with \(properties.names.count) properties" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["connection": description]) }
}
