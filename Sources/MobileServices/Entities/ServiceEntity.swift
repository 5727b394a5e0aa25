/// An entity of the registration service, out of JSON or Atom.
struct ServiceEntity: Hashable, Sendable {
    var properties: [String: PropertyValue] = [:]
    /// Entities that came along, by the navigation property.
    var related: [String: [ServiceEntity]] = [:]

    func text(_ name: String) -> String? { properties[name].flatMap(String.init) }
}

/// Why an answer is no entity.
struct EntityProblem: Error {
    let reason: String
    var property: String?

    init(_ reason: String, property: String? = nil) {
        self.reason = reason
        self.property = property
    }
}
