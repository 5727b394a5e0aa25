import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// A request of a transcript, its answer, and the decisions about it.
struct RecordedExchange {
    /// The event that began it.
    let request: Transcript.Entry
    /// The response or the failure; nil if the recording ended earlier.
    var answer: Transcript.Entry?
    /// The decisions about the response.
    var decisions: [Transcript.Entry] = []
    /// The end of the body of a final response.
    var body: Transcript.Entry?

    /// Whether the answer may have a body (RFC 9112 §6.3): `Content-Length` alone does not tell.
    var mayHaveBody: Bool {
        guard let status = answer?.status else { return true }
        return request.method != "HEAD" && status >= 200 && status != 204 && status != 304
    }

    /// All exchanges of a transcript, in the order in which they began.
    static func all(in transcript: Transcript) -> [RecordedExchange] {
        var exchanges: [RecordedExchange] = []
        // The last exchange of each conversation: its exchanges follow each other.
        var last: [String: Int] = [:]
        for entry in transcript.entries {
            if entry.name == .exchangeStarted {
                last[entry.conversation] = exchanges.count
                exchanges.append(RecordedExchange(request: entry))
            } else if let index = last[entry.conversation] {
                exchanges[index].add(entry)
            }
        }
        return exchanges
    }

    private mutating func add(_ entry: Transcript.Entry) {
        switch entry.name {
        case .responseReceived, .exchangeFailed: answer = entry
        case .redirectDecided, .challengeAnswered, .responseDecided: decisions.append(entry)
        case .bodyReceived: body = entry
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

    /// Method and path. The query is shown among the request's details.
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
    /// The date in ISO 8601, with years of four digits. A decoded transcript may have any date.
    func text(_ style: ISO8601FormatStyle) -> String {
        let seconds = min(max(timeIntervalSince1970, -60_000_000_000), 250_000_000_000)
        return Date(timeIntervalSince1970: seconds.isNaN ? 0 : seconds).formatted(style)
    }
}
