import HttpConvFormats

/// Reads entities from the verbose JSON of OData 2.0: `{"d": {…}}`.
enum JSONEntityReader {
    static func entity(_ bytes: [UInt8]) throws(EntityFailure) -> ServiceEntity {
        guard let document = JSONValue(bytes) else {
            throw EntityFailure("it is not valid JSON, or nested too deeply")
        }
        guard let content = document["d"] else { throw EntityFailure("it has no object named d") }
        guard case .object(let members) = content else { throw EntityFailure("d is not an object") }
        for name in members.keys.sorted() where ConnectionSchema.kind(of: name) != nil {
            guard members[name].flatMap(PropertyValue.init) != nil else {
                throw EntityFailure("\(name) is not a single value", property: name)
            }
        }
        return ServiceEntity(members)
    }

    /// The message of an error: `{"error": {"message": {"value": "…"}}}`, or with a text as the message.
    static func message(_ bytes: [UInt8]) -> String? {
        let message = JSONValue(bytes)?["error"]?["message"]
        return message?["value"]?.text ?? message?.text
    }
}

extension ServiceEntity {
    /// An object as an entity; nil for anything else.
    init?(_ json: JSONValue) {
        guard case .object(let members) = json else { return nil }
        self.init(members)
    }

    /// Makes values properties, and objects related entities. The format's metadata is left out.
    fileprivate init(_ members: [String: JSONValue]) {
        for (name, json) in members where !name.hasPrefix("__") {
            if let value = PropertyValue(json) {
                properties[name] = value
            } else if case .array(let elements) = json["results"] ?? json {
                related[name] = elements.compactMap(ServiceEntity.init)
            }
        }
    }
}

extension PropertyValue {
    /// A single value; nil for arrays and objects. Numbers without a fraction are whole numbers, however they are
    /// written.
    init?(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .decimal, .double:
            guard let number = json.number else { return nil }
            self = Int64(exactly: number).map { .integer($0) } ?? .double(number)
        case .string(let text): self = .string(text)
        case .array, .object: return nil
        }
    }

    /// The value in JSON.
    var json: JSONValue {
        switch self {
        case .null: .null
        case .boolean(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .double(let number): .double(number)
        case .string(let text): .string(text)
        case .date(let date): .string(ServiceDate.json(date))
        }
    }
}
