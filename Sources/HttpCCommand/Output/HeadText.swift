import HttpC

/// The head of the answer for -i and -I. The person asked for it, so nothing is redacted, but all of it is sanitised.
enum HeadText {
    static func text(_ head: HTTPResponse, _ version: ProtocolVersion?) -> String {
        let reason = TerminalText.sanitise(head.status.reasonPhrase, limit: 1000)
        var text = "\(version ?? .http11) \(head.status.code)" + (reason.isEmpty ? "" : " \(reason)") + "\r\n"
        for field in head.headerFields {
            let name = TerminalText.sanitise(field.name.rawName, limit: 1000)
            text += "\(name): \(TerminalText.sanitise(field.value, limit: 1 << 20))\r\n"
        }
        return text + "\r\n"
    }
}
