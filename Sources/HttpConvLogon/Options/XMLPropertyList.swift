import HttpConvFormats
import HttpConvPlatform

/// Reads a property list in XML. Options have no dates, data or fractions, so these are refused.
final class XMLPropertyList: XMLEventHandler {
    /// An element whose end has not come yet.
    private struct Open {
        enum Kind: String { case plist, dict, array, key, string, integer, `true`, `false` }

        let kind: Kind
        var text = ""
        var list: [OptionNode] = []
        var group: [String: OptionNode] = [:]
        /// The key of a dictionary whose value comes next.
        var key: String?
    }

    private var path: [Open] = []
    private var result: OptionNode?

    private init() {}

    /// Reads a document; nil if it has no value.
    ///
    /// - Throws: a failure if it is not a property list, is beyond the limits, or cannot be read without libxml2
    static func read(_ bytes: [UInt8]) throws(FormatFailure) -> OptionNode? {
        let handler = XMLPropertyList()
        // The root and a text are around and in the nested lists and groups.
        try XMLEventReader.read(
            withoutDocumentType(bytes), maximumDepth: OptionNode.maximumDepth + 2,
            maximumElements: OptionNode.maximumValues, handler: handler)
        return handler.result
    }

    /// The document without the document type that property lists have, and that the reader would refuse.
    private static func withoutDocumentType(_ bytes: [UInt8]) -> [UInt8] {
        let data = Data(bytes)
        guard let start = data.place(of: Data("<!DOCTYPE".utf8))?.lowerBound,
            let end = data[start...].firstIndex(of: UInt8(ascii: ">"))
        else { return bytes }
        // A document type with declarations of its own stays, and the reader refuses it.
        if data[start...end].contains(UInt8(ascii: "[")) { return bytes }
        return Array(bytes[..<start] + bytes[(end + 1)...])
    }

    func started(_ element: XMLElementStart) throws(FormatFailure) {
        guard let kind = Open.Kind(rawValue: element.name) else { throw Self.unexpected }
        let fits =
            switch path.last?.kind {
            case nil: kind != .key
            case .plist: kind != .key && kind != .plist && result == nil
            case .dict: kind != .plist && (kind == .key) == (path.last?.key == nil)
            case .array: kind != .key && kind != .plist
            default: false
            }
        guard fits else { throw Self.unexpected }
        path.append(Open(kind: kind))
    }

    func read(_ text: String) throws(FormatFailure) {
        switch path.last?.kind {
        case .key, .string, .integer: path[path.count - 1].text += text
        default: guard text.utf8.allSatisfy({ $0 <= 0x20 }) else { throw Self.unexpected }
        }
    }

    func ended() throws(FormatFailure) {
        guard let element = path.popLast() else { return }
        switch element.kind {
        case .plist: break
        case .dict:
            guard element.key == nil else { throw Self.unexpected }
            add(.group(element.group))
        case .array: add(.list(element.list))
        case .key: path[path.count - 1].key = element.text
        case .string: add(.text(element.text))
        case .integer:
            guard let number = PeerNumber.integer(element.text.trimmingBlanks.utf8, as: Int.self) else {
                throw Self.unexpected
            }
            add(.number(number))
        case .true, .false: add(.flag(element.kind == .true))
        }
    }

    /// Adds a value to the list or group around it.
    private func add(_ node: OptionNode) {
        let last = path.count - 1
        switch path.last?.kind {
        case .array: path[last].list.append(node)
        case .dict:
            if let key = path[last].key { path[last].group[key] = node }
            path[last].key = nil
        default: result = node
        }
    }

    private static let unexpected = FormatFailure("it is not a property list of options")
}
