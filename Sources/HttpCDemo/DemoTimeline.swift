import HttpC
import HttpCTerminal
import Synchronization

/// Shows the events of a scene's conversations as they happen.
final class DemoTimeline: ConversationObserver {
    let page: DemoPage
    private let isDetailed: Bool
    private let count = Mutex(0)

    init(page: DemoPage, isDetailed: Bool) {
        self.page = page
        self.isDetailed = isDetailed
    }

    /// The number of exchanges so far.
    var exchanges: Int { count.withLock { $0 } }

    /// Adds exchanges of conversations that it does not observe.
    func count(exchanges: Int) { count.withLock { $0 += exchanges } }

    func observe(_ event: ConversationEvent) {
        if case .exchangeStarted = event.kind { count.withLock { $0 += 1 } }
        guard isDetailed, let (mark, text, colour) = Self.step(event) else { return }
        page.step(event.elapsed, mark, text, colour)
        for field in Self.carried(event) { page.detail(field) }
    }

    /// The line for an event; nil for events that the exchanges show already.
    private static func step(_ event: ConversationEvent) -> (String, String, TerminalStyle.Colour)? {
        switch event.kind {
        case .exchangeStarted(let start): ("→", sent(start.request), .cyan)
        case .responseReceived(let response):
            ("←", received(response), response.status.code < 400 ? .green : .yellow)
        case .exchangeFailed(let error), .conversationEnded(.failure(let error)): ("✗", error.message, .red)
        case .redirectDecided(let decision):
            (
                "↪",
                (decision.verdict == .stop ? "ends before " : "goes on to ")
                    + (decision.destination?.description ?? "?"), .blue
            )
        case .challengeReceived(let challenge): ("?", "wants \(challenge.space)", .yellow)
        case .challengeAnswered(let decision): ("!", answered(decision), .yellow)
        case .clientCertificateUsed(let use):
            use.certificate.map { ("!", "shows the certificate \(TerminalText.sanitise($0.subject))", .yellow) }
        default: nil
        }
    }

    private static func sent(_ request: ObservedRequest) -> String {
        "\(TextTable.pad(request.method.rawValue, to: 4)) \(request.target)"
    }

    private static func received(_ response: ObservedResponse) -> String {
        "\(response.status.code) \(TerminalText.sanitise(response.status.reasonPhrase, limit: 40))"
    }

    /// The header fields about logins.
    private static func carried(_ event: ConversationEvent) -> [String] {
        let fields =
            switch event.kind {
            case .exchangeStarted(let start): start.request.shownFields
            case .responseReceived(let response): response.shownFields
            default: [(name: String, value: String)]()
            }
        let names = ["authorization", "cookie", "set-cookie"]
        return fields.filter { names.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" }
    }

    private static func answered(_ decision: ConversationEvent.ChallengeDecision) -> String {
        switch decision.verdict {
        case .use: "answered" + (decision.filter == nil ? " with what is known" : " with user name and password")
        case .retry: "something changed: once more"
        case .notHandled: "nobody has an answer"
        case .cancel, .refused: decision.verdict.rawValue + (decision.reason.map { ": \($0)" } ?? "")
        }
    }
}
