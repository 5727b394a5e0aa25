/// A capability of a device, for a server's push messages and intents.
public struct DeviceCapability: Hashable, Sendable {
    /// The category, such as `push`.
    public var category: String
    /// Its name, unique in its category.
    public var name: String
    /// A value that describes it further.
    public var value: String?

    /// Describes a capability.
    public init(category: String, name: String, value: String? = nil) {
        self.category = category
        self.name = name
        self.value = value
    }

    init?(_ entity: ServiceEntity) {
        guard let category = entity.text("Category"), let name = entity.text("CapabilityName") else { return nil }
        self.init(category: category, name: name, value: entity.text("CapabilityValue"))
    }

    var properties: [String: PropertyValue] {
        var properties: [String: PropertyValue] = ["Category": .string(category), "CapabilityName": .string(name)]
        properties["CapabilityValue"] = value.map { .string($0) }
        return properties
    }
}
