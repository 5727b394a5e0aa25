/// The properties of a connection: known ones by their types, others as the service sent them.
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

    /// The properties of an answer.
    ///
    /// - Throws: ``MobileServicesError/Code/wrongType`` if a known property has another type
    init(read values: [String: PropertyValue], at application: MobileApplication) throws(MobileServicesError) {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let kind = ConnectionSchema.kind(of: name), !kind.accepts(value) else { continue }
            throw MobileServicesError(
                .wrongType,
                "\(application) answers with a \(name) of another type than \(kind). Tell its administrator.",
                property: name)
        }
        self.values = values
    }

    /// A property that the application may set; nil if it is missing or has no value. Setting nil removes it from these
    /// properties; see ``clear(_:)``.
    public subscript<Value>(property: WritableProperty<Value>) -> Value? {
        get { values[property.name].flatMap(Value.init) }
        set { values[property.name] = newValue?.propertyValue }
    }

    /// A property that the server sets; nil if it is missing or has no value.
    public subscript<Value>(property: ReadOnlyProperty<Value>) -> Value? {
        values[property.name].flatMap(Value.init)
    }

    /// Any property by its name in the service. Properties that only the server sets are never sent.
    public subscript(named name: String) -> PropertyValue? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Sets a property to null: an update deletes the server's value.
    public mutating func clear<Value>(_ property: WritableProperty<Value>) { values[property.name] = .null }

    /// The names of the properties.
    public var names: Set<String> { Set(values.keys) }

    /// Adds all properties of others. They replace properties of the same name.
    public mutating func merge(_ others: ConnectionProperties) { values.merge(others.values) { $1 } }

    /// The properties without those that only the server sets.
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
    /// The names only: values may be push tokens or personal data.
    public var description: String { "ConnectionProperties: " + values.keys.sorted().joined(separator: ", ") }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["names": values.keys.sorted()]) }
}
