import HttpC
import Synchronization

/// Shows what happens in a scene's conversations, as it happens.
final class DemoTimeline: ConversationObserver {
    private let page: DemoPage
    private let isDetailed: Bool
    private let count = Mutex(0)

    init(page: DemoPage, isDetailed: Bool) {
        self.page = page
        self.isDetailed = isDetailed
    }

    /// The exchanges so far.
    var exchanges: Int { count.withLock { $0 } }

    func observe(_ event: ConversationEvent) {
        if event.kind == .exchangeStarted { count.withLock { $0 += 1 } }
        guard isDetailed, let (mark, text, colour) = Self.step(event) else { return }
        page.step(event.elapsed, mark, text, colour)
    }

    private static func step(_ event: ConversationEvent) -> (String, String, TerminalStyle.Colour)? {
        let space = event.space?.description ?? ""
        switch event.kind {
        case .exchangeStarted: return event.request.map { ("→", sent($0), .cyan) }
        case .responseReceived:
            return event.response.map { ("←", received($0), $0.status.code < 400 ? .green : .yellow) }
        case .exchangeFailed: return ("✗", event.error?.message ?? "failed", .red)
        case .redirectDecided: return ("↪", "\(event.verdict ?? "?") \(event.destination?.description ?? "")", .blue)
        case .challengeReceived: return ("?", "challenge: \(space)", .yellow)
        case .challengeAnswered: return ("!", answered(event), .yellow)
        case .bodyReceived: return ("·", "body of \(ByteCount.text(event.byteCount ?? 0))", .dim)
        case .conversationEnded: return event.error.map { ("✗", "\($0.code): \($0.message)", .red) }
        case .conversationStarted, .attemptStarted: return nil
        case .custom(FlowEvent.tokensSucceeded): return ("·", "the access token is accepted", .dim)
        default: return ("·", "\(event)", .dim)
        }
    }

    private static func sent(_ request: ObservedRequest) -> String {
        let carried = request.shownFields.filter { ["authorization", "cookie"].contains($0.name.lowercased()) }
        return "\(TextTable.pad(request.method.rawValue, to: 4)) \(request.target)"
            + carried.map { "  \($0.name): \($0.value)" }.joined()
    }

    private static func received(_ response: ObservedResponse) -> String {
        let reason = TerminalText.sanitise(response.status.reasonPhrase, limit: 40)
        let cookies = response.shownFields.filter { $0.name.lowercased() == "set-cookie" }
        return "\(response.status.code) \(reason)" + cookies.map { "  \($0.name): \($0.value)" }.joined()
    }

    private static func answered(_ event: ConversationEvent) -> String {
        switch event.verdict {
        case "use": "answered" + (event.filter == nil ? " with what is known" : " with user name and password")
        case "retry": "something changed: once more"
        case "notHandled": "nobody has an answer"
        default: "\(event.verdict ?? "?")" + (event.reason.map { ": \($0)" } ?? "")
        }
    }
}
