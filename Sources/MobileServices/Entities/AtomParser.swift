import CLibXML2

/// Reads an Atom document with libxml2: the only file of this module that handles its pointers.
///
/// Nothing is fetched, and a document type ends the reading, so that no entity but the five of XML is ever known, and
/// nothing can expand. Depth and number of elements are bounded.
enum AtomParser {
    private static let maximumDepth = 32
    private static let maximumElements = 10_000
    private static let chunkSize = 4096

    static func parse(_ bytes: [UInt8]) throws(EntityProblem) -> AtomElement {
        let box = Box()
        return try withExtendedLifetime(box) { () throws(EntityProblem) in
            var callbacks = callbacks
            guard
                let parser = xmlCreatePushParserCtxt(
                    &callbacks, Unmanaged.passUnretained(box).toOpaque(), nil, 0, nil)
            else { throw EntityProblem("there is no memory to read it in") }
            box.parser = parser
            defer {
                // libxml2 makes one by itself where a document type declares entities.
                if let document = parser.pointee.myDoc { xmlFreeDoc(document) }
                xmlFreeParserCtxt(parser)
            }
            let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
            xmlCtxtUseOptions(parser, Int32(bitPattern: UInt32(options)))
            feed(bytes, to: parser, box)
            if let problem = box.problem { throw problem }
            guard parser.pointee.wellFormed == 1, let root = box.root else {
                throw EntityProblem("it is not well-formed XML")
            }
            return root
        }
    }

    private static func feed(_ bytes: [UInt8], to parser: xmlParserCtxtPtr, _ box: Box) {
        bytes.withUnsafeBufferPointer { bytes in
            for offset in stride(from: 0, to: bytes.count, by: chunkSize) {
                let chunk = UnsafeBufferPointer(rebasing: bytes[offset..<min(offset + chunkSize, bytes.count)])
                let result = chunk.withMemoryRebound(to: CChar.self) {
                    xmlParseChunk(parser, $0.baseAddress, Int32($0.count), 0)
                }
                guard result == 0, box.problem == nil else { return }
            }
            xmlParseChunk(parser, nil, 0, 1)
        }
    }

    /// What has been read, and why reading stops.
    private final class Box {
        var parser: xmlParserCtxtPtr?
        private(set) var problem: EntityProblem?
        private(set) var root: AtomElement?
        private var open: [AtomElement] = []
        private var count = 0

        static func at(_ pointer: UnsafeMutableRawPointer?) -> Box? {
            guard let pointer else { return nil }
            let box = Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue()
            return box.problem == nil ? box : nil
        }

        func stop(_ reason: String) {
            problem = EntityProblem(reason)
            xmlStopParser(parser)
        }

        func start(_ element: AtomElement) {
            count += 1
            if open.count >= maximumDepth { return stop("it is nested too deeply") }
            if count > maximumElements { return stop("it has too many elements") }
            open.append(element)
        }

        func end() {
            guard let element = open.popLast() else { return }
            if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
        }

        func text(_ text: String) {
            if !open.isEmpty { open[open.count - 1].text += text }
        }
    }

    private static var callbacks: xmlSAXHandler {
        var callbacks = xmlSAXHandler()
        callbacks.initialized = UInt32(XML_SAX2_MAGIC)
        callbacks.internalSubset = { context, _, _, _ in Box.at(context)?.stop("it declares a document type") }
        callbacks.startElementNs = { context, name, _, namespace, _, _, count, _, attributes in
            guard let box = Box.at(context), let name else { return }
            box.start(
                AtomElement(
                    name: String(cString: name), namespace: namespace.map { String(cString: $0) } ?? "",
                    attributes: AtomParser.attributes(attributes, count: Int(count))))
        }
        callbacks.endElementNs = { context, _, _, _ in Box.at(context)?.end() }
        callbacks.characters = { AtomParser.text($0, $1, $2) }
        callbacks.ignorableWhitespace = { AtomParser.text($0, $1, $2) }
        callbacks.cdataBlock = { AtomParser.text($0, $1, $2) }
        return callbacks
    }

    private static func text(_ context: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<xmlChar>?, _ count: Int32) {
        guard let box = Box.at(context), let bytes, count > 0 else { return }
        box.text(String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self))
    }

    /// Five pointers each: name, prefix, namespace, and where the value begins and ends.
    private static func attributes(
        _ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int
    ) -> [String: String] {
        guard let list else { return [:] }
        var result: [String: String] = [:]
        for index in 0..<count {
            let parts = list + 5 * index
            guard let name = parts[0], let start = parts[3], let end = parts[4] else { continue }
            if let namespace = parts[2], String(cString: namespace) != AtomElement.Namespace.metadata { continue }
            let value = UnsafeBufferPointer(start: start, count: end - start)
            result[String(cString: name)] = String(decoding: value, as: UTF8.self)
        }
        return result
    }
}
