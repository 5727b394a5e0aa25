import HttpConvFormats

/// Writes an Atom entry as the verbose JSON of OData 2.0.
struct AtomEntryWriter {
    private typealias Namespace = AtomNode.Namespace
    private var writer = JSONWriter()

    static func json(_ entry: AtomNode) -> [UInt8] {
        var writer = AtomEntryWriter()
        writer.entry(entry)
        return writer.writer.bytes
    }

    private mutating func entry(_ entry: AtomNode) {
        writer.begin("{")
        metadata(entry)
        // A media entity's content is elsewhere, and its properties are beside it.
        let properties =
            entry.child("content", Namespace.atom)?.child("properties", Namespace.metadata)
            ?? entry.child("properties", Namespace.metadata)
        for property in properties?.children ?? [] where property.start.namespace == Namespace.data {
            writer.name(property.start.name)
            value(property)
        }
        for link in entry.children where link.start.isNamed("link", Namespace.atom) {
            guard let relation = link.start["rel"], relation.hasPrefix(Namespace.related) else { continue }
            writer.name(String(relation.dropFirst(Namespace.related.count)))
            related(link)
        }
        writer.end("}")
    }

    private mutating func metadata(_ entry: AtomNode) {
        writer.name("__metadata")
        writer.begin("{")
        let links = entry.children.filter { $0.start.isNamed("link", Namespace.atom) }
        let content = entry.child("content", Namespace.atom)?.start
        let facts: [(String, String?)] = [
            ("id", entry.child("id", Namespace.atom)?.text), ("etag", entry.metadata("etag")),
            ("type", entry.child("category", Namespace.atom)?.start["term"]),
            ("uri", links.first { $0.start["rel"] == "edit" }?.start["href"]), ("media_src", content?["src"]),
            ("content_type", content?["src"] == nil ? nil : content?["type"]),
            ("edit_media", links.first { $0.start["rel"] == "edit-media" }?.start["href"]),
        ]
        for case (let name, let text?) in facts where !text.isEmpty {
            writer.name(name)
            writer.text(text)
        }
        writer.end("}")
    }

    /// Writes the expanded entities, or the link to them.
    private mutating func related(_ link: AtomNode) {
        guard let inline = link.child("inline", Namespace.metadata) else {
            writer.begin("{")
            writer.name("__deferred")
            writer.begin("{")
            writer.name("uri")
            writer.text(link.start["href"] ?? "")
            writer.end("}")
            writer.end("}")
            return
        }
        if let feed = inline.child("feed", Namespace.atom) {
            let next = feed.children.first { $0.start.isNamed("link", Namespace.atom) && $0.start["rel"] == "next" }
            writer.begin("{")
            writer.name("results")
            writer.begin("[")
            for entry in feed.children where entry.start.isNamed("entry", Namespace.atom) { self.entry(entry) }
            writer.end("]")
            if let link = next?.start["href"] {
                writer.name("__next")
                writer.text(link)
            }
            writer.end("}")
        } else if let entry = inline.child("entry", Namespace.atom) {
            self.entry(entry)
        } else if link.start["type"]?.contains("feed") == true {
            writer.raw("[]".utf8)
        } else {
            writer.raw("null".utf8)
        }
    }

    /// Writes a value as OData 2.0 does in JSON. A value that does not fit its declared type stays text.
    private mutating func value(_ element: AtomNode) {
        if element.metadata("null") == "true" { return writer.raw("null".utf8) }
        let type = element.metadata("type")
        let children = element.children
        if type?.hasPrefix("Collection(") == true
            || (!children.isEmpty && children.allSatisfy({ $0.start.name == "element" }))
        {
            writer.begin("[")
            for child in children { value(child) }
            return writer.end("]")
        }
        if !children.isEmpty {
            writer.begin("{")
            for child in children where child.start.namespace == Namespace.data {
                writer.name(child.start.name)
                value(child)
            }
            return writer.end("}")
        }
        switch type {
        case "Edm.Boolean" where ["true", "false"].contains(element.text): writer.raw(element.text.utf8)
        case "Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32":
            if PeerNumber.integer(element.text.utf8, as: Int64.self) != nil {
                writer.raw("\(PeerNumber.integer(element.text.utf8, as: Int64.self) ?? 0)".utf8)
            } else {
                writer.text(element.text)
            }
        case "Edm.DateTime", "Edm.DateTimeOffset":
            // The notation of JSON marks it as a time.
            writer.text(ODataDateTime(element.text)?.jsonTextIfExact ?? element.text)
        default: writer.text(element.text)
        }
    }
}

extension ODataDateTime {
    /// The JSON notation if it is exact: OData 2.0 has only milliseconds there.
    fileprivate var jsonTextIfExact: String? { nanoseconds % 1_000_000 == 0 ? jsonText : nil }
}
