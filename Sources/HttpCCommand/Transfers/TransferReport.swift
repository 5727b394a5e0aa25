import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// The result of a transfer, for -w.
struct TransferReport {
    /// The URL as typed, without userinfo.
    let url: TargetURL
    let index: Int
    let method: HTTPRequest.Method
    /// The value of `Referer` that was sent.
    var referer: String?
    /// The time when the last attempt began.
    let beganAt: ContinuousClock.Instant
    var head: HTTPResponse?
    var version: ProtocolVersion?
    /// The URL after redirects.
    var effective: TargetURL?
    var attempts = 0
    var retries = 0
    var facts = TransferObserver.Facts()
    var received = 0
    var sent = 0
    var file: String?
    /// The time until the head of the answer arrived.
    var timeToHead: Duration?
    var total = Duration.zero
    var exit = ExitStatus.success
    var message = ""

    /// A value of -w.
    enum Value {
        case number(Double)
        case seconds(Duration)
        case text(String)
        /// A text that is not there: `null` in the JSON.
        case none

        /// A text, or none if it is empty.
        static func present(_ text: String) -> Value { text.isEmpty ? .none : .text(text) }

        /// The value as JSON; a whole number is an integer if it fits.
        var json: JSONValue {
            switch self {
            case .text(let text): .string(text)
            case .none: .null
            case .seconds(let duration): .double(((duration / .seconds(1)) * 1e6).rounded() / 1e6)
            case .number(let number): Int64(exactly: number).map { .integer($0) } ?? .double(number)
            }
        }

        /// The text as curl prints it.
        var printed: String {
            switch self {
            case .text(let text): return text
            case .none: return ""
            case .number(let number): return Int64(exactly: number)?.description ?? number.description
            case .seconds(let duration):
                let rounded = (duration + .nanoseconds(500)).components
                let (whole, part) = (rounded.seconds, rounded.attoseconds / 1_000_000_000_000)
                return "\(whole).\(String(1_000_000 + part).dropFirst())"
            }
        }
    }

    /// The values by curl's names; text of a peer is sanitised (security rule S21).
    var values: [String: Value] {
        let seconds = max(total / .seconds(1), 1e-6)
        let target = effective ?? facts.url ?? url
        let code = Value.number(Double(status ?? 0))
        return [
            "http_code": code, "response_code": code, "exitcode": .number(Double(exit.rawValue)),
            "errormsg": .present(TerminalText.sanitise(message, limit: 2000)),
            "url": .text(TerminalText.sanitise(url.absoluteString, limit: 8192)),
            "url_effective": .text(TerminalText.sanitise(target.absoluteString, limit: 8192)),
            "urlnum": .number(Double(index)), "method": .text((facts.method ?? method).rawValue),
            "scheme": .text(target.origin.scheme.rawValue), "http_version": .text(version?.number ?? "0"),
            "content_type": .present(TerminalText.sanitise(head?.headerFields[.contentType] ?? "", limit: 1000)),
            "redirect_url": .present(TerminalText.sanitise(redirect, limit: 8192)),
            "filename_effective": .present(TerminalText.sanitise(file ?? "", limit: 1000)),
            "referer": .present(TerminalText.sanitise(referer ?? "", limit: 8192)),
            "size_download": .number(Double(received)), "size_upload": .number(Double(sent)),
            "speed_download": .number((Double(received) / seconds).rounded()),
            "speed_upload": .number((Double(sent) / seconds).rounded()),
            "time_starttransfer": .seconds(timeToHead ?? .zero), "time_total": .seconds(total),
            "num_attempts": .number(Double(attempts)), "num_retries": .number(Double(retries)),
            "num_redirects": .number(Double(facts.redirects)), "num_connects": .number(Double(facts.connections)),
            "remote_ip": .text(peer.address), "remote_port": .number(peer.port),
        ]
    }

    /// The peer's address and port; empty for a Unix socket.
    private var peer: (address: String, port: Double) {
        guard let text = facts.peer, let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = PeerNumber.integer(text[text.index(after: colon)...], in: 0...UInt16.max)
        else { return ("", 0) }
        return (text[..<colon].filter { $0 != "[" && $0 != "]" }, Double(port))
    }

    /// Whether a proxy refused the tunnel: then the last answer is the proxy's, and not one to the request.
    var isTunnelRefused = false

    /// The status of the last answer to the request, even if the conversation failed after it.
    var status: Int? { head?.status.code ?? (isTunnelRefused ? nil : facts.status) }

    /// The target of a redirect that was not followed.
    private var redirect: String {
        guard let head, head.status.kind == .redirection, let location = head.headerFields[.location] else { return "" }
        return (try? (effective ?? url).resolving(location))?.absoluteString ?? location
    }
}
