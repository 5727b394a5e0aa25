import HTTPTypes
import HttpConversation
import Synchronization
import Tracing

/// Makes spans from events: one for each conversation, from its start to the end of its body, and one for each
/// exchange.
final class TraceObserver: ConversationObserver {
    private struct Open {
        let conversation: any Span
        var exchange: (any Span)?
        var exchanges = 0
    }

    let tracer: any Tracer
    private let open = Mutex<[ConversationID: Open]>([:])

    init(tracer: any Tracer) { self.tracer = tracer }

    /// The span of the next exchange of a conversation. It begins now unless it is already open.
    func openExchange(of id: ConversationID) -> (any Span)? {
        let (conversation, exchange) = open.withLock { ($0[id]?.conversation, $0[id]?.exchange) }
        if let exchange { return exchange }
        guard let conversation else { return nil }
        let span = tracer.startSpan("HTTP", context: conversation.context, ofKind: .client)
        open.withLock { $0[id]?.exchange = span }
        return span
    }

    func observe(_ event: ConversationEvent) {
        switch event.kind {
        case .conversationStarted: begin(event)
        case .exchangeStarted: beginExchange(event)
        case .responseReceived, .exchangeFailed: endExchange(event)
        case .conversationEnded: ended(event)
        case .bodyReceived: end(event)
        default: note(event)
        }
    }

    private func begin(_ event: ConversationEvent) {
        let parent = event.parentID.flatMap { id in open.withLock { $0[id]?.conversation.context } }
        // The parent of a child's span is the conversation that started it. Otherwise it is the calling task's span.
        let context = parent ?? ServiceContext.current ?? .topLevel
        let span = tracer.startSpan("conversation", context: context, ofKind: .internal)
        if let request = event.request { span.describe(request) }
        span.attributes["httpconversation.id"] = event.conversationID.description
        open.withLock { $0[event.conversationID] = Open(conversation: span) }
    }

    private func beginExchange(_ event: ConversationEvent) {
        guard let span = openExchange(of: event.conversationID), let request = event.request else { return }
        let count = open.withLock { open in
            open[event.conversationID]?.exchanges += 1
            return open[event.conversationID]?.exchanges ?? 1
        }
        span.operationName = TelemetryNames.span(request.method)
        span.describe(request)
        if count > 1 { span.attributes["http.request.resend_count"] = count - 1 }
    }

    private func endExchange(_ event: ConversationEvent) {
        let span = open.withLock { open in
            let span = open[event.conversationID]?.exchange
            open[event.conversationID]?.exchange = nil
            return span
        }
        span?.describe(event)
        span?.end()
    }

    private func ended(_ event: ConversationEvent) {
        open.withLock { $0[event.conversationID]?.conversation }?.describe(event)
        // After a response, `bodyReceived` ends the span, even if the body is empty.
        if event.error != nil { end(event) }
    }

    private func end(_ event: ConversationEvent) {
        let ended = open.withLock { $0.removeValue(forKey: event.conversationID) }
        if case .bodyReceived = event.kind { ended?.conversation.describe(event) }
        // An exchange that was never sent.
        ended?.exchange?.describe(event)
        ended?.exchange?.end()
        ended?.conversation.end()
    }

    /// Adds an event for decisions and flows. Their details are left out: they are for people, and may be long.
    private func note(_ event: ConversationEvent) {
        var attributes: SpanAttributes = [:]
        let entry = Transcript.Entry(event)
        if let verdict = entry.verdict { attributes["verdict"] = verdict }
        if let filter = entry.filter { attributes["filter"] = filter }
        if let method = event.space?.method { attributes["scheme"] = TelemetryNames.scheme(method) }
        open.withLock { $0[event.conversationID]?.conversation }?
            .addEvent(SpanEvent(name: entry.kind, attributes: attributes))
    }
}

extension Span {
    /// Sets OpenTelemetry's HTTP client attributes. The URL is redacted.
    fileprivate func describe(_ request: ObservedRequest) {
        attributes["http.request.method"] = TelemetryNames.method(request.method)
        attributes["url.full"] = "\(request.target)"
        attributes["url.scheme"] = request.target.origin.scheme.rawValue
        if request.target.shownOrigin == "\(request.target.origin)" {
            attributes["server.address"] = request.target.origin.host
        }
        attributes["server.port"] = request.target.origin.port
    }

    fileprivate func describe(_ event: ConversationEvent) {
        if let error = event.error {
            attributes["error.type"] = error.code.description
            setStatus(SpanStatus(code: .error))
        }
        guard let response = event.response else { return }
        let code = response.status.code
        attributes["http.response.status_code"] = code
        if let version = response.version {
            attributes["network.protocol.name"] = "http"
            attributes["network.protocol.version"] = version.number
        }
        if let tls = response.connection?.tlsVersion.flatMap({ TelemetryNames.tls($0) }) {
            attributes["tls.protocol.name"] = tls.name
            attributes["tls.protocol.version"] = tls.version
        }
        if code >= 400 {
            attributes["error.type"] = "\(code)"
            setStatus(SpanStatus(code: .error))
        }
    }
}
