import HttpConvFormats

/// Splits `multipart/mixed` (RFC 2046 §5.1) in linear time. Line ends may be LF alone.
enum MultipartReader {
    struct Part {
        /// Fields by their names in small letters.
        let fields: [String: String]
        let body: ArraySlice<UInt8>
    }

    private static let maximumParts = 10_000
    private static let maximumFields = 100
    private static let maximumLine = 16 << 10
    /// The fields that have one value and decide how a part is read. Repetitions of others are one list (RFC 9110
    /// §5.3).
    private static let singleFields: Set = [
        "content-id", "content-length", "content-transfer-encoding", "content-type", "etag", "location",
    ]

    /// The boundary of a `Content-Type`; nil for other types than `multipart/mixed`, or without a boundary.
    static func boundary(_ contentType: String?) -> String? {
        guard let contentType, contentType.lowercased().hasPrefix("multipart/mixed") else { return nil }
        for parameter in contentType.split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].trimmingSpaces.lowercased() == "boundary" else { continue }
            var value = pair[1].trimmingSpaces
            if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") { value = value.dropFirst().dropLast() }
            return value.isEmpty || value.utf8.count > 70 ? nil : String(value)
        }
        return nil
    }

    static func parts(_ bytes: ArraySlice<UInt8>, boundary: String) throws(FormatFailure) -> [Part] {
        let delimiter = Array("--\(boundary)".utf8)
        var parts: [Part] = []
        var start: Int?
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let (line, next) = line(bytes, at: position)
            if line.starts(with: delimiter) {
                let rest = line.dropFirst(delimiter.count)
                let isLast = rest.starts(with: "--".utf8)
                if (isLast ? rest.dropFirst(2) : rest).allSatisfy(\.isSpaceOrTab) {
                    // The line end before a delimiter belongs to the delimiter.
                    if let start {
                        parts.append(try part(bytes[start..<max(start, beforeLineEnd(bytes, position, start))]))
                    }
                    if isLast { return parts }
                    guard parts.count < maximumParts else {
                        throw FormatFailure("it has too many parts", isTooLarge: true)
                    }
                    start = next
                }
            }
            position = next
        }
        throw FormatFailure("it ends in the middle of a part")
    }

    /// Reads a message of `application/http` (RFC 9112 §2): the first line, fields and the body.
    static func message(_ bytes: ArraySlice<UInt8>) throws(FormatFailure) -> (status: Int, part: Part) {
        let (line, next) = line(bytes, at: bytes.startIndex)
        let words = line.split(separator: 0x20, maxSplits: 2)
        guard words.count >= 2, words[0].starts(with: "HTTP/".utf8),
            let status = PeerNumber.integer(words[1], as: Int.self), (100...599).contains(status)
        else { throw FormatFailure("a part of it is not an HTTP response") }
        var part = try part(bytes[next...])
        if let length = part.fields["content-length"] {
            guard let count = PeerNumber.integer(length.utf8, as: Int.self), count >= 0, count <= part.body.count else {
                throw FormatFailure("a part of it is cut off")
            }
            part = Part(fields: part.fields, body: part.body.prefix(count))
        }
        return (status, part)
    }

    /// Reads fields, an empty line, and the body.
    private static func part(_ bytes: ArraySlice<UInt8>) throws(FormatFailure) -> Part {
        var fields: [String: String] = [:]
        var count = 0
        var position = bytes.startIndex
        while position < bytes.endIndex {
            let (line, next) = try field(bytes, at: position)
            position = next
            if line.isEmpty { return Part(fields: fields, body: bytes[position...]) }
            count += 1
            guard line.count <= maximumLine, count <= maximumFields else {
                throw FormatFailure("a part of it has too many fields", isTooLarge: true)
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw FormatFailure("a part of it has a field without a colon")
            }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self)
            let text = String(value.trimmingSpaces)
            if fields[name] == nil {
                fields[name] = text
            } else if singleFields.contains(name) {
                throw FormatFailure("a part of it has a field twice")
            } else {
                fields[name]?.append(", \(text)")
            }
        }
        return Part(fields: fields, body: bytes[bytes.endIndex...])
    }

    /// Reads a field, which may go on in the next lines (RFC 5322 §2.2.3, RFC 9112 §5.2), or the empty line behind the
    /// fields.
    private static func field(
        _ bytes: ArraySlice<UInt8>, at start: Int
    ) throws(FormatFailure) -> (ArraySlice<UInt8>, Int) {
        var (field, next) = line(bytes, at: start)
        guard !field.isEmpty else { return (field, next) }
        guard field.first != 0x20, field.first != 0x09 else {
            throw FormatFailure("a part of it has white space before its first field")
        }
        while next < bytes.endIndex, bytes[next].isSpaceOrTab {
            // A length must be in one line.
            guard !field.starts(with: "content-length".utf8, by: { $0 | 0x20 == $1 | 0x20 }) else {
                throw FormatFailure("a part of it has a length in two lines")
            }
            let (more, after) = line(bytes, at: next)
            guard field.count + more.count < maximumLine else {
                throw FormatFailure("a part of it has too many fields", isTooLarge: true)
            }
            field += [0x20] + more
            next = after
        }
        return (field, next)
    }

    /// Reads a line. Returns it without its end, and the start of the next one.
    private static func line(_ bytes: ArraySlice<UInt8>, at start: Int) -> (ArraySlice<UInt8>, Int) {
        guard let end = bytes[start...].firstIndex(of: 0x0A) else { return (bytes[start...], bytes.endIndex) }
        let isCRLF = end > start && bytes[end - 1] == 0x0D
        return (bytes[start..<(isCRLF ? end - 1 : end)], end + 1)
    }

    private static func beforeLineEnd(_ bytes: ArraySlice<UInt8>, _ position: Int, _ start: Int) -> Int {
        guard position > start else { return position }
        let end = bytes[position - 1] == 0x0A ? position - 1 : position
        return end > start && bytes[end - 1] == 0x0D ? end - 1 : end
    }
}
