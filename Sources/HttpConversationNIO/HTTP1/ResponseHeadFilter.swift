import HttpConvFormats
import HttpConvPlatform
import NIOCore

/// Repairs heads that the parser refuses. Several `Content-Length` values that are equal become one (RFC 9110 §8.6). A
/// field that goes on in the next lines becomes one line, with spaces in place of the line ends (obs-fold, RFC 9112
/// §5.2).
///
/// Runs before the parser. The parser still refuses lengths that differ or are not numbers, and folds in framing fields
/// or before the first field.
struct ResponseHeadFilter {
    private static let name = Array("content-length:".utf8)
    private static let coding = Array("transfer-encoding:".utf8)
    /// The longest line of a framing field that is held back until its end, in bytes.
    private static let maximumLine = 256

    private enum Line {
        /// The status line.
        case first
        /// A field, or the end of the head.
        case other
        /// A line whose start the parser has already seen.
        case unfinished(mayFold: Bool)
        /// A line that continues the previous one. The parser may see it at once.
        case continuation
    }

    private var next = Line.first
    /// Whether another head may follow: a 1xx is followed by one.
    private var mayBeInterim = true
    private var length: [UInt8]?
    /// Whether the status and the framing fields so far leave no doubt that `length` is the body's.
    private var isLengthCertain = false
    /// The numbers of bytes of head and body, if the last call saw the end of a final head that leaves no doubt. For an
    /// answer to `HEAD`, there is no body all the same.
    private(set) var message: (head: Int, body: Int)?
    /// The number of bytes at the buffer's start that the parser has seen but not consumed.
    private var seen = 0

    private struct Edit {
        let range: Range<Int>
        let replacement: [UInt8]
    }

    /// Scans the new bytes of a head.
    ///
    /// - Returns: how many bytes the parser may see now, and whether to call again at once for the rest
    mutating func filter(_ buffer: inout ByteBuffer) -> (count: Int, hasMore: Bool) {
        var edits: [Edit] = []
        var folds: [Range<Int>] = []
        message = nil
        var (count, hasMore) = buffer.withUnsafeReadableBytes { scan($0, &edits, &folds) }
        for fold in folds {
            buffer.setRepeatingByte(0x20, count: fold.count, at: buffer.readerIndex + fold.lowerBound)
        }
        for edit in edits.reversed() {
            let start = buffer.readerIndex + edit.range.lowerBound
            let rest = buffer.getSlice(
                at: buffer.readerIndex + edit.range.upperBound, length: buffer.readableBytes - edit.range.upperBound)
            buffer.moveWriterIndex(to: start)
            buffer.writeBytes(edit.replacement)
            if var rest { buffer.writeBuffer(&rest) }
            count += edit.replacement.count - edit.range.count
            message?.head += edit.replacement.count - edit.range.count
        }
        return (count, hasMore && count < buffer.readableBytes)
    }

    /// Notes how many of the bytes shown to the parser it consumed.
    mutating func taken(_ count: Int, of shown: Int) { seen = max(0, shown - count) }

    /// Starts over: a new request was sent, so a new head follows.
    mutating func reset() { self = ResponseHeadFilter() }

    private mutating func scan(
        _ bytes: UnsafeRawBufferPointer, _ edits: inout [Edit], _ folds: inout [Range<Int>]
    ) -> (count: Int, hasMore: Bool) {
        var index = seen
        while index < bytes.count {
            guard let base = bytes.baseAddress, let found = memchr(base + index, 0x0A, bytes.count - index) else {
                return (unfinished(bytes[index...]), false)
            }
            let end = base.distance(to: UnsafeRawPointer(found)) + 1
            let line = bytes[index..<end]
            switch next {
            case .first where Self.isBlank(line):
                index = end
                continue
            case .first:
                mayBeInterim = Self.isInterim(line)
                isLengthCertain = Self.hasBody(line)
                next = .other
                index = end
                continue
            case .other where Self.isBlank(line):
                let isFinal = !mayBeInterim
                let body = isLengthCertain ? length.flatMap { PeerNumber.integer($0, in: 0...Int.max - end) } : nil
                reset()
                message = isFinal ? body.map { (end, $0) } : nil
                return isFinal ? (bytes.count, false) : (end, true)
            default: break
            }
            // The start of the next line shows whether a field goes on.
            guard end < bytes.count else { return (index, false) }
            if bytes[end] == 0x20 || bytes[end] == 0x09 {
                // A fold that is left in place is refused by the parser.
                if mayFold(line) { folds.append(Self.lineEnd(of: line)) }
                next = .continuation
            } else {
                if case .other = next { joinLength(line, &edits) }
                next = .other
            }
            index = end
        }
        return (bytes.count, false)
    }

    /// Handles the start of a line that has not ended yet.
    ///
    /// - Returns: how many bytes of the buffer the parser may see
    private mutating func unfinished(_ rest: Slice<UnsafeRawBufferPointer>) -> Int {
        let hasReturn = rest.last == 0x0D
        switch next {
        case .unfinished: break
        case .continuation: next = .unfinished(mayFold: true)
        // This may be an empty line.
        case .first where hasReturn && rest.count == 1, .other where hasReturn && rest.count == 1:
            return rest.startIndex
        case .first: next = .unfinished(mayFold: false)
        case .other:
            let isFraming = Self.mayBeFraming(rest)
            if isFraming, rest.count < Self.maximumLine { return rest.startIndex }
            if isFraming { isLengthCertain = false }
            next = .unfinished(mayFold: !isFraming)
        }
        return hasReturn ? rest.endIndex - 1 : rest.endIndex
    }

    private func mayFold(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        switch next {
        case .first: false
        case .other: !Self.mayBeFraming(line) && line.first != 0x20 && line.first != 0x09
        case .unfinished(let mayFold): mayFold
        case .continuation: true
        }
    }

    /// The range of the line end: CR and LF, or LF alone.
    private static func lineEnd(of line: Slice<UnsafeRawBufferPointer>) -> Range<Int> {
        let hasReturn = line.count > 1 && line[line.endIndex - 2] == 0x0D
        return (line.endIndex - (hasReturn ? 2 : 1))..<line.endIndex
    }

    /// Removes a repeated length and reduces a list of equal lengths to one.
    private mutating func joinLength(_ line: Slice<UnsafeRawBufferPointer>, _ edits: inout [Edit]) {
        if line.first.map({ $0 | 0x20 }) == UInt8(ascii: "t"), Self.mayBeFraming(line) { isLengthCertain = false }
        // One letter tells most fields apart: Content-L…, not Content-T… or Content-E….
        guard line.count > Self.name.count, line[line.startIndex + 8] | 0x20 == UInt8(ascii: "l"),
            let value = Self.length(in: line)
        else { return }
        if let length, length == value.text {
            edits.append(Edit(range: line.startIndex..<line.endIndex, replacement: []))
        } else if length == nil {
            length = value.text
            guard value.count > 1 else { return }
            edits.append(
                Edit(
                    range: line.startIndex..<line.endIndex, replacement: Self.name + value.text + [0x0D, 0x0A]))
        }
    }

    private static func isBlank(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        line.allSatisfy { $0 == 0x0D || $0 == 0x0A }
    }

    /// Whether a status line is that of a 1xx, such as `HTTP/1.1 103 …`.
    private static func isInterim(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        line.firstIndex(of: 0x20).map { line[($0 + 1)...].first == UInt8(ascii: "1") } ?? false
    }

    /// Whether a status line is that of a response with a body, such as `HTTP/1.1 200 …` (RFC 9112 §6.3).
    private static func hasBody(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let space = line.firstIndex(of: 0x20) else { return false }
        let status = PeerNumber.integer(
            UnsafeRawBufferPointer(rebasing: line[(space + 1)...].prefix(3)), in: 200...999)
        return status != nil && status != 204 && status != 304
    }

    private static func mayBeLength(_ line: Slice<UnsafeRawBufferPointer>) -> Bool { starts(line, with: name) }

    /// Whether a line, or the start of one, may state the message's length. White space before the colon does not make
    /// it another field.
    private static func mayBeFraming(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        starts(line, with: name.dropLast()) || starts(line, with: coding.dropLast())
    }

    private static func starts(_ line: Slice<UnsafeRawBufferPointer>, with name: some Sequence<UInt8>) -> Bool {
        zip(line, name).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }

    /// The value of a `Content-Length`, which may be a list of equal numbers.
    private static func length(in line: Slice<UnsafeRawBufferPointer>) -> (text: [UInt8], count: Int)? {
        guard line.count > name.count, mayBeLength(line) else { return nil }
        let value = line.dropFirst(name.count)
        guard value.contains(UInt8(ascii: ",")) else { return number(value).map { ($0, 1) } }
        let members = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(number)
        guard let first = members.first, let first, members.allSatisfy({ $0 == first }) else { return nil }
        return (first, members.count)
    }

    /// The digits, if the text has only digits and white space.
    private static func number(_ text: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        let digits = text.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D && $0 != 0x0A }
        return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) } ? digits : nil
    }
}
