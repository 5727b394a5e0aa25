import HttpC
import HttpCClient
import HttpConvFormats
import NIOHTTP1

/// Decides which requests go to the target (security rule S32). It sees the head only, and changes nothing.
struct RelayGate: Sendable {
    /// The decision about a request.
    enum Verdict: Sendable {
        case forward(RelayedRequest)
        /// A browser's first request: it gets the cookie, and is sent to the path without the secret.
        case enter(path: String)
        case refuse(RelayAnswer)
    }

    let place: TargetDirectory
    /// The only value of `Host`. Never `localhost` on TCP, because that may lead to another user's ::1.
    let authority: String
    /// nil for a Unix socket, which only its owner can open.
    let keys: RelayKeys?

    /// The methods that are never relayed.
    private static let refusedMethods: [HTTPMethod] = [.TRACE, .CONNECT, .RAW(value: "TRACK")]

    func judge(_ head: HTTPRequestHead) -> Verdict {
        do throws(Failure) { return try decide(head) } catch { return .refuse(error.refusal) }
    }

    private struct Failure: Error {
        let refusal: RelayAnswer

        init(_ status: HTTPResponseStatus, _ message: String, _ fields: [(name: String, value: String)] = []) {
            refusal = RelayAnswer(status, message, fields)
        }
    }

    private func decide(_ head: HTTPRequestHead) throws(Failure) -> Verdict {
        guard head.version == .http1_1 else {
            throw Failure(.httpVersionNotSupported, "The relay speaks HTTP/1.1 only.")
        }
        guard !Self.refusedMethods.contains(head.method) else {
            throw Failure(
                .methodNotAllowed, "The relay does not pass \(head.method.rawValue) on.",
                [("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")])
        }
        guard head.headers["Host"] == [authority] else {
            throw Failure(.misdirectedRequest, "The relay answers requests for http://\(authority)/ only.")
        }
        let body = try Self.body(head.headers)
        guard head.uri.starts(withBytesOf: "/") else {
            throw Failure(.badRequest, "The relay takes a path, not a whole URL.")
        }
        try refuseForeignPages(head.headers)
        let (path, base) = try enter(head)
        guard !path.hasLostBytes else {
            throw Failure(.badRequest, "The path has bytes that are not UTF-8: percent-encode them.")
        }
        if let keys, keys.isSecret(in: path) {
            throw Failure(.badRequest, "The path or query has the relay's secret, which the target must not learn.")
        }
        guard let url = place.url(of: path) else {
            throw Failure(.badRequest, "The path leads outside the relay's target, or may do so.")
        }
        if !base.isEmpty, head.method == .GET, head.headers["Sec-Fetch-Mode"] == ["navigate"] {
            return .enter(path: String(path))
        }
        let isWebSocket = Self.asksForWebSocket(head.headers)
        if isWebSocket { try checkHandshake(head, body) }
        var fields = try fields(head.headers)
        let wantsCodings =
            PackedFile.isNamed(url.path)
            || RelayFields.wantsIdentity(head.headers[canonicalForm: "Accept-Encoding"])
        // A HEAD is for the body as it will come, and ranges count the bytes as sent: both without content codings.
        if wantsCodings || head.method == .HEAD || fields.contains(.range) {
            fields[.acceptEncoding] = RelayFields.identity
        }
        do throws(ConversationError) {
            // SwiftNIO names this one without its hyphen.
            let name = head.method == .MSEARCH ? "M-SEARCH" : head.method.rawValue
            let method = try HTTPRequest.Method(checking: name)
            return .forward(
                RelayedRequest(
                    request: HTTPRequest(method, url, fields: fields), url: url, body: isWebSocket ? .webSocket : body,
                    base: base,
                    expectsContinue: head.headers["Expect"].contains { $0.lowercased() == "100-continue" },
                    wantsCodings: wantsCodings))
        } catch {
            throw Failure(.badRequest, error.message)
        }
    }

    // MARK: WebSockets

    private static func asksForWebSocket(_ headers: HTTPHeaders) -> Bool {
        headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
    }

    /// Refuses a handshake that is not that of RFC 6455 §4.1: the target, or a server before it, might see something
    /// else.
    private func checkHandshake(_ head: HTTPRequestHead, _ body: RelayedRequest.Body) throws(Failure) {
        let key = head.headers["Sec-WebSocket-Key"]
        guard head.method == .GET, body == .none, head.headers["Upgrade"].count == 1, key.count == 1,
            key.first?.utf8.count == Self.lengthOfKey, head.headers["Sec-WebSocket-Version"] == ["13"],
            head.headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" })
        else { throw Failure(.badRequest, "The request is not a WebSocket handshake (RFC 6455).") }
        // Browsers send the page's origin, and `null` for a sandboxed page.
        guard ["http://\(authority)", nil].contains(head.headers.first(name: "Origin")) else {
            throw Failure(.forbidden, "A page of another server has caused this request.")
        }
    }

    /// The number of characters of sixteen bytes in base64.
    private static let lengthOfKey = 24

    /// The framing of a request. Anything that two readers may understand differently is refused (RFC 9112 §6.3).
    private static func body(_ headers: HTTPHeaders) throws(Failure) -> RelayedRequest.Body {
        let (codings, lengths) = (headers["Transfer-Encoding"], headers["Content-Length"])
        guard codings.isEmpty || lengths.isEmpty, codings.count < 2, lengths.count < 2 else {
            throw Failure(.badRequest, "The request announces its body in more than one way.")
        }
        if let coding = codings.first {
            guard coding.lowercased() == "chunked" else {
                throw Failure(.badRequest, "The relay knows no Transfer-Encoding but chunked.")
            }
            return .chunked
        }
        guard let text = lengths.first else { return .none }
        guard let length = PeerNumber.integer(text, in: 0...longestBody) else {
            throw Failure(.badRequest, "The Content-Length is not a number of bytes.")
        }
        return length == 0 ? .none : .length(length)
    }

    private static let longestBody = 1 << 50

    /// Refuses requests that a page of another server may have caused. Another port of this host is another server, and
    /// the cookie does not tell them apart.
    private func refuseForeignPages(_ headers: HTTPHeaders) throws(Failure) {
        let site = headers["Sec-Fetch-Site"]
        guard site.isEmpty || site == ["same-origin"] || site == ["none"] else {
            throw Failure(.forbidden, "A page of another server has caused this request. Type the relay's URL instead.")
        }
        // A form of the target's own page has the origin `null`, because the relay's pages have no referrer.
        let origin = headers["Origin"]
        guard origin.isEmpty || origin == ["http://\(authority)"] || origin == ["null"] && site == ["same-origin"]
        else {
            throw Failure(.forbidden, "A page of another server has caused this request.")
        }
        // A service worker would stay in the browser and outlive the relay.
        guard headers["Service-Worker"].isEmpty, headers["Sec-Fetch-Dest"] != ["serviceworker"] else {
            throw Failure(.forbidden, "The relay passes no service workers on.")
        }
    }

    /// Checks the secret.
    ///
    /// - Returns: the path without it, and its segment if the path had it
    private func enter(_ head: HTTPRequestHead) throws(Failure) -> (path: Substring, base: String) {
        let path = Substring(head.uri)
        guard let keys else { return (path, "") }
        let first = path.dropFirst().prefix(upToASCII: "/?#")
        if keys.isSecret(first) {
            let rest = path[first.endIndex...]
            return (rest.starts(withBytesOf: "/") ? rest : "/" + rest, "/\(first)")
        }
        let values = head.headers[RelayKeys.field]
        if values.count == 1, let value = values.first, keys.isSecret(value) { return (path, "") }
        // Without `Sec-Fetch-Site` the request may come from a page of another port, in an old browser. A WebSocket
        // always has `Origin`.
        let isNamed =
            !head.headers["Sec-Fetch-Site"].isEmpty
            || Self.asksForWebSocket(head.headers) && head.headers["Origin"] == ["http://\(authority)"]
        if isNamed, keys.isInCookies(head.headers["Cookie"]) { return (path, "") }
        throw Failure(
            .forbidden,
            "The relay needs its secret: use the URL that it printed, or send its last part as \(RelayKeys.field).")
    }

    private func fields(_ headers: HTTPHeaders) throws(Failure) -> HTTPFields {
        do throws(ConversationError) { return try RelayFields.request(headers, at: place, authority, keys) } catch {
            throw Failure(.badRequest, error.message)
        }
    }
}
