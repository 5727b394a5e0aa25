import HttpConvFormats

/// Finds the entries of an Atom feed while it arrives, and writes them as JSON for the one reader of rows.
final class AtomRowScanner: RowScanner {
    private static let maximumElements = 100_000

    private let limits: RowLimits
    private let handler: Handler
    private let reader: XMLEventReader
    private var total = 0
    private var rows = 0
    /// The unread rest of a chunk. It is read piece by piece, so that few entries wait in memory.
    private var chunk: ArraySlice<UInt8> = []

    init(limits: RowLimits) {
        self.limits = limits
        handler = Handler()
        reader = XMLEventReader(
            maximumDepth: limits.depth, maximumElements: Self.maximumElements, handler: handler)
    }

    var page: PageEnvelope { handler.envelope }

    func append(_ chunk: [UInt8]) throws(FormatFailure) {
        total += chunk.count
        guard total <= limits.pageBytes else { throw FormatFailure("the page is too long", isTooLarge: true) }
        self.chunk = chunk[...]
    }

    func nextRow(into document: JSONDocument) throws(FormatFailure) -> Bool {
        while true {
            if let entry = handler.takeEntry() {
                rows += 1
                guard rows <= limits.rows else { throw FormatFailure("the page has too many rows", isTooLarge: true) }
                try document.read(AtomEntryWriter.json(entry)[...])
                return true
            }
            guard !chunk.isEmpty else { return false }
            let before = handler.entryCount
            handler.entryBytes += min(chunk.count, 4096)
            guard handler.entryBytes <= limits.rowBytes else {
                throw FormatFailure("a part of it is too long", isTooLarge: true)
            }
            try reader.feed(chunk.prefix(4096))
            chunk = chunk.dropFirst(4096)
            if handler.entryCount != before { reader.resetCount() }
        }
    }

    func finish() throws(FormatFailure) {
        try reader.finish()
        guard handler.isFeed else { throw FormatFailure("it is not an Atom feed") }
    }

    /// Writes a complete entry as JSON.
    static func entry(_ bytes: [UInt8], limits: RowLimits) throws(FormatFailure) -> [UInt8] {
        let handler = Handler()
        try XMLEventReader.read(
            bytes, maximumDepth: limits.depth, maximumElements: maximumElements, handler: handler)
        guard let entry = handler.takeEntry() else { throw FormatFailure("it is not an Atom entry") }
        return AtomEntryWriter.json(entry)
    }

    /// Builds entries from events.
    private final class Handler: XMLEventHandler {
        private(set) var envelope = PageEnvelope()
        private(set) var isFeed = false
        private(set) var entryCount = 0
        var entryBytes = 0
        private var entries: [AtomNode] = []
        /// The open elements of the current entry.
        private var open: [AtomNode] = []
        private var depth = 0
        private var text: String?

        func takeEntry() -> AtomNode? { entries.isEmpty ? nil : entries.removeFirst() }

        func started(_ element: XMLElementStart) throws(FormatFailure) {
            depth += 1
            if !open.isEmpty || element.isNamed("entry", AtomNode.Namespace.atom) {
                open.append(AtomNode(start: element))
                return
            }
            if depth == 1 {
                guard element.isNamed("feed", AtomNode.Namespace.atom) else {
                    throw FormatFailure("it is neither an Atom feed nor an entry")
                }
                isFeed = true
                envelope.base = element["base", AtomNode.Namespace.xml]
            }
            if element.isNamed("link", AtomNode.Namespace.atom), element["rel"] == "next" {
                envelope.nextLink = element["href"]
            }
            if element.isNamed("count", AtomNode.Namespace.metadata) { text = "" }
        }

        func ended() throws(FormatFailure) {
            depth -= 1
            if let text {
                guard let count = PeerNumber.integer(text.utf8, as: Int64.self) else {
                    throw FormatFailure("the count of the rows is not a number")
                }
                envelope.count = count
                self.text = nil
            }
            guard let node = open.popLast() else { return }
            if open.isEmpty {
                entries.append(node)
                entryCount += 1
                entryBytes = 0
            } else {
                open[open.count - 1].children.append(node)
            }
        }

        func read(_ text: String) {
            if !open.isEmpty { open[open.count - 1].text += text } else { self.text? += text }
        }
    }
}
