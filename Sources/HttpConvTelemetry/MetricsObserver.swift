import HTTPTypes
import HttpConversation
import Metrics
import Synchronization

/// Counts and times conversations. All labels have few values: no server, path, realm or user is a label.
final class MetricsObserver: ConversationObserver {
    private struct Running {
        var method: String
        var exchange: (method: String, start: Duration)?
    }

    private struct Name: Hashable {
        let label: String
        let values: [String]
    }

    private struct Instruments {
        var counters: [Name: Counter] = [:]
        var timers: [Name: Metrics.Timer] = [:]
    }

    private let factory: any MetricsFactory
    private let running = Mutex<[ConversationID: Running]>([:])
    private let instruments = Mutex(Instruments())

    init(factory: any MetricsFactory) { self.factory = factory }

    func observe(_ event: ConversationEvent) {
        switch event.kind {
        case .conversationStarted(let request):
            let method = TelemetryNames.method(request.method)
            running.withLock { $0[event.conversationID] = Running(method: method) }
        case .exchangeStarted(let start):
            let method = TelemetryNames.method(start.request.method)
            running.withLock { $0[event.conversationID]?.exchange = (method, event.elapsed) }
        case .responseReceived, .exchangeFailed: endExchange(event)
        case .conversationEnded: end(event)
        case .challengeAnswered(let decision):
            let scheme = TelemetryNames.scheme(decision.space.method)
            count("httpconversation.challenges", [("scheme", scheme), ("verdict", decision.verdict.rawValue)])
        case .login(.webLoginFinished(let purpose, _, _, let outcome)):
            count(
                "httpconversation.logins",
                [("kind", "\(purpose)"), ("outcome", TelemetryNames.loginOutcome(outcome))])
        case .login(.tokensObtained(let isRefresh, _)):
            count("httpconversation.tokens", [("outcome", isRefresh ? "refreshed" : "granted")])
        case .login(.refreshRefused): count("httpconversation.tokens", [("outcome", "refused")])
        case .login(.storageFailed(let operation, let code)):
            count("httpconversation.storage.failures", [("operation", operation.rawValue), ("code", code)])
        case .waiting: count("httpconversation.waits", [])
        default: break
        }
    }

    private func endExchange(_ event: ConversationEvent) {
        let exchange = running.withLock { $0[event.conversationID]?.exchange }
        guard let exchange else { return }
        time(
            "http.client.request.duration", event.elapsed - exchange.start,
            [
                ("http.request.method", exchange.method), ("outcome", TelemetryNames.outcome(event)),
                ("network.protocol.version", event.response?.version?.number ?? "unknown"),
            ])
        if let response = event.response {
            count("httpconversation.connections", [("reused", "\(response.reusedConnection)")])
        }
    }

    private func end(_ event: ConversationEvent) {
        guard let conversation = running.withLock({ $0.removeValue(forKey: event.conversationID) }) else { return }
        let labels = [
            ("http.request.method", conversation.method), ("outcome", TelemetryNames.outcome(event)),
            ("child", "\(event.parentID != nil)"),
        ]
        count("httpconversation.conversations", labels)
        time("httpconversation.duration", event.elapsed, labels)
    }

    private func count(_ label: String, _ dimensions: [(String, String)]) {
        let name = Name(label: label, values: dimensions.map(\.1))
        let counter = instruments.withLock { instruments in
            let counter =
                instruments.counters[name] ?? Counter(label: label, dimensions: dimensions, factory: factory)
            instruments.counters[name] = counter
            return counter
        }
        counter.increment()
    }

    private func time(_ label: String, _ duration: Duration, _ dimensions: [(String, String)]) {
        let name = Name(label: label, values: dimensions.map(\.1))
        let timer = instruments.withLock { instruments in
            let timer =
                instruments.timers[name] ?? Metrics.Timer(label: label, dimensions: dimensions, factory: factory)
            instruments.timers[name] = timer
            return timer
        }
        timer.recordNanoseconds(Int64(min(duration / .nanoseconds(1), 9e18)))
    }
}
