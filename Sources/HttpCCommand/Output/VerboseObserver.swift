import HttpC

/// -v: the conversation as it unfolds, with curl's marks: `>` sent, `<` received, `*` what it means.
struct VerboseObserver: ConversationObserver {
    let diagnostics: Diagnostics

    func observe(_ event: ConversationEvent) {
        for line in Self.lines(for: event) { diagnostics.line(paint(line)) }
    }

    private func paint(_ line: String) -> String {
        switch line.first {
        case ">": diagnostics.style.paint(line, .cyan)
        case "<": diagnostics.style.paint(line, .green)
        default: diagnostics.style.paint(line, .dim)
        }
    }

    /// The lines for one event; everything in them is redacted or sanitised.
    static func lines(for event: ConversationEvent) -> [String] {
        let reason = event.reason.map { TerminalText.sanitise($0) } ?? ""
        switch event.kind {
        case .conversationStarted: return ["* Conversation \(event.conversationID)" + child(event)]
        case .attemptStarted: return reason == "first" || reason.isEmpty ? [] : ["* Starts over: \(reason)"]
        case .exchangeStarted: return event.request.map { request($0, reason, event.proxy) } ?? []
        case .responseReceived: return event.response.map { response($0) } ?? []
        case .exchangeFailed: return ["* Exchange failed: \(error(event))"]
        case .redirectDecided: return [redirect(event, reason)]
        case .challengeReceived: return ["* Challenge: \(event.space?.description ?? "?")"]
        case .challengeAnswered: return [answer(event, reason)]
        case .responseDecided:
            return [
                "* \(name(event.filter)) wants to \(event.verdict ?? "go on")" + (reason.isEmpty ? "" : ": \(reason)")
            ]
        case .clientCertificateUsed: return [certificate(event)]
        case .bodyReceived:
            return [event.error == nil ? "* Body: \(event.byteCount ?? 0) bytes" : "* Body failed: \(error(event))"]
        case .conversationEnded: return event.error == nil ? ["* Done after \(milliseconds(event.elapsed))"] : []
        case .custom(FlowEvent.tokensSucceeded): return ["* The access token is accepted"]
        case .custom(FlowEvent.certificateWithheld):
            let origin = event.details["origin"] ?? "?"
            return ["* Shows \(origin) no client certificate: \(TerminalText.sanitise(event.details["reason"] ?? "?"))"]
        case .custom(ProfileWebStrategy.shownEvent): return [webLogin(event)]
        default: return ["* \(event)"]
        }
    }

    private static func child(_ event: ConversationEvent) -> String {
        event.parentID.map { " (started by \($0))" } ?? ""
    }

    private static func request(_ request: ObservedRequest, _ reason: String, _ proxy: String?) -> [String] {
        let origin = request.target.origin.description
        let url = request.target.description
        let target = url.hasPrefix(origin) ? String(url.dropFirst(origin.count)) : url
        let intro = reason.isEmpty ? [] : ["* Again: \(reason)"]
        return intro + [
            "* To \(origin)" + (proxy.map { " through \($0)" } ?? ""), "> \(request.method.rawValue) \(target)",
            "> Host: \(request.target.origin.authority)",
        ]
            + request.shownFields.map { "> \($0.name): \($0.value)" } + [">"]
    }

    private static func response(_ response: ObservedResponse) -> [String] {
        let reason = TerminalText.sanitise(response.status.reasonPhrase, limit: 60)
        let connection = response.reusedConnection ? ["* Connection used again"] : []
        return connection + [
            "< \(response.version ?? .http11) \(response.status.code)" + (reason.isEmpty ? "" : " \(reason)")
        ]
            + response.shownFields.map { "< \($0.name): \($0.value)" } + ["<"]
    }

    private static func redirect(_ event: ConversationEvent, _ reason: String) -> String {
        let target = event.destination?.description ?? "somewhere that is no URL"
        let why = reason.isEmpty ? "" : " (\(reason))"
        switch event.verdict {
        case "follow": return "* Follows the redirect to \(target)\(why)"
        case "stop": return "* Does not follow the redirect to \(target)\(why)"
        default: return "* Redirect to \(target): \(event.verdict ?? "?")\(why)"
        }
    }

    private static func answer(_ event: ConversationEvent, _ reason: String) -> String {
        let space = event.space?.description ?? "?"
        let why = reason.isEmpty ? "" : " (\(reason))"
        switch event.verdict {
        case "use":
            return "* Answers \(space) " + (event.filter == nil ? "with what is known" : "by \(name(event.filter))")
                + why
        case "notHandled": return "* Nobody answers \(space)\(why)"
        case "refused": return "* Does not answer \(space)\(why)"
        default: return "* \(event.verdict ?? "?") for \(space)\(why)"
        }
    }

    private static func certificate(_ event: ConversationEvent) -> String {
        let server = event.space?.origin.description ?? "The server"
        guard let subject = event.details["subject"] else {
            return "* \(server) asks for a client certificate: there is none"
        }
        let name = TerminalText.sanitise(subject)
        return event.verdict == "refused"
            ? "* \(server) does not accept the client certificate \(name)"
            : "* Shows the client certificate \(name) (SHA-256 \(event.details["fingerprint"] ?? "?")) to \(server)"
    }

    private static func webLogin(_ event: ConversationEvent) -> String {
        let details = event.details.mapValues { TerminalText.sanitise($0) }
        return "* \(details["purpose"] ?? "?") login shown by \(details["by"] ?? "?"): \(details["page"] ?? "?")"
    }

    private static func name(_ filter: String?) -> String { TerminalText.sanitise(filter ?? "httpc") }

    private static func error(_ event: ConversationEvent) -> String { event.error?.message ?? "?" }

    static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int(duration / .microseconds(100))
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
