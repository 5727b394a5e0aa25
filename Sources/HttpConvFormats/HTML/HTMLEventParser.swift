#if canImport(libxml2)
import libxml2
#else
import CLibXML2
#endif

/// Handles the elements and texts of a page, in their order.
protocol HTMLEventHandler: AnyObject {
    /// An element begins; names are lower case, attributes without a value have an empty one.
    func start(_ name: String, _ attributes: [String: String])
    func end(_ name: String)
    func text(_ text: String)
    /// False after a limit was reached: the rest of the page is ignored.
    var wantsMore: Bool { get }
}

/// Runs libxml2's HTML parser over a page. The only file that handles its pointers.
///
/// It builds no tree, fetches nothing, and knows only HTML's own entities.
enum HTMLEventParser {
    private static let chunkSize = 4096
    /// A tag with more separators than this is hostile: libxml2 compares each attribute of a tag with all others.
    /// ``HTMLPreparation`` has removed or divided comments, scripts and texts, which have as many without an event.
    private static let maximumSeparators = 10_000
    /// A page whose tags take more comparisons of attributes than this is hostile, too.
    private static let maximumComparisons = 100_000_000

    /// Whether libxml2 is there. Loads it.
    static var isAvailable: Bool { libxml2_htmlCreatePushParserCtxt() != nil }

    /// Parses UTF-8.
    ///
    /// - Returns: whether the page was read to its end
    static func parse(_ page: String, into handler: some HTMLEventHandler) -> Bool {
        let box = Box(handler)
        return withExtendedLifetime(box) {
            var callbacks = callbacks
            guard
                let parser = libxml2_htmlCreatePushParserCtxt()?(
                    &callbacks, Unmanaged.passUnretained(box).toOpaque(), nil, 0, nil, XML_CHAR_ENCODING_UTF8),
                let parse = libxml2_htmlParseChunk()
            else { return false }
            defer {
                // Only libxml2's default handler creates a document. Ours do not, so this frees nothing.
                if let document = parser.pointee.myDoc { libxml2_xmlFreeDoc()?(document) }
                libxml2_htmlFreeParserCtxt()?(parser)
            }
            let options =
                HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
                | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
            _ = libxml2_htmlCtxtUseOptions()?(parser, Int32(bitPattern: UInt32(options)))
            return feed(page, box) { parse(parser, $0, $1, $2) }
        }
    }

    /// Feeds the page in pieces. A tag is parsed only when it is complete, so a tag that is too costly is never passed
    /// on.
    private static func feed(
        _ page: String, _ box: Box, to parse: (UnsafePointer<CChar>?, Int32, Int32) -> Int32
    ) -> Bool {
        var page = page
        return page.withUTF8 { bytes in
            var separators = 0
            // Whether there was no event in the chunk before.
            var isLong = false
            for offset in stride(from: 0, to: bytes.count, by: chunkSize) {
                let chunk = UnsafeBufferPointer(rebasing: bytes[offset..<min(offset + chunkSize, bytes.count)])
                let ofChunk = chunk.count { $0 <= 0x20 || $0 == UInt8(ascii: "=") }
                guard box.handler.wantsMore, separators + ofChunk <= maximumSeparators else { return false }
                guard box.comparisons <= maximumComparisons else { return false }
                let events = box.events
                chunk.withMemoryRebound(to: CChar.self) {
                    _ = parse($0.baseAddress, Int32($0.count), 0)
                }
                let all = separators + ofChunk
                let hasEvents = box.events != events
                // A tag that began two chunks ago, or earlier, was compared now. Only a part counts, because values have
                // separators, too.
                if isLong, hasEvents { box.comparisons += all * all / 8 }
                isLong = !hasEvents
                separators = hasEvents ? ofChunk : all
            }
            _ = parse(nil, 0, 1)
            return box.handler.wantsMore
        }
    }

    private final class Box {
        let handler: any HTMLEventHandler
        var events = 0
        /// About how often attributes of a tag were compared with each other.
        var comparisons = 0

        init(_ handler: any HTMLEventHandler) { self.handler = handler }

        static func at(_ pointer: UnsafeMutableRawPointer?) -> Box? {
            guard let pointer else { return nil }
            let box = Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue()
            box.events += 1
            return box.handler.wantsMore ? box : nil
        }
    }

    private static var callbacks: htmlSAXHandler {
        var callbacks = htmlSAXHandler()
        callbacks.startElement = { context, name, attributes in
            guard let box = Box.at(context), let name else { return }
            let attributes = HTMLEventParser.attributes(attributes)
            // Four times as many, because attributes that the tag repeats are compared, too, and are left out here.
            box.comparisons += 4 * attributes.count * attributes.count
            box.handler.start(String(cString: name), attributes)
        }
        callbacks.endElement = { context, name in
            guard let box = Box.at(context), let name else { return }
            box.handler.end(String(cString: name))
        }
        callbacks.characters = { HTMLEventParser.text($0, $1, $2) }
        callbacks.ignorableWhitespace = { HTMLEventParser.text($0, $1, $2) }
        callbacks.cdataBlock = { HTMLEventParser.text($0, $1, $2) }
        return callbacks
    }

    private static func text(_ context: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<xmlChar>?, _ count: Int32) {
        guard let box = Box.at(context), let bytes, count > 0 else { return }
        box.handler.text(String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self))
    }

    /// The attributes from alternating names and values, ended by nil. The first of several with one name counts, as in
    /// browsers.
    private static func attributes(_ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) -> [String: String] {
        var result: [String: String] = [:]
        guard var next = list else { return result }
        while let name = next[0] {
            let name = String(cString: name)
            if result[name] == nil { result[name] = next[1].map { String(cString: $0) } ?? "" }
            next += 2
        }
        return result
    }
}
