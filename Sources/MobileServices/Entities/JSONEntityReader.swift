/// Reads entities from the verbose JSON of OData 2.0: `{"d": {…}}`.
enum JSONEntityReader {
    static func entity(_ bytes: [UInt8]) throws(EntityProblem) -> ServiceEntity {
        guard let document = JSONNode.read(bytes) else {
            throw EntityProblem("it is not valid JSON, or nested too deeply")
        }
        guard let content = document["d"] else { throw EntityProblem("it has no object named d") }
        guard case .object(let members) = content else { throw EntityProblem("d is no object") }
        for name in members.keys.sorted() where ConnectionSchema.kind(of: name) != nil {
            guard case .value? = members[name] else {
                throw EntityProblem("\(name) is no single value", property: name)
            }
        }
        return ServiceEntity(members)
    }

    /// The message of an error: `{"error": {"message": {"value": "…"}}}`, or with a text as the message.
    static func message(_ bytes: [UInt8]) -> String? {
        let message = JSONNode.read(bytes)?["error"]?["message"]
        return message?["value"]?.text ?? message?.text
    }
}

extension ServiceEntity {
    /// Makes values properties, and objects related entities. The format's metadata is left out.
    fileprivate init(_ members: [String: JSONNode]) {
        for (name, node) in members where !name.hasPrefix("__") {
            if case .value(let value) = node {
                properties[name] = value
            } else if let elements = node.elements {
                related[name] = elements.compactMap(\.entity)
            }
        }
    }
}

extension JSONNode {
    /// An object as an entity; nil for anything else.
    var entity: ServiceEntity? {
        if case .object(let members) = self { ServiceEntity(members) } else { nil }
    }
}
