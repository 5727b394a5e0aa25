import HttpConversation

extension SequenceDiagram {
    static func style(of status: Int?) -> Row.Style {
        switch status ?? 0 {
        case 200...299: .answer
        case 300...399: .redirect
        case 400...499: .refusal
        default: .failure
        }
    }

    /// A duration, for people.
    static func duration(_ microseconds: Int64) -> String {
        switch microseconds {
        case ..<1_000: return "\(microseconds) µs"
        case ..<10_000: return "\(microseconds / 1000).\(microseconds / 100 % 10) ms"
        case ..<1_000_000: return "\(microseconds / 1000) ms"
        default: return "\(microseconds / 1_000_000).\(microseconds / 100_000 % 10) s"
        }
    }

    /// The text for a decision or an event of a flow; nil for events that other rows show better.
    static func note(_ entry: Transcript.Entry) -> String? {
        let why = entry.reason.flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
        let filter = entry.filterName
        let who = filter.map { " by \($0)" } ?? ""
        let space = entry.space ?? "?"
        switch entry.name {
        case .attemptStarted:
            return entry.reason == nil || entry.reason == AttemptRecord.firstReason ? nil : "Starts over\(why)"
        case .redirectDecided:
            let target = entry.url ?? "somewhere that is not a URL"
            return entry.verdict == ConversationEvent.RedirectDecision.Verdict.follow.rawValue
                ? "Follows the redirect to \(target)\(why)" : "Redirect to \(target): \(entry.verdict ?? "?")\(why)"
        case .challengeReceived: return "Asked for \(space)"
        case .challengeAnswered:
            switch entry.verdict.flatMap(ConversationEvent.ChallengeDecision.Verdict.init(rawValue:)) {
            case .use: return "Answers \(space)" + (who.isEmpty ? " with what is known" : who) + why
            case .retry: return "Goes on as \(filter ?? "a filter") says, for \(space)\(why)"
            case .notHandled: return "Nobody answers \(space)\(why)"
            default: return "\(entry.verdict ?? "?") for \(space)\(who)\(why)"
            }
        case .responseDecided: return "\(filter ?? "A filter") steps in, then: \(entry.verdict ?? "go on")\(why)"
        case .clientCertificateUsed:
            guard let subject = entry[.subject] else { return "Asked for a client certificate: there is none" }
            return entry.verdict == ConversationEvent.CertificateUse.Verdict.refused.rawValue
                ? "The client certificate \(subject) is not accepted" : "Shows the client certificate \(subject)"
        case .waiting:
            return "Waits" + (entry[.seconds].map { " \($0) s" } ?? "") + (entry.reason.map { " \($0)" } ?? "")
        default:
            let details = entry.details.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return words(entry.kind) + (details.isEmpty ? "" : ": " + details.joined(separator: ", "))
        }
    }

    /// A name in camel case as words: `passwordWithheld` as `Password withheld`.
    private static func words(_ name: String) -> String {
        let text = name.reduce(into: "") { text, letter in
            text +=
                letter.isUppercase && text.last.map { $0.isLowercase || $0.isNumber } == true
                ? " \(letter.lowercased())" : "\(letter)"
        }
        return text.hasPrefix("oauth2") ? "OAuth2" + text.dropFirst(6) : text.prefix(1).uppercased() + text.dropFirst()
    }
}

extension Transcript.Entry {
    /// The filter without its module.
    var filterName: String? { filter.map { $0.split(separator: ".").last.map(String.init) ?? $0 } }
}
