import HTTPTypes
import Synchronization

/// What happened in one conversation and its children, as a value: the source of exports and reports (requirement D5).
///
/// Holds redacted text only; it can be kept, printed and sent.
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
        /// The request line's method.
        public let method: String?
        /// The URL of a request or redirect, redacted.
        public let url: String?
        /// The proxy that an exchange went through, without its login.
        public let proxy: String?
        /// The status code of a response.
        public let status: Int?
        /// The reason phrase, sanitised.
        public let reasonPhrase: String?
        /// Names and shown values of the header fields.
        public let fields: [Field]
        /// The protection space of a challenge.
        public let space: String?
        /// The filter that decided.
        public let filter: String?
        /// What was decided.
        public let verdict: String?
        /// Why.
        public let reason: String?
        /// The error's code and message.
        public let error: String?
        /// A number of bytes.
        public let byteCount: Int?
        /// What a flow added.
        public let details: [String: String]
    }

    /// A header field as it may be shown.
    public struct Field: Sendable, Hashable, Codable {
        /// The name as sent.
        public let name: String
        /// The value, redacted where it is not known to be harmless.
        public let value: String
    }

    /// What happened, in order.
    public internal(set) var entries: [Entry] = []
    /// Whether older entries were dropped to bound the transcript.
    public internal(set) var isCut = false

    /// An empty transcript.
    public init() {}

    /// The statuses of the responses, in order: the shortest account of a conversation.
    public var statuses: [Int] {
        entries.filter { $0.kind == ConversationEvent.Kind.responseReceived.name }.compactMap(\.status)
    }
}

extension Transcript.Entry {
    init(_ event: ConversationEvent) {
        conversation = event.conversationID.description
        parent = event.parentID?.description
        kind = event.kind.name
        let (seconds, attoseconds) = event.elapsed.components
        microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        method = event.request?.method.rawValue
        url = (event.request?.target ?? event.destination)?.description
        proxy = event.proxy
        status = event.response?.status.code
        reasonPhrase = event.response.map { TerminalText.sanitise($0.status.reasonPhrase, limit: 60) }
        let shown = event.request?.shownFields ?? event.response?.shownFields ?? []
        fields = shown.map { Transcript.Field(name: $0.name, value: $0.value) }
        space = event.space?.description
        filter = event.filter.map { TerminalText.sanitise($0) }
        verdict = event.verdict
        reason = event.reason.map { TerminalText.sanitise($0) }
        error = event.error?.description
        byteCount = event.byteCount
        details = event.details.mapValues { TerminalText.sanitise($0) }
    }
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
            details.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " "),
        ]
        return parts.compactMap { $0?.isEmpty == false ? $0 : nil }.joined(separator: " ")
    }
}

/// Records a transcript while conversations run.
public final class TranscriptRecorder: ConversationObserver {
    private let limit: Int
    private let state = Mutex(Transcript())

    /// - Parameter limit: the number of entries kept; the oldest go first
    public init(limit: Int = 10_000) { self.limit = limit }

    /// What was recorded so far.
    public var transcript: Transcript { state.withLock { $0 } }

    public func observe(_ event: ConversationEvent) {
        let entry = Transcript.Entry(event)
        state.withLock { transcript in
            if transcript.entries.count >= limit {
                transcript.entries.removeFirst(max(1, limit / 10))
                transcript.isCut = true
            }
            transcript.entries.append(entry)
        }
    }
}
