import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Makes one of a `Content-Length` that a head has several times with the same value (RFC 9110 §8.6).
///
/// Stands before the parser, which refuses any repetition. What differs, or is no number, is left for it to refuse.
struct RepeatedLengthFilter {
    private static let name = Array("content-length:".utf8)
    /// A longer line is no length that anybody means: it is not waited for.
    private static let maximumLine = 256

    private enum Line {
        case first, other, unfinished
    }

    private var next = Line.first
    /// After the head of a 1xx comes another.
    private var mayBeInterim = true
    private var length: [UInt8]?
    /// The bytes at the buffer's start that the parser has seen and not taken.
    private var seen = 0

    private struct Edit {
        let range: Range<Int>
        let replacement: [UInt8]
    }

    /// Looks through what is new of a head.
    ///
    /// - Returns: how many bytes the parser may see now, and whether it may be asked again for the rest at once
    mutating func filter(_ buffer: inout ByteBuffer) -> (count: Int, hasMore: Bool) {
        var edits: [Edit] = []
        var (count, hasMore) = buffer.withUnsafeReadableBytes { scan($0, &edits) }
        for edit in edits.reversed() {
            let start = buffer.readerIndex + edit.range.lowerBound
            let rest = buffer.getSlice(
                at: buffer.readerIndex + edit.range.upperBound, length: buffer.readableBytes - edit.range.upperBound)
            buffer.moveWriterIndex(to: start)
            buffer.writeBytes(edit.replacement)
            if var rest { buffer.writeBuffer(&rest) }
            count += edit.replacement.count - edit.range.count
        }
        return (count, hasMore && count < buffer.readableBytes)
    }

    /// The parser took so many of the bytes that it saw.
    mutating func taken(_ count: Int, of shown: Int) { seen = max(0, shown - count) }

    /// A new request goes out: what comes next is a new head.
    mutating func reset() { self = RepeatedLengthFilter() }

    private mutating func scan(_ bytes: UnsafeRawBufferPointer, _ edits: inout [Edit]) -> (count: Int, hasMore: Bool) {
        var index = seen
        while index < bytes.count {
            guard let base = bytes.baseAddress, let found = memchr(base + index, 0x0A, bytes.count - index) else {
                let rest = bytes[index...]
                if next == .other, rest.count < Self.maximumLine, Self.mayBeLength(rest) { return (index, false) }
                next = .unfinished
                return (bytes.count, false)
            }
            let end = base.distance(to: UnsafeRawPointer(found)) + 1
            let line = bytes[index..<end]
            switch next {
            case .unfinished: next = .other
            case .first where Self.isBlank(line): break
            case .first:
                mayBeInterim = Self.isInterim(line)
                next = .other
            case .other where Self.isBlank(line):
                let isFinal = !mayBeInterim
                reset()
                return isFinal ? (bytes.count, false) : (end, true)
            // Most fields are told apart by one letter: Content-L…, not Content-T… or Content-E….
            case .other where end - index <= Self.name.count || bytes[index + 8] | 0x20 != UInt8(ascii: "l"): break
            case .other:
                guard let value = Self.length(in: line) else { break }
                // A line that goes on in the next one is the parser's to refuse.
                guard end < bytes.count else { return (index, false) }
                guard bytes[end] != 0x20, bytes[end] != 0x09 else { break }
                if let length, length == value.text {
                    edits.append(Edit(range: index..<end, replacement: []))
                } else if length == nil {
                    length = value.text
                    if value.count > 1 {
                        edits.append(Edit(range: index..<end, replacement: Self.name + value.text + [0x0D, 0x0A]))
                    }
                }
            }
            index = end
        }
        return (bytes.count, false)
    }

    private static func isBlank(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        line.allSatisfy { $0 == 0x0D || $0 == 0x0A }
    }

    /// `HTTP/1.1 103 …`.
    private static func isInterim(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        line.firstIndex(of: 0x20).map { line[($0 + 1)...].first == UInt8(ascii: "1") } ?? false
    }

    private static func mayBeLength(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        zip(line, name).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }

    /// The value of a length, which may be a list of equal numbers.
    private static func length(in line: Slice<UnsafeRawBufferPointer>) -> (text: [UInt8], count: Int)? {
        guard line.count > name.count, mayBeLength(line) else { return nil }
        let value = line.dropFirst(name.count)
        guard value.contains(UInt8(ascii: ",")) else { return number(value).map { ($0, 1) } }
        let members = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(number)
        guard let first = members.first, let first, members.allSatisfy({ $0 == first }) else { return nil }
        return (first, members.count)
    }

    /// The digits, where there is nothing else but white space.
    private static func number(_ text: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        let digits = text.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D && $0 != 0x0A }
        return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) } ? digits : nil
    }
}
