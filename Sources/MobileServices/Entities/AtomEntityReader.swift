import HttpConvFormats

/// Reads Atom entries with the properties of OData 2.0.
enum AtomEntityReader {
    private typealias Namespace = AtomElement.Namespace

    static func entity(_ bytes: [UInt8]) throws(EntityFailure) -> ServiceEntity {
        let root = try AtomParser.parse(bytes)
        guard root.isNamed("entry", Namespace.atom) else { throw EntityFailure("it is not an Atom entry") }
        guard let entity = try entity(root) else { throw EntityFailure("the entry has no properties") }
        return entity
    }

    /// The message of the service's error: `<error><message>…`.
    static func message(_ bytes: [UInt8]) -> String? {
        guard let root = try? AtomParser.parse(bytes), root.name == "error" else { return nil }
        return root.children.first { $0.name == "message" }?.text
    }

    /// Reads an entry. A media entity's content is elsewhere, and its properties are beside it.
    private static func entity(_ entry: AtomElement) throws(EntityFailure) -> ServiceEntity? {
        let properties =
            entry.child("content", Namespace.atom)?.child("properties", Namespace.metadata)
            ?? entry.child("properties", Namespace.metadata)
        guard let properties else { return nil }
        var entity = ServiceEntity()
        for element in properties.children where element.namespace == Namespace.data {
            if !element.children.isEmpty {
                guard ConnectionSchema.kind(of: element.name) == nil else {
                    throw EntityFailure("\(element.name) is not a single value", property: element.name)
                }
                continue
            }
            guard entity.properties.updateValue(value(of: element), forKey: element.name) == nil else {
                throw EntityFailure("\(element.name) is there twice", property: element.name)
            }
        }
        for link in entry.children where link.isNamed("link", Namespace.atom) {
            guard let relation = link.attributes["rel"], relation.hasPrefix(Namespace.related),
                let inline = link.child("inline", Namespace.metadata)
            else { continue }
            let entries = inline.child("feed", Namespace.atom)?.children ?? inline.children
            var related: [ServiceEntity] = []
            for entry in entries where entry.isNamed("entry", Namespace.atom) {
                if let found = try Self.entity(entry) { related.append(found) }
            }
            entity.related[String(relation.dropFirst(Namespace.related.count))] = related
        }
        return entity
    }

    /// Reads a value. A value that does not fit its declared type stays text.
    private static func value(of element: AtomElement) -> PropertyValue {
        if element.attributes["null"] == "true" { return .null }
        let text = element.text
        switch element.attributes["type"] {
        case "Edm.Boolean":
            return ["true": .boolean(true), "1": .boolean(true), "false": .boolean(false), "0": .boolean(false)][text]
                ?? .string(text)
        case "Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64":
            return PeerNumber.integer(text.utf8, as: Int64.self).map { .integer($0) } ?? .string(text)
        case "Edm.Single", "Edm.Double":
            return PeerNumber.decimal(text).map { .double($0) } ?? .string(text)
        case "Edm.DateTime", "Edm.DateTimeOffset":
            return ServiceDate.fromAtom(text).map { .date($0) } ?? .string(text)
        default: return .string(text)
        }
    }
}
