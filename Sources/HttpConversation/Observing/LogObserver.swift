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
        var metadata: Logger.Metadata = ["conversation": "\(event.conversationID)", "event": "\(event.kind)"]
        let details: [(String, (any CustomStringConvertible)?)] = [
            ("method", event.request?.method.rawValue), ("url", event.request?.target), ("proxy", event.proxy),
            ("status", event.response?.status.code),
            ("space", event.space), ("destination", event.destination), ("filter", event.filter),
            ("verdict", event.verdict),
            ("reason", event.reason.map { TerminalText.sanitise($0) }), ("error", event.error),
            ("bytes", event.byteCount),
            ("parent", event.parentID),
        ]
        for (name, value) in details {
            if let value { metadata[name] = "\(value.description)" }
        }
        for (name, value) in event.details { metadata[name] = "\(TerminalText.sanitise(value))" }
        return metadata
    }
}
