#if os(Linux)
import HTTPTypes
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform
import HttpConversation
import Synchronization

/// Requests of the browser that the conversation sends, because the browser cannot: to servers that may be shown a
/// client certificate, and to servers for which a ``/HttpConversation/ConnectionPolicy`` has settings (security rule
/// S28). The browser gets the answers. Its cookies go out and come in, and it follows the redirects itself.
///
/// Navigations, and requests of a document to its own server, may use a certificate and a password. Requests of a
/// document to another server use neither. The browser sends them, or the conversation does if a policy has settings
/// for that server. The browser applies CORS to their answers, and ``ResourcePolicy`` is checked here.
final class HeldRequests: Sendable {
    /// The largest body that the browser is given, in bytes.
    static let maximumBody = 8 << 20
    /// The number of requests at a time, which is a browser's number of connections to a server.
    private static let concurrentLoads = 6
    // swift-format-ignore: NeverForceUnwrap
    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
    private static let framingFields: Set<HTTPField.Name> = [
        .connection, .contentLength, .transferEncoding, .trailer, .upgrade,
    ]

    private let context: ConversationContext
    private let kept: KeptConnections
    private let loader: LoginPageLoader
    private let connection: DevToolsConnection
    /// The session for passwords. Cookies are the browser's.
    private let session: HttpSession
    private let frames = Mutex(FrameOrigins())
    private let loads = TaskLimiter(HeldRequests.concurrentLoads)
    private let failures = Mutex<Set<String>>([])
    private let permitted = Mutex<Set<Origin>>([])

    init(_ login: WebLogin, in context: ConversationContext, connection: DevToolsConnection) {
        self.context = context
        self.connection = connection
        kept = KeptConnections(context.connectionPolicy)
        loader = LoginPageLoader(login: login, context: context, limit: Self.maximumBody)
        session = HttpSession(cookies: context.session.cookies.emptied(), for: context.session)
    }

    /// The requests that failed because there was no certificate, for messages; empty if none did.
    var hint: String {
        let failures = failures.withLock { $0.sorted().prefix(3).joined(separator: " ") }
        return failures.isEmpty ? "" : " \(failures) \(Self.advice)"
    }

    private static let advice = "Show the login in a terminal instead (httpc: --web terminal)."

    // MARK: Events of the browser

    /// A frame shows a document.
    func arrived(_ event: DevToolsEvent) { frames.withLock { $0.arrive(event.parameters["frame"]) } }

    /// A page embeds a frame.
    func attached(_ event: DevToolsEvent) {
        guard let frame = event.parameters["frameId"]?.text, let parent = event.parameters["parentFrameId"]?.text
        else { return }
        frames.withLock { $0.attach(frame, to: parent) }
    }

    /// Handles a failed request, which may be that of a frame's document.
    func failed(_ event: DevToolsEvent) {
        guard let request = event.parameters["requestId"]?.text else { return }
        frames.withLock { $0.stay(without: request) }
    }

    /// A page opens a connection that cannot be held.
    func opened(_ event: DevToolsEvent) {
        guard let url = event.parameters["url"]?.text, url.hasPrefix("ws"),
            let target = try? TargetURL("http\(url.dropFirst(2))")
        else { return }
        let origin = target.origin
        if kept.contains(origin) {
            fail(origin, "A WebSocket to \(origin) is not opened, because of \(kept.settings(for: origin).words).")
        } else if context.presentsIdentity(to: target) {
            fail(origin, "A WebSocket to \(origin) goes without the client certificate.")
        }
    }

    /// Whether a request may come from a document that has not arrived yet, so that nobody knows whether it goes to the
    /// document's own server. The browser may load a document's first pictures and scripts before it shows the
    /// document.
    func isEarly(_ event: DevToolsEvent) -> Bool {
        guard event.parameters["resourceType"]?.text != "Document", let request = PausedRequest(event),
            let frame = request.frame,
            kept.contains(request.target.origin) || context.presentsIdentity(to: request.target)
        else { return false }
        return frames.withLock { $0.isLoading(frame) && !$0.isOwn(request) }
    }

    /// Waits for the document of an early request, for two seconds at most.
    func documentArrives(for request: DevToolsEvent) async {
        guard let frame = request.parameters["frameId"]?.text else { return }
        for _ in 0..<200 where frames.withLock({ $0.isLoading(frame) }) {
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
        }
    }

    /// The event of a request that the browser holds, and the request itself if the conversation can send it; nil if it
    /// does not go to a web server.
    ///
    /// - Parameter isEarly: whether the request came before its frame's document
    func describe(
        _ event: DevToolsEvent, isEarly: Bool
    ) -> (event: WebLoginPolicy.Event, request: PausedRequest?)? {
        let isDocument = event.parameters["resourceType"]?.text == "Document"
        if isDocument, let frame = event.parameters["frameId"]?.text {
            frames.withLock { $0.leave(frame, for: event.parameters["networkId"]?.text) }
        }
        guard let url = event.parameters["request"]?["url"]?.text, let target = try? TargetURL(url) else { return nil }
        let request = PausedRequest(event)
        let isOwn = request.map { request in frames.withLock { $0.isOwn(request, isEarly: isEarly) } } ?? false
        let requester: WebLoginPolicy.Requester =
            isDocument ? .navigation : isOwn ? .ownDocument : .foreignDocument
        if requester == .foreignDocument, request != nil, context.presentsIdentity(to: target) {
            note(target.origin, "A page of another server asks for something there.")
        }
        return (.request(to: target, by: requester, isReadable: request != nil), request)
    }

    // MARK: Answers to the browser

    /// Sends a request, and gives the browser the answer.
    ///
    /// - Throws: ``WebLoginError`` if the login's page cannot be loaded
    func perform(_ request: PausedRequest, isAnonymous: Bool, isPage: Bool) async throws {
        do {
            // A document does not wait for the requests of the document before it.
            let isDocument = request.kind == "Document"
            let response =
                try await isDocument
                ? load(request, isAnonymous: isAnonymous)
                : loads.perform { try await load(request, isAnonymous: isAnonymous) }
            if isDocument { allowLocalNetwork(to: request.target.origin) }
            if isAnonymous, !allows(response, to: request) {
                _ = await refuse(request, as: "BlockedByResponse")
                return
            }
            try await fulfil(request, response)
        } catch let error as WebLoginError {
            // Chromium shows no error page for an aborted request.
            let isWanted = await refuse(request, as: isPage ? "Aborted" : "Failed")
            if error.code == .cancelled || isPage && isWanted { throw error }
            fail(request.target.origin, error.message)
        } catch is DevToolsError {
            // The browser has dropped the request.
        }
    }

    /// - Returns: false if the browser has dropped the request
    private func refuse(_ request: PausedRequest, as reason: String) async -> Bool {
        let answer = try? await connection.call(
            "Fetch.failRequest", ["requestId": .string(request.id), "errorReason": .string(reason)],
            in: request.session)
        return answer != nil
    }

    /// Whether the document of another server may use an answer.
    private func allows(_ response: ConversationResponse, to request: PausedRequest) -> Bool {
        let page = frames.withLock { frames in request.frame.flatMap { frames.origin(of: $0) } }
        let policy = ResourcePolicy(publicSuffixes: context.configuration.publicSuffixes)
        return policy.allows(response.headerFields, of: request.target.origin, to: page, asked: request.fields)
    }

    /// Whether the answer is for a page of the server's own site: no document of another site has asked, or is around
    /// it.
    private func isOfOwnSite(_ request: PausedRequest) -> Bool {
        guard let frame = request.frame else { return false }
        var pages = frames.withLock { $0.ancestors(of: frame) }
        if request.kind != "Document" { pages.append(frames.withLock { $0.origin(of: frame) }) }
        let policy = ResourcePolicy(publicSuffixes: context.configuration.publicSuffixes)
        return pages.allSatisfy { page in page.map { policy.isSameSite($0, request.target.origin) } ?? false }
    }

    private func load(_ request: PausedRequest, isAnonymous: Bool) async throws -> ConversationResponse {
        guard let body = request.body else {
            throw WebLoginError(
                .unsupportedPage,
                "A page sends \(request.target.origin) something that the browser does not show, such as a file, so the conversation cannot send it. \(Self.advice)"
            )
        }
        var fields = request.fields
        // The browser adds these fields after it has held the request, and servers check them.
        if isAnonymous { fields[Self.fetchSite] = "cross-site" }
        if !isAnonymous, request.kind != "Document", ![.get, .head].contains(request.method), fields[.origin] == nil {
            fields[.origin] = "\(request.target.origin)"
        }
        do {
            return try await loader.load(
                request.method, request.target, fields: fields, body: body.isEmpty ? nil : .bytes(Array(body)),
                session: isAnonymous
                    ? HttpSession(proxiesOf: context.session)
                    : HttpSession(cookies: session.cookies.emptied(), sharing: session),
                isAnonymous: isAnonymous)
        } catch let error as WebLoginError {
            guard let cause = error.underlyingError as? ConversationError, cause.code == .tooLarge else { throw error }
            throw WebLoginError(error.code, "\(error.message) \(Self.advice)", underlyingError: cause)
        }
    }

    /// Lets pages of a server use servers of the local network. The browser did not load the pages itself, so it counts
    /// them as pages of the public internet, which need this permission. Its name depends on the browser's version.
    private func allowLocalNetwork(to origin: Origin) {
        guard permitted.withLock({ $0.insert(origin).inserted }) else { return }
        for name in ["local-network-access", "local-network", "loopback-network"] {
            connection.send(
                "Browser.setPermission",
                [
                    "permission": .object(["name": .string(name)]), "setting": .string("granted"),
                    "origin": .string("\(origin)"),
                ])
        }
    }

    private func fulfil(_ request: PausedRequest, _ response: ConversationResponse) async throws {
        var fields = response.headerFields.filter { !Self.framingFields.contains($0.name) }
        // The browser would store the cookie without its partition, where it would replace a cookie of the server's own
        // pages.
        if fields.contains(where: Self.isPartitioned), !isOfOwnSite(request) {
            fields = fields.filter { !Self.isPartitioned($0) }
        }
        try await connection.call(
            "Fetch.fulfillRequest",
            [
                "requestId": .string(request.id), "responseCode": .integer(Int64(response.status.code)),
                "responseHeaders": .array(
                    fields.map { .object(["name": .string($0.name.rawName), "value": .string($0.value)]) }),
                "body": .string(response.data.base64EncodedString()),
            ], in: request.session)
    }

    private static func isPartitioned(_ field: HTTPField) -> Bool {
        field.name == .setCookie
            && field.value.split(separator: ";").dropFirst().contains {
                String($0.prefix { $0 != "=" }).trimmingBlanks.lowercased() == "partitioned"
            }
    }

    private func fail(_ origin: Origin, _ reason: String) {
        failures.withLock { if $0.count < 16 { $0.insert(reason) } }
        note(origin, reason)
    }

    private func note(_ origin: Origin, _ reason: String) {
        context.notify(.certificateWithheld(origin: origin, reason: reason))
    }
}
#endif
