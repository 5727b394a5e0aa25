import HTTPTypes
public import HttpConvPlatform

/// The events of conversations and their children, as a value: the source of exports and reports.
///
/// Holds redacted text only; it can be kept, printed and sent. `HttpConvTranscripts` converts it into files for people.
public struct Transcript: Sendable, Hashable, Codable {
    /// A conversation's part of the transcript.
    public struct Entry: Sendable, Hashable, Codable {
        /// The id of the conversation, sixteen hexadecimal digits.
        public let conversation: String
        /// The id of its parent, for a child.
        public let parent: String?
        /// The event's kind.
        public let kind: String
        /// Microseconds since the conversation's start.
        public let microseconds: Int64
        /// The same by the clock on the wall.
        public let date: Date
        /// The request line's method.
        public internal(set) var method: String?
        /// The URL of a request or redirect, redacted.
        public internal(set) var url: String?
        /// The origin of that URL, or of the protection space.
        public internal(set) var origin: String?
        /// The proxy that an exchange went through, without its login.
        public internal(set) var proxy: String?
        /// The status code of a response.
        public internal(set) var status: Int?
        /// The reason phrase, sanitised.
        public internal(set) var reasonPhrase: String?
        /// The HTTP version of a response, such as `HTTP/1.1`; nil if the transport does not know.
        public internal(set) var version: String?
        /// The connection of a response; nil if the transport does not know.
        public internal(set) var connection: Connection?
        /// Names and shown values of the header fields.
        public internal(set) var fields: [Field] = []
        /// The protection space of a challenge.
        public internal(set) var space: String?
        /// The filter that decided.
        public internal(set) var filter: String?
        /// The decision.
        public internal(set) var verdict: String?
        /// The reason of an attempt, a repetition, a decision or a wait.
        public internal(set) var reason: String?
        /// The error's code and message.
        public internal(set) var error: String?
        /// The number of bytes of a received body, or of a body to send; nil if unknown.
        public internal(set) var byteCount: Int?
        /// The details of the event, by name.
        public internal(set) var details: [String: String] = [:]
    }

    /// A header field as it may be shown.
    public struct Field: Sendable, Hashable, Codable {
        /// The name as sent.
        public let name: String
        /// The value, redacted where it is not known to be harmless.
        public let value: String
    }

    /// The connection that a response came over.
    public struct Connection: Sendable, Hashable, Codable {
        /// Tells the connections of a transport apart.
        public let number: Int?
        /// Whether the connection had served another exchange before.
        public let isReused: Bool
        /// The address and port of the socket's peer: the server's, or the proxy's if there is one.
        public let peer: String?
        /// The version of TLS, such as `TLS 1.3`.
        public let tlsVersion: String?
        /// The time until bytes could be sent, in microseconds; nil if unknown.
        public let connectMicroseconds: Int64?
        /// The duration of the TLS handshake after that, in microseconds; nil if unknown.
        public let tlsMicroseconds: Int64?
    }

    /// The events, in order.
    public internal(set) var entries: [Entry] = []
    /// Whether older entries were dropped to bound the transcript.
    public internal(set) var isCut = false

    /// An empty transcript.
    public init() {}

    /// The statuses of the responses, in order: the shortest account of a conversation.
    public var statuses: [Int] {
        entries.filter { $0.name == .responseReceived }.compactMap(\.status)
    }
}

extension Transcript.Entry {
    /// The event's name; nil for a custom event.
    package var name: EventName? { EventName(rawValue: kind) }

    /// The detail of a name.
    package subscript(detail: EventDetail) -> String? { details[detail.rawValue] }
}

extension Transcript: CustomStringConvertible {
    /// One line an event, with the time in milliseconds.
    public var description: String { entries.map(\.description).joined(separator: "\n") }
}

extension Transcript.Entry: CustomStringConvertible {
    public var description: String {
        let milliseconds = microseconds / 1000
        let parts: [String?] = [
            "\(milliseconds) ms", kind, method, url, proxy.map { "through \($0)" }, status.map(String.init),
            reasonPhrase, space, verdict, reason,
            error,
            byteCount.map { "\($0) bytes" },
            detailText,
        ]
        return parts.compactMap { $0?.isEmpty == false ? $0 : nil }.joined(separator: " ")
    }
}
