import HTTPTypes

/// Events as one line of text each, redacted.
enum EventText {
    static func line(for event: ConversationEvent) -> String {
        var parts = [event.kind.name]
        if let request = event.request { parts.append("\(request.method.rawValue) \(request.target)") }
        if let proxy = event.proxy { parts.append("through \(proxy)") }
        if let response = event.response { parts.append(status(response)) }
        if let space = event.space { parts.append("\(space)") }
        if let destination = event.destination { parts.append("to \(destination)") }
        if let verdict = event.verdict { parts.append("verdict \(verdict)") }
        if let filter = event.filter { parts.append("by \(TerminalText.sanitise(filter))") }
        if let reason = event.reason { parts.append("(\(TerminalText.sanitise(reason)))") }
        if let count = event.byteCount { parts.append("\(count) bytes") }
        for (name, value) in event.details.sorted(by: { $0.key < $1.key }) {
            parts.append("\(TerminalText.sanitise(name))=\(TerminalText.sanitise(value))")
        }
        if let error = event.error { parts.append("\(error)") }
        return parts.joined(separator: " ")
    }

    static func status(_ response: ObservedResponse) -> String {
        let reason = TerminalText.sanitise(response.status.reasonPhrase, limit: 60)
        return "\(response.status.code)" + (reason.isEmpty ? "" : " \(reason)")
    }
}
