import HttpConvFormats

/// The resources at the root of a service.
public struct ODataServiceDocument: Hashable, Sendable {
    /// A resource.
    public struct Item: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// `EntitySet`, `Singleton` or `FunctionImport`.
        public let kind: String
        /// The address, relative to the root.
        public let link: String

        /// The path for requests.
        public var path: ODataPath { ODataPath(link: link) }
    }

    /// All resources in the service's order.
    public let items: [Item]

    /// Reads `{"value": [{"name": …, "url": …}]}` (4.0), or `{"d": {"EntitySets": […]}}` (2.0).
    init(json document: JSONDocument) throws(FormatFailure) {
        if let value = document.root["value"] {
            items = value.elements.compactMap { item in
                guard let name = item["name"]?.text else { return nil }
                return Item(name: name, kind: item["kind"]?.text ?? "EntitySet", link: item["url"]?.text ?? name)
            }
            return
        }
        guard let names = document.root["d"]?["EntitySets"] ?? document.root["EntitySets"] else {
            throw FormatFailure("it is not a service document")
        }
        items = names.elements.compactMap(\.text).map { Item(name: $0, kind: "EntitySet", link: $0) }
    }

    /// Reads AtomPub's service document.
    init(xml bytes: [UInt8]) throws(FormatFailure) {
        let reader = Reader()
        try XMLEventReader.read(bytes, maximumDepth: 16, maximumElements: 100_000, handler: reader)
        guard reader.isService else { throw FormatFailure("it is not a service document") }
        items = reader.items
    }

    private final class Reader: XMLEventHandler {
        private(set) var isService = false
        private(set) var items: [Item] = []
        private var link: String?
        private var title: String?
        private var open: [String] = []

        func started(_ element: XMLElementStart) {
            if open.isEmpty { isService = element.name == "service" }
            open.append(element.name)
            if element.name == "collection" {
                link = element["href"]
                title = ""
            }
        }

        func ended() {
            guard open.popLast() == "collection", let link else { return }
            items.append(Item(name: title ?? link, kind: "EntitySet", link: link))
            title = nil
        }

        func read(_ text: String) {
            if open.last == "title", open.dropLast().last == "collection" { title? += text }
        }
    }
}
