/// Bytes for the wire, with pauses and the end of the connection.
public struct WireScript: Sendable {
    /// A step of a script.
    public enum Step: Sendable {
        /// Bytes, written and flushed.
        case bytes([UInt8])
        /// A wait.
        case pause(Duration)
        /// Closes the connection in an orderly way.
        case close
        /// Closes the connection with a TCP reset.
        case reset
    }

    /// The steps in order. Without a closing step the connection stays open.
    public var steps: [Step]

    /// A script of these steps.
    public init(_ steps: [Step]) {
        self.steps = steps
    }

    /// A script with a text as UTF-8 bytes, and optionally the end of the connection.
    public init(_ text: String, thenClose: Bool = false) {
        steps = [.bytes(Array(text.utf8))] + (thenClose ? [.close] : [])
    }

    /// The status in the script's first final status line, if it has one.
    var status: Int? {
        for case .bytes(let bytes) in steps {
            let head = String(decoding: bytes.prefix(65_536), as: UTF8.self)
            for line in head.split(whereSeparator: \.isNewline) where line.hasPrefix("HTTP/1.") {
                let words = line.split(separator: " ")
                if words.count > 1, let status = Int(words[1]), status >= 200 { return status }
            }
        }
        return nil
    }
}
