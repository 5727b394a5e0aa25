import HTTPTypes
import HttpConvFormats
import HttpConvPlatform
import HttpConversation
import NIOCore

/// Reads heads of responses (RFC 9112 §4, §5), and leaves the bytes after them, which are a body or another protocol.
struct ResponseHeadReader: Sendable {
    /// The reason why the bytes are not such a head.
    enum Fault: Error, Equatable {
        case notHTTP, tooLarge, invalidStatus, invalidField
    }

    /// The maximum number of fields of a head, over HTTP/2, too.
    static let maximumFields = 1000
    /// The largest head whose names of fields are kept for the next one, in bytes.
    private static let maximumRemembered = 4 << 10

    private let maximumBytes: Int
    private let takesLineFeeds: Bool
    /// The number of bytes of all heads so far.
    private var taken = 0
    /// The number of them before the present head.
    private var takenBefore = 0
    private var status: (status: HTTPResponse.Status, version: ProtocolVersion)?
    private var fields = HTTPFields()
    /// The names of the fields of the head before. A server sends most of them again, and a name takes longer to make
    /// than to compare. Values are not kept: they may be secrets.
    private(set) var names: [HTTPField.Name] = []
    /// Whether `names` has the names of all fields so far.
    private var isRepeated = true
    /// The number of bytes of an unfinished line that need not be searched again for its end.
    private var searched = 0
    /// Whether the line goes on in the next one.
    private var isFolded = false

    /// - Parameters:
    ///   - maximumBytes: the limit for all heads together
    ///   - takesLineFeeds: whether LF alone ends a line, too (RFC 9112 §2.2). Text with a line feed that a careless
    ///     server copies into a field would begin another one.
    init(maximumBytes: Int, takesLineFeeds: Bool = false) {
        self.maximumBytes = maximumBytes
        self.takesLineFeeds = takesLineFeeds
    }

    /// Prepares for the heads of another response.
    mutating func reset() {
        taken = 0
        beginHead()
    }

    private mutating func beginHead() {
        takenBefore = taken
        status = nil
        fields = HTTPFields()
        isRepeated = true
        searched = 0
        isFolded = false
    }

    /// Reads the next head. Returns nil until all of it has arrived, and leaves an unfinished line in the buffer: the
    /// caller calls again with more bytes behind it.
    mutating func read(_ buffer: inout ByteBuffer) throws(Fault) -> ResponseHead? {
        let result = buffer.withUnsafeReadableBytes { bytes in
            Result { () throws(Fault) in try read(bytes) }
        }
        let (head, count) = try result.get()
        buffer.moveReaderIndex(forwardBy: count)
        return head
    }

    private mutating func read(_ arrived: UnsafeRawBufferPointer) throws(Fault) -> (ResponseHead?, count: Int) {
        let bytes = UnsafeRawBufferPointer(rebasing: arrived.prefix(maximumBytes - taken))
        var start = 0
        if status == nil { try Self.checkStart(bytes) }
        try checkCount(bytes)
        while let (line, next) = try nextLine(in: bytes, from: start) {
            start = next
            if let (status, version) = status {
                guard line.isEmpty else {
                    try add(line)
                    try checkCount(UnsafeRawBufferPointer(rebasing: bytes[start...]))
                    continue
                }
                taken += start
                if !isRepeated || fields.count != names.count {
                    names = taken - takenBefore <= Self.maximumRemembered ? fields.map(\.name) : []
                }
                defer { beginHead() }
                return (ResponseHead(status: status, fields: fields, version: version), start)
            }
            // Empty lines before the head are skipped, as NIO's parser does.
            if !line.isEmpty { status = try Self.status(line) }
            if status == nil { try Self.checkStart(UnsafeRawBufferPointer(rebasing: bytes[start...])) }
        }
        guard bytes.count == arrived.count else { throw .tooLarge }
        taken += start
        return (nil, start)
    }

    /// The line that begins at an index, without its end, and the index of the next one; nil if its end has not
    /// arrived. A field that goes on in the next lines is one line (obs-fold, RFC 9112 §5.2).
    private mutating func nextLine(
        in bytes: UnsafeRawBufferPointer, from start: Int
    ) throws(Fault) -> (line: UnsafeRawBufferPointer, next: Int)? {
        while let end = Self.lineFeed(in: bytes, from: start + searched) {
            let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
            guard hasReturn || takesLineFeeds else { throw status == nil ? .invalidStatus : .invalidField }
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<(hasReturn ? end - 1 : end)])
            if status != nil, !line.isEmpty {
                // The start of the next line shows whether the field goes on.
                guard end + 1 < bytes.count else {
                    searched = end - start
                    return nil
                }
                if bytes[end + 1].isSpaceOrTab {
                    isFolded = true
                    searched = end + 1 - start
                    continue
                }
            }
            searched = 0
            return (line, end + 1)
        }
        searched = bytes.count - start
        return nil
    }

    private static func lineFeed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
    }

    // MARK: The status line

    private static let start = Array("HTTP/1.".utf8)

    /// Refuses a peer at once if it speaks another protocol.
    private static func checkStart(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
        if bytes.first == UInt8(ascii: "\r") || bytes.first == UInt8(ascii: "\n") { return }
        guard zip(bytes, start).allSatisfy({ $0 == $1 }) else { throw .notHTTP }
    }

    /// Parses `HTTP/1.0` or `HTTP/1.1` and `SP 3DIGIT [SP reason]`. Many servers leave out the second space with the
    /// reason.
    private static func status(
        _ line: UnsafeRawBufferPointer
    ) throws(Fault) -> (status: HTTPResponse.Status, version: ProtocolVersion) {
        guard line.count >= 12, line.starts(with: start), let minor = number(line[7..<8]), minor <= 1,
            line[8] == UInt8(ascii: " "),
            let code = number(line[9..<12]), code >= 100, line.count == 12 || line[12] == UInt8(ascii: " "),
            isText(line[12...])
        else { throw .invalidStatus }
        let reason = String(decoding: line.dropFirst(13), as: UTF8.self)
        return (
            code == 200 && reason == "OK" ? .ok : HTTPResponse.Status(code: code, reasonPhrase: reason),
            ProtocolVersion(major: 1, minor: minor)
        )
    }

    private static func number(_ digits: Bytes) -> Int? {
        PeerNumber.integer(UnsafeRawBufferPointer(rebasing: digits), in: 0...999)
    }

    // MARK: Fields

    /// Refuses a field too many at its first byte.
    private func checkCount(_ line: UnsafeRawBufferPointer) throws(Fault) {
        guard fields.count == Self.maximumFields, let first = line.first else { return }
        if first != UInt8(ascii: "\r"), first != UInt8(ascii: "\n") { throw .tooLarge }
    }

    private mutating func add(_ line: UnsafeRawBufferPointer) throws(Fault) {
        defer { isFolded = false }
        if fields.isEmpty { fields.reserveCapacity(names.count) }
        if isFolded {
            isRepeated = false
            return fields.append(try Self.unfolded(line))
        }
        let (name, value) = try Self.parts(line)
        if fields.count < names.count, Self.isEqual(name, names[fields.count].rawName) {
            fields.append(try Self.field(names[fields.count], value))
        } else {
            isRepeated = false
            fields.append(try Self.field(line))
        }
    }

    /// Reads a field line (RFC 9112 §5).
    static func field(_ line: UnsafeRawBufferPointer) throws(Fault) -> HTTPField {
        let (name, value) = try parts(line)
        guard let name = HTTPField.Name(String(decoding: name, as: UTF8.self)) else { throw .invalidField }
        return try field(name, value)
    }

    private typealias Bytes = Slice<UnsafeRawBufferPointer>

    private static func parts(_ line: UnsafeRawBufferPointer) throws(Fault) -> (name: Bytes, value: Bytes) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .invalidField }
        return (line[..<colon], trimmed(line[(colon + 1)...]))
    }

    private static func field(_ name: HTTPField.Name, _ value: Bytes) throws(Fault) -> HTTPField {
        guard isText(value) else { throw .invalidField }
        return HTTPField(name: name, value: String(decoding: value, as: UTF8.self))
    }

    private static func isEqual(_ bytes: Bytes, _ text: String) -> Bool {
        let isEqual = text.utf8.withContiguousStorageIfAvailable { text in
            guard bytes.count == text.count, let first = UnsafeRawBufferPointer(rebasing: bytes).baseAddress,
                let second = text.baseAddress
            else { return false }
            return memcmp(first, second, text.count) == 0
        }
        return isEqual ?? false
    }

    /// Reads a field that has several lines, with spaces in place of the line ends. A field that frames the message
    /// must have one (security rule S24).
    private static func unfolded(_ lines: UnsafeRawBufferPointer) throws(Fault) -> HTTPField {
        var line: [UInt8] = []
        for byte in lines {
            if byte == UInt8(ascii: "\n"), line.last == UInt8(ascii: "\r") { line.removeLast() }
            line.append(byte == UInt8(ascii: "\n") ? UInt8(ascii: " ") : byte)
        }
        let result = line.withUnsafeBytes { bytes in Result { () throws(Fault) in try field(bytes) } }
        let unfolded = try result.get()
        guard unfolded.name != .contentLength, unfolded.name != .transferEncoding else { throw .invalidField }
        return unfolded
    }

    private static func trimmed(_ value: Bytes) -> Bytes {
        guard let start = value.firstIndex(where: { !$0.isSpaceOrTab }),
            let last = value.lastIndex(where: { !$0.isSpaceOrTab })
        else { return value[value.endIndex...] }
        return value[start...last]
    }

    /// Whether there are no control characters but tabs (RFC 9110 §5.5).
    static func isText(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }
}
