import HTTPTypes
import Logging

/// Writes events to the configuration's logger: static messages, everything else as metadata, nothing secret.
struct LogObserver: ConversationObserver {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    func observe(_ event: ConversationEvent) {
        switch event.kind {
        case .conversationStarted: logger.debug("conversation started", metadata: Self.metadata(event))
        case .attemptStarted: logger.debug("attempt started", metadata: Self.metadata(event))
        case .exchangeStarted: logger.trace("exchange started", metadata: Self.metadata(event))
        case .responseReceived: logger.debug("response received", metadata: Self.metadata(event))
        case .exchangeFailed: logger.debug("exchange failed", metadata: Self.metadata(event))
        case .redirectDecided: logger.debug("redirect decided", metadata: Self.metadata(event))
        case .challengeReceived: logger.debug("challenge received", metadata: Self.metadata(event))
        case .challengeAnswered: logger.debug("challenge decided", metadata: Self.metadata(event))
        case .responseDecided: logger.debug("response filter decided", metadata: Self.metadata(event))
        case .bodyReceived: logger.trace("body received", metadata: Self.metadata(event))
        case .conversationEnded: logger.debug("conversation ended", metadata: Self.metadata(event))
        default: logger.debug("flow event", metadata: Self.metadata(event))
        }
    }

    private static func metadata(_ event: ConversationEvent) -> Logger.Metadata {
        let entry = Transcript.Entry(event)
        let isRequest = entry.method != nil
        let texts: [(String, String?)] = [
            ("conversation", entry.conversation), ("event", entry.kind), ("method", entry.method),
            (isRequest ? "url" : "destination", entry.url), ("proxy", entry.proxy),
            ("status", entry.status.map(String.init)), ("space", entry.space), ("filter", entry.filter),
            ("verdict", entry.verdict), ("reason", entry.reason), ("error", entry.error),
            ("bytes", isRequest ? nil : entry.byteCount.map(String.init)), ("parent", entry.parent),
        ]
        var metadata: Logger.Metadata = [:]
        for (name, text) in texts {
            if let text { metadata[name] = "\(text)" }
        }
        for (name, value) in entry.details { metadata[name] = "\(value)" }
        return metadata
    }
}
