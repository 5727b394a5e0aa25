import CZlib
import HttpConvFormats

/// One zlib stream: takes bytes and returns bounded pieces of what they expand to.
struct Inflater: ~Copyable {
    enum Failure: Error {
        case damaged
        case noMemory
    }

    private static let pieceSize = 64 << 10

    // zlib keeps the stream's address, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let coding: ContentCoding
    private var isStarted = false
    private var isAtEnd = false
    /// Whether zlib may hold bytes for which the last piece had no room. It gives them out without further input.
    private var holdsOutput = false
    private var failure: Failure?
    private var input: [UInt8] = []
    private var offset = 0

    init(_ coding: ContentCoding) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isStarted { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    var needsInput: Bool { offset == input.count && !holdsOutput }
    /// Whether the input so far is empty or ends where a stream ends.
    var isComplete: Bool { !isStarted || isAtEnd }

    mutating func add(_ bytes: [UInt8]) {
        input = offset == input.count ? bytes : Array(input[offset...]) + bytes
        offset = 0
    }

    /// Expands some of the input. Returns an empty array if more input is needed.
    ///
    /// A piece takes at most twice the memory of its bytes: many small members of a hostile body must not hold a whole
    /// buffer each.
    mutating func piece() throws(Failure) -> [UInt8] {
        if let failure { throw failure }
        if needsInput { return [] }
        let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
            do throws(Failure) { try expand(into: buffer, &count) } catch { failure = error }
        }
        if piece.isEmpty, let failure { throw failure }
        return piece.count > Self.pieceSize / 2 ? piece : piece.withUnsafeBufferPointer { Array($0) }
    }

    /// Fills the buffer, over the ends of members, until it is full or the input is used up.
    private mutating func expand(into buffer: UnsafeMutableBufferPointer<UInt8>, _ count: inout Int) throws(Failure) {
        while count < buffer.count, !needsInput {
            if isAtEnd { try startNextMember() }
            if !isStarted { guard try start() else { return } }
            count += try inflateOnce(into: UnsafeMutableBufferPointer(rebasing: buffer[count...]))
        }
    }

    /// Calls zlib once.
    ///
    /// - Returns: the number of bytes of output: none for an empty member or an incomplete input
    private mutating func inflateOnce(into buffer: UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Int {
        let result = input.withUnsafeMutableBytes { bytes in
            let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
            stream.pointee.next_in = rest.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_in = UInt32(rest.count)
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(buffer.count)
            let result = inflate(stream, Z_NO_FLUSH)
            offset += rest.count - Int(stream.pointee.avail_in)
            return result
        }
        guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
            throw .damaged
        }
        if result == Z_STREAM_END { isAtEnd = true }
        holdsOutput = result == Z_OK && stream.pointee.avail_out == 0
        return buffer.count - Int(stream.pointee.avail_out)
    }

    /// Starts the next gzip member (RFC 1952 §2.2). A deflate stream has only one.
    private mutating func startNextMember() throws(Failure) {
        guard coding == .gzip, inflateReset(stream) == Z_OK else { throw .damaged }
        isAtEnd = false
    }

    /// Returns false if two bytes are needed to tell zlib's format from the bare deflate that some servers send.
    private mutating func start() throws(Failure) -> Bool {
        var windowBits: Int32 = 15 + 16
        if coding == .deflate {
            guard input.count - offset >= 2 else {
                return false
            }
            windowBits = DeflatedText.windowBits(ofDeflate: input[offset], input[offset + 1])
        }
        // Does the same as the macro `inflateInit2`: passes the header's version, which zlib checks against its own.
        let result = inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else { throw .noMemory }
        isStarted = true
        return true
    }
}
