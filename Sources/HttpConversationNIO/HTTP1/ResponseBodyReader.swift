import HTTPTypes
import HttpConvFormats
import HttpConversation
import NIOCore

/// Reads the body of a response (RFC 9112 §6, §7) and not a byte more.
struct ResponseBodyReader {
    typealias Refusal = ExchangeProgress.Refusal

    private enum State {
        /// The number of bytes that are missing.
        case counted(Int)
        case chunkSize
        /// The number of bytes that are missing of a chunk.
        case chunk(Int)
        case chunkEnd
        case trailers
        case untilClose
        case complete
    }

    /// The longest line before a chunk or of a trailer, in bytes.
    private static let maximumLine = 8 << 10
    /// The limit for all trailers together, in bytes.
    private static let maximumTrailers = 64 << 10

    /// The number of bytes that the lines of chunks may have beyond their share of the data. Without this limit, little
    /// data would take any number of bytes.
    private static let maximumOverhead = 64 << 10

    private var state: State
    /// The number of bytes of an unfinished line that need not be searched again for its end.
    private var searched = 0
    /// The bytes of chunks' lines beyond their share.
    private var overhead = 0
    private var trailerBytes = 0

    var isComplete: Bool { if case .complete = state { true } else { false } }
    var endsWithConnection: Bool { if case .untilClose = state { true } else { false } }

    /// Finds out how long the body is (RFC 9112 §6.3).
    ///
    /// - Parameters:
    ///   - head: a final head with one `Content-Length` at most
    ///   - isHead: whether it answers `HEAD`
    init(_ head: ResponseHead, isHead: Bool) throws(Refusal) {
        let isChunked = try Self.isChunked(head)
        if !head.mayHaveContent(isHead: isHead) {
            state = .complete
        } else if isChunked {
            state = .chunkSize
        } else if let length = head.fields.announcedLength {
            state = length > 0 ? .counted(length) : .complete
        } else {
            state = .untilClose
        }
    }

    private static func isChunked(_ head: ResponseHead) throws(Refusal) -> Bool {
        guard head.fields.has(.transferEncoding) else { return false }
        if head.fields.has(.contentLength) { throw .transferEncodingAndLength }
        guard head.fields[values: .transferEncoding].map(\.asciiLowercased) == ["chunked"] else {
            throw .unknownTransferEncoding
        }
        return true
    }

    /// Moves the body's bytes out of a buffer. Leaves an unfinished line in it, for which the caller calls again with
    /// more bytes, and what follows the response.
    mutating func read(_ buffer: inout ByteBuffer, into bytes: inout BurstBytes) throws(Refusal) {
        while buffer.readableBytes > 0 {
            switch state {
            case .complete: return
            case .untilClose: Self.move(buffer.readableBytes, from: &buffer, to: &bytes)
            case .counted(let count):
                let rest = Self.move(count, from: &buffer, to: &bytes)
                state = rest > 0 ? .counted(rest) : .complete
            case .chunk(let count):
                let rest = Self.move(count, from: &buffer, to: &bytes)
                state = rest > 0 ? .chunk(rest) : .chunkEnd
            case .chunkEnd:
                guard try line(&buffer, limit: 0, else: .invalidChunk, tooLong: .invalidChunk) != nil else {
                    return
                }
                state = .chunkSize
            case .chunkSize:
                let line = try line(&buffer, limit: Self.maximumLine, else: .invalidChunk, tooLong: .invalidChunk)
                guard let line else { return }
                let size = try Self.chunkSize(line)
                try countOverhead(of: line, size)
                state = size > 0 ? .chunk(size) : .trailers
            case .trailers:
                let limit = min(Self.maximumLine, Self.maximumTrailers - trailerBytes)
                let line = try line(&buffer, limit: limit, else: .invalidTrailer, tooLong: .largeTrailers)
                guard let line else { return }
                try readTrailer(line)
            }
        }
    }

    /// Moves up to `count` bytes; returns how many are missing.
    @discardableResult private static func move(
        _ count: Int, from buffer: inout ByteBuffer, to bytes: inout BurstBytes
    ) -> Int {
        guard let part = buffer.readSlice(length: min(count, buffer.readableBytes)) else { return count }
        bytes.append(part)
        return count - part.readableBytes
    }

    /// Takes a line, which ends with CR and LF; nil if its end has not arrived.
    ///
    /// - Parameters:
    ///   - limit: the greatest number of bytes before the end; 0 for an empty line
    ///   - invalid: the refusal of a line that ends otherwise
    ///   - tooLong: the refusal of a longer line
    private mutating func line(
        _ buffer: inout ByteBuffer, limit: Int, else invalid: Refusal, tooLong: Refusal
    ) throws(Refusal) -> ByteBuffer? {
        let view = buffer.readableBytesView.prefix(limit + 2)
        guard let end = view.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
            searched = view.count
            if view.count > limit, view.last != UInt8(ascii: "\r") || view.count > limit + 1 { throw tooLong }
            return nil
        }
        guard end > view.startIndex, view[end - 1] == UInt8(ascii: "\r"),
            let line = buffer.readSlice(length: end - 1 - view.startIndex)
        else { throw invalid }
        searched = 0
        buffer.moveReaderIndex(forwardBy: 2)
        return line
    }

    /// Reads a chunk's size (RFC 9112 §7.1), and ignores its extensions. Some servers fill the line up with spaces.
    private static func chunkSize(_ line: ByteBuffer) throws(Refusal) -> Int {
        var size = 0
        var rest = line.readableBytesView
        guard rest.first?.hexDigit != nil else { throw .invalidChunk }
        while let digit = rest.first?.hexDigit {
            guard size <= Int.max >> 4 else { throw .invalidChunk }
            size = size << 4 | Int(digit)
            rest = rest.dropFirst()
        }
        rest = rest.drop(while: \.isSpaceOrTab)
        guard rest.isEmpty || rest.first == UInt8(ascii: ";"), ResponseHeadReader.isText(rest) else {
            throw .invalidChunk
        }
        return size
    }

    /// Each chunk may have a line of 16 bytes, and of twice its size, at most 16 KiB.
    private mutating func countOverhead(of line: ByteBuffer, _ size: Int) throws(Refusal) {
        overhead = max(0, overhead + line.readableBytes - 16 - 2 * min(size, Self.maximumLine))
        guard overhead <= Self.maximumOverhead else { throw .invalidChunk }
    }

    /// Checks a trailer field, which is left out; an empty line ends the body.
    private mutating func readTrailer(_ line: ByteBuffer) throws(Refusal) {
        if line.readableBytes == 0 { return state = .complete }
        trailerBytes += line.readableBytes
        let isField = line.withUnsafeReadableBytes { (try? ResponseHeadReader.field($0)) != nil }
        guard isField else { throw .invalidTrailer }
    }
}
