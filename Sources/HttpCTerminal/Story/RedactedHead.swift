import HttpC

/// -vv: heads of requests and answers, redacted.
enum RedactedHead {
    static func request(_ request: ObservedRequest) -> [String] {
        let origin = request.target.origin.description
        let url = request.target.description
        // Without its origin, the URL is of a server whose name repeats a secret.
        let isShown = url.hasPrefix(origin)
        let target = isShown ? String(url.dropFirst(origin.count)) : url
        return [
            "\(TerminalText.sanitise(request.method.rawValue, limit: 40)) \(target)",
            "Host: \(request.hostField?.value ?? (isShown ? request.target.origin.authority : "…"))",
        ] + request.shownFields.map { "\($0.name): \($0.value)" } + [""]
    }

    static func response(_ response: ObservedResponse) -> [String] {
        let status = Story.EventText.status(response)
        return ["\(response.version ?? .http11) \(status)"]
            + response.shownFields.map { "\($0.name): \($0.value)" } + [""]
    }
}
