/// An entity of the registration service, from JSON or Atom.
struct ServiceEntity: Hashable, Sendable {
    var properties: [String: PropertyValue] = [:]
    /// Expanded entities, by the navigation property.
    var related: [String: [ServiceEntity]] = [:]

    func text(_ name: String) -> String? { properties[name].flatMap(String.init) }
}

/// The reason why an answer cannot be read as an entity.
struct EntityFailure: Error {
    let reason: String
    var property: String?

    init(_ reason: String, property: String? = nil) {
        self.reason = reason
        self.property = property
    }
}
