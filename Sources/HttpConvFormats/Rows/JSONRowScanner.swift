/// Finds the rows of a page of JSON while it arrives: `{"value": […]}` (OData 4.0 and the light JSON of 3.0), and
/// `{"d": {"results": […]}}` or `{"d": […]}` (the verbose JSON of 2.0 and 1.0).
///
/// It looks at brackets and quotes only. A complete row goes to a ``JSONDocument``, which checks it. Memory holds one
/// row and the rest of the chunk that it came in.
package final class JSONRowScanner: RowScanner {
    private enum Place { case start, member, colon, value, rows, end }

    /// The names of the members beside the rows that describe the page.
    private static let noted: Set<String> = [
        "@odata.nextLink", "@nextLink", "odata.nextLink", "__next", "@odata.count", "@count", "odata.count", "__count",
        "@odata.context", "@context", "odata.metadata", "@odata.deltaLink", "error", "odata.error",
    ]

    private let limits: RowLimits
    private var buffer: [UInt8] = []
    /// The start of the current value in the buffer.
    private var start = 0
    private var position = 0
    private var total = 0
    private var place = Place.start
    /// The number of open envelope objects: at most the outermost one and `d`.
    private var level = 0
    private var isAfterValue = false
    private var isAfterComma = false
    private var name = ""
    private var value = ValueScan()
    private var hasRows = false
    private var rowCount = 0
    package private(set) var page = PageEnvelope()

    package init(limits: RowLimits) { self.limits = limits }

    package func append(_ chunk: [UInt8]) throws(FormatFailure) {
        total += chunk.count
        guard total <= limits.pageBytes else { throw FormatFailure("the page is too long", isTooLarge: true) }
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= limits.rowBytes)
        } else if start > 0 {
            buffer.removeSubrange(..<start)
        }
        position -= start
        start = 0
        buffer += chunk
    }

    package func nextRow(into document: JSONDocument) throws(FormatFailure) -> Bool {
        while let byte = peek() {
            switch place {
            case .start:
                guard byte == UInt8(ascii: "{") else { throw FormatFailure("it is not a JSON object") }
                position += 1
                level = 1
                place = .member
            case .member: try member(byte)
            case .colon:
                guard byte == UInt8(ascii: ":") else { throw .notJSON(at: total) }
                position += 1
                place = .value
                value = ValueScan()
            case .value:
                guard try memberValue(byte) else { return false }
            case .rows:
                guard let isRow = try row(byte) else { return false }
                guard isRow else { continue }
                rowCount += 1
                guard rowCount <= limits.rows else {
                    throw FormatFailure("the page has too many rows", isTooLarge: true)
                }
                try document.read(buffer[start..<position])
                start = position
                return true
            case .end: throw .notJSON(at: total)
            }
        }
        return false
    }

    package func finish() throws(FormatFailure) {
        guard place == .end else { throw FormatFailure("it ends in the middle of a page") }
        guard hasRows || page.hasError else { throw FormatFailure("it has no rows") }
    }

    /// The next byte; between values, the next one that is not whitespace.
    private func peek() -> UInt8? {
        if !value.isUnderWay {
            while position < buffer.count, buffer[position].isBlank || isByteOrderMark { position += 1 }
            start = position
        }
        return position < buffer.count ? buffer[position] : nil
    }

    private var isByteOrderMark: Bool { place == .start && [0xEF, 0xBB, 0xBF].contains(buffer[position]) }

    private func member(_ byte: UInt8) throws(FormatFailure) {
        if value.isUnderWay || byte == UInt8(ascii: "\"") {
            if !value.isUnderWay, isAfterValue { throw .notJSON(at: total) }
            guard try scan(atMost: 1024) else { return }
            name = String(decoding: buffer[(start + 1)..<(position - 1)], as: UTF8.self)
            place = .colon
            value = ValueScan()
            isAfterComma = false
            return
        }
        switch byte {
        case UInt8(ascii: ",") where isAfterValue:
            isAfterValue = false
            isAfterComma = true
        case UInt8(ascii: "}") where !isAfterComma:
            level -= 1
            isAfterValue = true
            if level == 0 { place = .end }
        default: throw .notJSON(at: total)
        }
        position += 1
    }

    /// - Returns: false if more bytes are needed
    private func memberValue(_ byte: UInt8) throws(FormatFailure) -> Bool {
        if !value.isUnderWay {
            let isEnvelope = name == "d" && level == 1
            if byte == UInt8(ascii: "["), isEnvelope || name == "value" || name == "results" {
                guard !hasRows else { throw FormatFailure("it has rows in two places") }
                hasRows = true
                position += 1
                place = .rows
                isAfterValue = false
                return true
            }
            if byte == UInt8(ascii: "{"), isEnvelope {
                position += 1
                level = 2
                place = .member
                isAfterValue = false
                return true
            }
        }
        let isNoted = Self.noted.contains(name)
        guard try scan(atMost: isNoted ? limits.noteBytes : .max) else {
            if !isNoted { start = position }
            return false
        }
        if isNoted { try page.note(name, JSONDocument(Array(buffer[start..<position]))) }
        value = ValueScan()
        place = .member
        isAfterValue = true
        return true
    }

    /// - Returns: whether a row is complete; nil if more bytes are needed
    private func row(_ byte: UInt8) throws(FormatFailure) -> Bool? {
        if !value.isUnderWay {
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
                guard isAfterValue || (byte == UInt8(ascii: "]") && rowCount == 0) else { throw .notJSON(at: total) }
                if byte == UInt8(ascii: "]") {
                    place = .member
                    isAfterValue = true
                } else {
                    isAfterValue = false
                }
                position += 1
                return false
            }
            guard !isAfterValue else { throw .notJSON(at: total) }
        }
        guard try scan(atMost: limits.rowBytes) else { return nil }
        value = ValueScan()
        isAfterValue = true
        return true
    }

    /// - Returns: whether the value that starts at `start` is complete
    private func scan(atMost limit: Int) throws(FormatFailure) -> Bool {
        let isComplete = buffer.withUnsafeBufferPointer { value.scan($0, &position) }
        guard position - start <= limit else { throw FormatFailure("a part of it is too long", isTooLarge: true) }
        guard !isComplete || value.hasContent else { throw .notJSON(at: total) }
        guard value.depth <= limits.depth else { throw FormatFailure("it is nested too deeply", isTooLarge: true) }
        return isComplete
    }
}

/// Finds the end of a value by brackets and quotes.
private struct ValueScan {
    private(set) var depth = 0
    private(set) var isUnderWay = false
    /// Whether the value has any byte besides its end.
    private(set) var hasContent = false
    private var isText = false
    private var isEscaped = false
    private var isScalar = false

    /// Moves `position` behind the value.
    ///
    /// - Returns: false if the bytes end before the value does
    mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Bool {
        isUnderWay = true
        var index = position
        defer { position = index }
        while index < bytes.count {
            let byte = bytes[index]
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                    if depth == 0 {
                        index += 1
                        return true
                    }
                }
                index += 1
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                isText = true
                hasContent = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                hasContent = true
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return true }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return true
                }
            case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0, isScalar { return true }
            default:
                if depth == 0 {
                    isScalar = true
                    hasContent = true
                }
            }
            index += 1
        }
        return false
    }
}
