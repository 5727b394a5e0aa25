/// Properties of a connection: those that are known by their types, others as the service gave them.
///
/// ```swift
/// var properties = ConnectionProperties()
/// properties[.deviceType] = "iPhone"
/// properties[.deviceModel] = "iPhone 15"
/// ```
public struct ConnectionProperties: Hashable, Sendable, Codable {
    private(set) var values: [String: PropertyValue]

    /// No properties.
    public init() { values = [:] }

    /// Values of the service.
    ///
    /// - Throws: ``MobileServicesError/Code/wrongType`` where a known property is of another type
    init(read values: [String: PropertyValue], at application: MobileApplication) throws(MobileServicesError) {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let kind = ConnectionSchema.kind(of: name), !kind.accepts(value) else { continue }
            throw MobileServicesError(
                .wrongType, "\(application) answers with a \(name) that is no \(kind): its administrator should know.",
                property: name)
        }
        self.values = values
    }

    /// A property that the application may set; nil where there is none, or it has no value. Nil as the new value takes
    /// the property out: see ``clear(_:)``.
    public subscript<Value>(property: WritableProperty<Value>) -> Value? {
        get { values[property.name].flatMap(Value.init) }
        set { values[property.name] = newValue?.propertyValue }
    }

    /// A property that the server sets; nil where there is none, or it has no value.
    public subscript<Value>(property: ReadOnlyProperty<Value>) -> Value? {
        values[property.name].flatMap(Value.init)
    }

    /// Any property by its name in the service. What the server alone sets is never sent.
    public subscript(named name: String) -> PropertyValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Sets a property to no value: an update takes the server's value away.
    public mutating func clear<Value>(_ property: WritableProperty<Value>) { values[property.name] = .null }

    /// The names of the properties that are there.
    public var names: Set<String> { Set(values.keys) }

    /// Takes over all properties of others.
    public mutating func merge(_ others: ConnectionProperties) { values.merge(others.values) { $1 } }

    /// What may be sent: not what the server alone sets.
    var sendable: [String: PropertyValue] {
        values.filter { name, _ in ConnectionSchema.readOnly[name] == nil && ServiceText.isPropertyName(name) }
    }

    /// - Throws: ``MobileServicesError/Code/invalidProperty``
    func checkNames() throws(MobileServicesError) {
        for name in values.keys.sorted() where !ServiceText.isPropertyName(name) {
            throw MobileServicesError(
                .invalidProperty, "A property's name may have letters, digits and underscores only: nothing was sent.",
                property: name)
        }
    }
}

extension ConnectionProperties: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names; values may be push tokens, or about a person.
    public var description: String { "ConnectionProperties: " + values.keys.sorted().joined(separator: ", ") }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["names": values.keys.sorted()]) }
}
