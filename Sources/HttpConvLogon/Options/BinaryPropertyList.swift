import HttpConvFormats
import HttpConvPlatform

/// Reads a binary property list: a header, objects that refer to each other by number, the table of their offsets, and
/// a trailer of 32 bytes.
///
/// Objects may be shared, so a short file can stand for endlessly many values: each visit of an object counts.
struct BinaryPropertyList {
    private static let header = Array("bplist0".utf8)
    private static let trailerSize = 32

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private var objects = 0
    private var table = 0
    private var valuesLeft = OptionNode.maximumValues
    private var textLeft = OptionNode.maximumBytes

    /// Whether bytes begin like a binary property list.
    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: header) }

    /// Reads a file; nil if it is damaged, has values of types that no option has, or is beyond the limits.
    static func read(_ bytes: [UInt8]) -> OptionNode? {
        guard var file = BinaryPropertyList(bytes),
            let top = file.number(at: bytes.count - trailerSize + 16, size: 8)
        else { return nil }
        return file.node(top, depth: 0)
    }

    private init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.header.count + Self.trailerSize else { return nil }
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerSize
        offsetSize = Int(exactly: bytes[trailer + 6]) ?? 0
        referenceSize = Int(exactly: bytes[trailer + 7]) ?? 0
        guard let objects = number(at: trailer + 8, size: 8), let table = number(at: trailer + 24, size: 8) else {
            return nil
        }
        self.objects = objects
        self.table = table
    }

    /// A number, the highest byte first; nil if it is outside of the file, or too large.
    private func number(at offset: Int, size: Int) -> Int? {
        guard (1...8).contains(size), offset >= 0, offset <= bytes.count - size else { return nil }
        return Int(exactly: bytes[offset..<(offset + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// An element of a table of numbers; nil outside of the file.
    private func number(_ index: Int, ofTableAt offset: Int, size: Int) -> Int? {
        guard (0...bytes.count).contains(index), (0...bytes.count).contains(offset) else { return nil }
        return number(at: offset + index * size, size: size)
    }

    /// The value of an object.
    private mutating func node(_ object: Int, depth: Int) -> OptionNode? {
        valuesLeft -= 1
        guard valuesLeft >= 0, depth <= OptionNode.maximumDepth, object < objects,
            let offset = number(object, ofTableAt: table, size: offsetSize), offset < bytes.count
        else { return nil }
        let low = bytes[offset] & 0xF
        switch bytes[offset] >> 4 {
        case 0 where low == 8 || low == 9: return .flag(low == 9)
        case 1: return integer(at: offset).map { .number($0.value) }
        case 5, 6: return text(at: offset).map { .text($0) }
        case 0xA:
            guard let (start, count) = content(at: offset), count <= valuesLeft else { return nil }
            var list: [OptionNode] = []
            for index in 0..<count {
                guard let element = number(index, ofTableAt: start, size: referenceSize),
                    let node = node(element, depth: depth + 1)
                else { return nil }
                list.append(node)
            }
            return .list(list)
        case 0xD:
            guard let (start, count) = content(at: offset), count <= valuesLeft else { return nil }
            var group: [String: OptionNode] = [:]
            for index in 0..<count {
                guard let key = number(index, ofTableAt: start, size: referenceSize),
                    case .text(let name) = node(key, depth: depth + 1),
                    let value = number(index + count, ofTableAt: start, size: referenceSize),
                    let node = node(value, depth: depth + 1)
                else { return nil }
                group[name] = node
            }
            return .group(group)
        default: return nil
        }
    }

    /// A whole number, and the offset of its end. Only numbers of 8 bytes have a sign.
    private func integer(at offset: Int) -> (value: Int, end: Int)? {
        guard offset < bytes.count, bytes[offset] >> 4 == 1, bytes[offset] & 0xF <= 3 else { return nil }
        let size = 1 << Int(bytes[offset] & 0xF)
        guard offset + 1 <= bytes.count - size else { return nil }
        let digits = bytes[(offset + 1)..<(offset + 1 + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (Int(truncatingIfNeeded: digits), offset + 1 + size)
    }

    /// The offset of an object's content, and its length as the marker says it, or the number after it.
    private func content(at offset: Int) -> (start: Int, count: Int)? {
        let low = bytes[offset] & 0xF
        if low < 0xF { return (offset + 1, Int(exactly: low) ?? 0) }
        guard let (count, end) = integer(at: offset + 1), (0...bytes.count).contains(count) else { return nil }
        return (end, count)
    }

    /// A text in ASCII or UTF-16.
    private mutating func text(at offset: Int) -> String? {
        guard let (start, count) = content(at: offset) else { return nil }
        let isASCII = bytes[offset] >> 4 == 5
        let size = isASCII ? count : 2 * count
        guard start <= bytes.count, size <= bytes.count - start, size <= textLeft else { return nil }
        textLeft -= size
        let content = bytes[start..<(start + size)]
        if isASCII { return content.allSatisfy { $0 < 0x80 } ? String(decoding: content, as: UTF8.self) : nil }
        let units = stride(from: start, to: start + size, by: 2).map { index in
            let (first, second) = (content[index], content[index + 1])
            return UInt16(first) << 8 | UInt16(second)
        }
        return String(decoding: units, as: UTF16.self)
    }
}
