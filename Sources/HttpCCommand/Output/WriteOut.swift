import HttpC

/// The text of -w.
enum WriteOut {
    static func text(_ format: String, for stream: ConversationStream, size: Int) -> String {
        let values = [
            "http_code": String(stream.status.code), "response_code": String(stream.status.code),
            "url_effective": TerminalText.sanitise(stream.url.absoluteString, limit: 8192),
            "size_download": String(size), "num_attempts": String(stream.attempts.count),
            "http_version": stream.version?.number ?? "0",
        ]
        var text = format.replacing("\\n", with: "\n").replacing("\\t", with: "\t").replacing("\\r", with: "\r")
        for (name, value) in values { text = text.replacing("%{\(name)}", with: value) }
        return text
    }
}
