#if canImport(libxml2)
import libxml2
#else
import CLibXML2
#endif

/// Reads XML while it arrives, by libxml2's events. No other file of this target handles libxml2's pointers.
///
/// Nothing is fetched. A document type ends the reading, so XML's five entities are the only ones and nothing can
/// expand. Depth, number of elements and the attributes of a tag are bounded: libxml2 compares each attribute of a tag
/// with all others, and looks for a namespace among all that are in scope.
package final class XMLEventReader {
    private static let chunkSize = 4096
    /// The bytes of one tag or comment: its event comes only at its end.
    private static let longestTag = 256 << 10
    private static let mostAttributes = 256
    private static let mostNamespaces = 32

    private let maximumDepth: Int
    private let maximumElements: Int
    private let handler: any XMLEventHandler
    private var parser: xmlParserCtxtPtr?
    private var problem: FormatFailure?
    private var depth = 0
    private var elements = 0
    /// The bytes since the last event.
    private var pending = 0

    /// A reader of one document.
    ///
    /// - Parameter handler: must not keep the reader
    package init(maximumDepth: Int, maximumElements: Int, handler: any XMLEventHandler) {
        self.maximumDepth = maximumDepth
        self.maximumElements = maximumElements
        self.handler = handler
        var callbacks = Self.callbacks
        parser = libxml2_xmlCreatePushParserCtxt()?(
            &callbacks, Unmanaged.passUnretained(self).toOpaque(), nil, 0, nil)
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
        if let parser { _ = libxml2_xmlCtxtUseOptions()?(parser, Int32(bitPattern: UInt32(options))) }
    }

    deinit {
        guard let parser else { return }
        // libxml2 makes a document by itself if a document type declares entities.
        if let document = parser.pointee.myDoc { libxml2_xmlFreeDoc()?(document) }
        libxml2_xmlFreeParserCtxt()?(parser)
    }

    /// Reads more of the document.
    package func feed(_ bytes: some Collection<UInt8>) throws(FormatFailure) {
        let (parser, parse) = try ready()
        let bytes = Array(bytes)
        bytes.withUnsafeBufferPointer { bytes in
            for offset in stride(from: 0, to: bytes.count, by: Self.chunkSize) {
                let chunk = UnsafeBufferPointer(rebasing: bytes[offset..<min(offset + Self.chunkSize, bytes.count)])
                chunk.withMemoryRebound(to: CChar.self) {
                    _ = parse(parser, $0.baseAddress, Int32($0.count), 0)
                }
                guard parser.pointee.wellFormed == 1, problem == nil else { return }
                pending += chunk.count
                guard pending <= Self.longestTag else {
                    problem = FormatFailure("a tag of it is too long", isTooLarge: true)
                    return
                }
            }
        }
        try check()
    }

    /// Checks that the document is complete. Call it after the last bytes.
    package func finish() throws(FormatFailure) {
        let (parser, parse) = try ready()
        _ = parse(parser, nil, 0, 1)
        try check()
    }

    /// Counts elements from zero again, as for the next row of a page.
    package func resetCount() { elements = 0 }

    /// Reads a whole document.
    package static func read(
        _ bytes: [UInt8], maximumDepth: Int, maximumElements: Int, handler: any XMLEventHandler
    ) throws(FormatFailure) {
        let reader = XMLEventReader(maximumDepth: maximumDepth, maximumElements: maximumElements, handler: handler)
        try reader.feed(bytes)
        try reader.finish()
    }

    /// The parser, and libxml2's function that reads a chunk.
    private func ready() throws(FormatFailure) -> (
        xmlParserCtxtPtr, (xmlParserCtxtPtr?, UnsafePointer<CChar>?, Int32, Int32) -> Int32
    ) {
        guard let parse = libxml2_xmlParseChunk() else {
            throw FormatFailure("libxml2 is missing, which reads XML (Debian: libxml2)")
        }
        guard let parser else { throw FormatFailure("there is not enough memory to read it") }
        return (parser, parse)
    }

    private func check() throws(FormatFailure) {
        if let problem { throw problem }
        guard parser?.pointee.wellFormed == 1 else { throw FormatFailure("it is not well-formed XML") }
    }

    private func perform(_ action: () throws(FormatFailure) -> Void) {
        pending = 0
        guard problem == nil else { return }
        do throws(FormatFailure) { try action() } catch {
            problem = error
            libxml2_xmlStopParser()?(parser)
        }
    }

    private func start(_ element: XMLElementStart) throws(FormatFailure) {
        elements += 1
        depth += 1
        if depth > maximumDepth { throw FormatFailure("it is nested too deeply", isTooLarge: true) }
        if elements > maximumElements { throw FormatFailure("it has too many elements", isTooLarge: true) }
        try handler.started(element)
    }

    private func end() throws(FormatFailure) {
        depth -= 1
        try handler.ended()
    }

    // MARK: libxml2

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> XMLEventReader? {
        pointer.map { Unmanaged<XMLEventReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private static var callbacks: xmlSAXHandler {
        var callbacks = xmlSAXHandler()
        callbacks.initialized = UInt32(XML_SAX2_MAGIC)
        callbacks.internalSubset = { context, _, _, _ in
            XMLEventReader.at(context)?.perform { () throws(FormatFailure) in
                throw FormatFailure("it declares a document type")
            }
        }
        callbacks.startElementNs = { context, name, prefix, namespace, namespaces, declared, count, _, attributes in
            guard let reader = XMLEventReader.at(context), reader.problem == nil, let name else { return }
            reader.perform { () throws(FormatFailure) in
                guard count <= XMLEventReader.mostAttributes, namespaces <= XMLEventReader.mostNamespaces else {
                    throw FormatFailure("a tag of it has too many attributes", isTooLarge: true)
                }
                let element = XMLElementStart(
                    prefix: XMLEventReader.text(prefix), name: String(cString: name),
                    namespace: XMLEventReader.text(namespace),
                    declarations: XMLEventReader.declarations(declared, count: Int(namespaces)),
                    attributes: XMLEventReader.attributes(attributes, count: Int(count)))
                try reader.start(element)
            }
        }
        callbacks.comment = { context, _ in XMLEventReader.at(context)?.pending = 0 }
        callbacks.endElementNs = { context, _, _, _ in
            guard let reader = XMLEventReader.at(context) else { return }
            reader.perform { () throws(FormatFailure) in try reader.end() }
        }
        callbacks.characters = { XMLEventReader.text($0, $1, $2) }
        callbacks.ignorableWhitespace = { XMLEventReader.text($0, $1, $2) }
        callbacks.cdataBlock = { XMLEventReader.text($0, $1, $2) }
        return callbacks
    }

    private static func text(_ context: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<xmlChar>?, _ count: Int32) {
        guard let reader = at(context), let bytes, count > 0 else { return }
        let text = String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
        reader.perform { () throws(FormatFailure) in try reader.handler.read(text) }
    }

    private static func text(_ text: UnsafePointer<xmlChar>?) -> String { text.map { String(cString: $0) } ?? "" }

    /// Reads the declarations of namespaces: two pointers each for prefix and namespace.
    private static func declarations(
        _ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int
    ) -> [XMLElementStart.Declaration] {
        guard let list else { return [] }
        return (0..<count).map { index in
            XMLElementStart.Declaration(prefix: text(list[2 * index]), namespace: text(list[2 * index + 1]))
        }
    }

    /// Reads the attributes: five pointers each for name, prefix, namespace, start and end of the value.
    private static func attributes(
        _ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int
    ) -> [XMLElementStart.Attribute] {
        guard let list else { return [] }
        return (0..<count).compactMap { index in
            let parts = list + 5 * index
            guard let name = parts[0], let start = parts[3], let end = parts[4] else { return nil }
            return XMLElementStart.Attribute(
                prefix: text(parts[1]), name: String(cString: name), namespace: text(parts[2]),
                // libxml2 leaves `&#38;` for tree builders to replace.
                value: String(decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
                    .replacing("&#38;", with: "&"))
        }
    }
}
