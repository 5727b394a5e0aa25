import HttpConvFormats

/// Writes entities as Atom entries.
enum AtomEntityWriter {
    private typealias Namespace = AtomElement.Namespace

    static func bytes(_ entity: ServiceEntity) throws(MobileServicesError) -> [UInt8] {
        let attributes =
            " xmlns=\"\(Namespace.atom)\" xmlns:d=\"\(Namespace.data)\" xmlns:m=\"\(Namespace.metadata)\""
        return Array("<?xml version=\"1.0\" encoding=\"utf-8\"?>".utf8)
            + Array(try entry(entity, attributes, term: "applications.Connection").utf8)
    }

    private static func entry(
        _ entity: ServiceEntity, _ attributes: String = "", term: String
    ) throws(MobileServicesError) -> String {
        var text = "<entry\(attributes)><category term=\"\(term)\" scheme=\"\(Namespace.scheme)\"/>"
        for (name, entities) in entity.related.sorted(by: { $0.key < $1.key }) {
            text +=
                "<link rel=\"\(Namespace.related)\(name)\" type=\"application/atom+xml;type=feed\" title=\"\(name)\">"
            text += "<m:inline><feed>"
            for related in entities { text += try entry(related, term: "applications.\(name)") }
            text += "</feed></m:inline></link>"
        }
        text += "<content type=\"application/xml\"><m:properties>"
        for (name, value) in entity.properties.sorted(by: { $0.key < $1.key }) { text += try property(name, value) }
        return text + "</m:properties></content></entry>"
    }

    private static func property(_ name: String, _ value: PropertyValue) throws(MobileServicesError) -> String {
        switch value {
        case .null: "<d:\(name) m:null=\"true\"/>"
        case .boolean(let flag): "<d:\(name) m:type=\"Edm.Boolean\">\(flag)</d:\(name)>"
        case .integer(let number):
            "<d:\(name) m:type=\"Edm.\(Int32(exactly: number) == nil ? "Int64" : "Int32")\">\(number)</d:\(name)>"
        case .double(let number): "<d:\(name) m:type=\"Edm.Double\">\(number)</d:\(name)>"
        case .date(let date): "<d:\(name) m:type=\"Edm.DateTime\">\(ServiceDate.atom(date))</d:\(name)>"
        case .string(let text): "<d:\(name)>\(try escaped(text, of: name))</d:\(name)>"
        }
    }

    /// XML 1.0 cannot contain most control characters, not even escaped.
    private static func escaped(_ text: String, of name: String) throws(MobileServicesError) -> String {
        let isPossible = text.unicodeScalars.allSatisfy {
            ($0.value >= 0x20 || "\t\n\r".unicodeScalars.contains($0)) && $0 != "\u{FFFE}" && $0 != "\u{FFFF}"
        }
        guard isPossible else {
            throw MobileServicesError(
                .invalidProperty, "\(name) has a character that Atom cannot carry: nothing was sent.", property: name)
        }
        return XMLText.escaped(text)
    }
}
