import Foundation
import HttpConversation

/// A request of a transcript, what came back, and what was decided about it.
struct RecordedExchange {
    /// The event that began it.
    let request: Transcript.Entry
    /// The response, or the failure; nil where the recording ended before.
    var answer: Transcript.Entry?
    /// What was decided about the response.
    var decisions: [Transcript.Entry] = []
    /// The end of the body, where it is that of a final response.
    var body: Transcript.Entry?

    /// All of a transcript, in the order in which they began.
    static func all(in transcript: Transcript) -> [RecordedExchange] {
        var exchanges: [RecordedExchange] = []
        // The conversation's last one: exchanges of one conversation follow each other.
        var last: [String: Int] = [:]
        for entry in transcript.entries {
            if entry.kind == "exchangeStarted" {
                last[entry.conversation] = exchanges.count
                exchanges.append(RecordedExchange(request: entry))
            } else if let index = last[entry.conversation] {
                exchanges[index].add(entry)
            }
        }
        return exchanges
    }

    private mutating func add(_ entry: Transcript.Entry) {
        switch entry.kind {
        case "responseReceived", "exchangeFailed": answer = entry
        case "redirectDecided", "challengeAnswered", "responseDecided": decisions.append(entry)
        case "bodyReceived": body = entry
        default: break
        }
    }
}

extension Transcript.Entry {
    /// The URL without its origin.
    var path: String {
        guard let url, let origin, url.hasPrefix(origin) else { return url ?? "" }
        return String(url.dropFirst(origin.count))
    }

    /// Status and reason phrase.
    var statusLine: String { String("\(status ?? 0) \(reasonPhrase ?? "")".trimmingSpaces) }

    /// Method and path; where there is a query, it is among what is shown of the request.
    var requestLine: String {
        let path = path
        let cut = path.firstIndex(of: "?").map { path[..<$0] + "?…" } ?? path[...]
        return "\(method ?? "") \(cut)"
    }

    var shownRequest: [(name: String, value: String)] { [("(URL)", url ?? "")] + shown }

    var shown: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }

    func value(of field: String) -> String? { fields.first { $0.name.lowercased() == field }?.value }

    /// Microseconds from another event of the same conversation to this one.
    func microseconds(since other: Transcript.Entry) -> Int64 {
        let (difference, overflows) = microseconds.subtractingReportingOverflow(other.microseconds)
        return overflows ? 0 : max(0, difference)
    }
}

extension Date {
    /// As ISO 8601 has it: years of four digits. What was decoded may be any date.
    func text(_ style: ISO8601FormatStyle) -> String {
        let seconds = min(max(timeIntervalSince1970, -60_000_000_000), 250_000_000_000)
        return Date(timeIntervalSince1970: seconds.isNaN ? 0 : seconds).formatted(style)
    }
}
