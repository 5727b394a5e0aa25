/// An element of a parsed XML document, with its position.
struct MarkupElement: Sendable {
    /// The local name, without prefix: it suffices for the landscape's own documents.
    let name: String
    let attributes: [String: String]
    /// The range of the element in the document's bytes, including its tags.
    fileprivate(set) var range: Range<Int>
    fileprivate(set) var children: [MarkupElement] = []
    fileprivate(set) var text = ""

    /// The only child of that name; nil if there are none or several.
    func only(_ name: String) -> MarkupElement? {
        let found = children.filter { $0.name == name }
        return found.count == 1 ? found[0] : nil
    }

    /// The element at the end of a path of only children.
    func at(_ path: String...) -> MarkupElement? {
        path.reduce(self) { $0?.only($1) }
    }

    /// This element and all elements below it.
    var all: [MarkupElement] { [self] + children.flatMap(\.all) }

    /// Reads a document; nil if it is malformed, or contains anything but elements, attributes and text.
    static func read(_ bytes: [UInt8]) -> MarkupElement? {
        var reader = MarkupReader(bytes: bytes)
        return reader.document()
    }
}

/// A strict reader. It refuses document types, comments, CDATA sections and other entities, so that nothing can be
/// hidden.
private struct MarkupReader {
    private static let depthLimit = 32
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func document() -> MarkupElement? {
        skipSpace()
        if skip("<?xml ") {
            guard let end = find("?>") else { return nil }
            position = end + 2
            skipSpace()
        }
        guard let root = element(depth: 0) else { return nil }
        skipSpace()
        return position == bytes.count ? root : nil
    }

    private mutating func element(depth: Int) -> MarkupElement? {
        let start = position
        guard depth < Self.depthLimit, skip("<"), let name = name() else { return nil }
        var attributes: [String: String] = [:]
        while true {
            skipSpace()
            if skip("/>") {
                return MarkupElement(name: Self.local(name), attributes: attributes, range: start..<position)
            }
            if skip(">") { break }
            guard let (key, value) = attribute(), attributes.updateValue(value, forKey: key) == nil else { return nil }
        }
        var result = MarkupElement(name: Self.local(name), attributes: attributes, range: start..<start)
        while true {
            guard let end = find("<"), let text = Self.decode(bytes[position..<end]) else { return nil }
            result.text += text
            position = end
            if skip("</") {
                guard skip(name) else { return nil }
                skipSpace()
                guard skip(">") else { return nil }
                result.range = start..<position
                return result
            }
            guard let child = element(depth: depth + 1) else { return nil }
            result.children.append(child)
        }
    }

    private mutating func attribute() -> (String, String)? {
        guard let key = name(), skip("="), position < bytes.count else { return nil }
        let quote = bytes[position] == UInt8(ascii: "'") ? "'" : "\""
        guard skip(quote), let end = find(quote), let value = Self.decode(bytes[position..<end]) else { return nil }
        position = end + 1
        return (key, value)
    }

    private mutating func name() -> String? {
        let rest = bytes[position...].prefix { byte in
            let scalar = UnicodeScalar(byte)
            return byte >= 0x80 || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "-._:".utf8.contains(byte)
        }
        position += rest.count
        return rest.isEmpty ? nil : String(validating: rest, as: UTF8.self)
    }

    private mutating func skipSpace() {
        while position < bytes.count, [9, 10, 13, 32].contains(bytes[position]) { position += 1 }
    }

    private mutating func skip(_ text: String) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private func find(_ text: String) -> Int? {
        guard let first = text.utf8.first else { return nil }
        var index = position
        while let found = bytes[index...].firstIndex(of: first) {
            if bytes[found...].starts(with: text.utf8) { return found }
            index = found + 1
        }
        return nil
    }

    private static func local(_ name: String) -> String {
        String(name.split(separator: ":").last ?? "")
    }

    /// Text with decoded character references and predefined entities; nil for any other entity.
    private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self), !text.contains("<") else { return nil }
        guard text.contains("&") else { return text }
        let parts = text.split(separator: "&", omittingEmptySubsequences: false)
        var result = String(parts[0])
        for part in parts.dropFirst() {
            guard let end = part.firstIndex(of: ";"), let scalar = scalar(part[..<end]) else { return nil }
            result.unicodeScalars.append(scalar)
            result += part[part.index(after: end)...]
        }
        return result
    }

    private static func scalar(_ entity: Substring) -> Unicode.Scalar? {
        switch entity {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard entity.first == "#" else { return nil }
            let digits = entity.dropFirst()
            let value = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return value.flatMap(Unicode.Scalar.init)
        }
    }
}
