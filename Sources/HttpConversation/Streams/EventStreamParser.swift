import HttpConvFormats

/// Parses the lines of an event stream into events (WHATWG HTML §9.2.6).
struct EventStreamParser: Sendable {
    /// The maximum size of one event's data, in bytes.
    let limit: Int
    private var type = ""
    private var data: [UInt8]?
    private var id = ""
    /// The id of the last event that had one, also of one without data.
    private(set) var lastEventID = ""
    /// The server's pause before reconnecting, if it has sent one.
    private(set) var retry: Duration?
    private var isFirst = true

    init(limit: Int) { self.limit = limit }

    /// Parses a line; returns the event that it completes.
    mutating func take(_ line: [UInt8]) throws(ConversationError) -> ServerSentEvent? {
        var line = line[...]
        if isFirst {
            isFirst = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        }
        if line.isEmpty { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        // A comment, such as one that keeps the connection alive.
        if colon == line.startIndex { return nil }
        var value: ArraySlice<UInt8> = []
        if let colon {
            value = line[(colon + 1)...]
            if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        }
        try take(String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self), value)
        return nil
    }

    private mutating func take(_ field: String, _ value: ArraySlice<UInt8>) throws(ConversationError) {
        switch field {
        case "event": type = String(decoding: value, as: UTF8.self)
        case "data":
            let before = data.map { $0.count + 1 } ?? 0
            guard before + value.count <= limit else {
                throw ConversationError(.tooLarge, "An event of the response body is larger than \(limit) bytes.")
            }
            if data == nil { data = [] } else { data?.append(UInt8(ascii: "\n")) }
            data? += value
        case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            // Larger values are ignored.
            if let milliseconds = PeerNumber.integer(value, in: 0...Int32.max) { retry = .milliseconds(milliseconds) }
        default: break
        }
    }

    /// Completes an event; nil if it has no data.
    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            type = ""
            data = nil
        }
        lastEventID = id
        guard let data else { return nil }
        return ServerSentEvent(
            type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self),
            lastEventID: lastEventID, retry: retry)
    }
}
