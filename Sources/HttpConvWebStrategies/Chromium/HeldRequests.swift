#if os(Linux)
import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import Synchronization

/// Requests of the browser that the conversation sends, because the browser cannot: to servers that may be shown a client
/// certificate, and to servers for which a ``/HttpConversation/ConnectionPolicy`` has settings (security rule S28). The
/// browser gets the answers. Its cookies go out and come in, and it follows the redirects itself.
///
/// These are navigations, and what a document asks of its own server. What it asks of another one goes without a
/// certificate: the browser lets no answer to that be read unless the server says so, and it looks below this. Where a
/// policy has settings it does not go at all, and ``KeptConnections`` gives the browser no way to such a server.
final class HeldRequests: Sendable {
    /// The largest body that the browser is given, in bytes.
    static let maximumBody = 8 << 20
    /// As many at a time as browsers have connections to a server.
    private static let turns = 6
    private static let ofTheConnection: Set<HTTPField.Name> = [
        .connection, .contentLength, .transferEncoding, .trailer, .upgrade,
    ]

    /// What becomes of a request.
    enum Verdict {
        /// The browser sends it.
        case browser
        /// The conversation sends it.
        case conversation(PausedRequest)
        /// Nobody sends it.
        case nobody
    }

    private let context: ConversationContext
    private let kept: KeptConnections
    private let loader: LoginPageLoader
    private let connection: DevToolsConnection
    /// What is known of passwords; the cookies are the browser's.
    private let session: HttpSession
    private let frames = Mutex(FrameOrigins())
    private let turns = Turns(HeldRequests.turns)
    private let failures = Mutex<Set<String>>([])
    private let placed = Mutex<Set<Origin>>([])

    init(_ login: WebLogin, in context: ConversationContext, connection: DevToolsConnection) {
        self.context = context
        self.connection = connection
        kept = KeptConnections(context.connectionPolicy)
        loader = LoginPageLoader(login: login, context: context, limit: Self.maximumBody)
        session = HttpSession(cookies: context.session.cookies.emptied(), for: context.session)
    }

    /// What a page could not have for want of a certificate, for messages; empty where there is nothing.
    var hint: String {
        let failures = failures.withLock { $0.sorted().prefix(3).joined(separator: " ") }
        return failures.isEmpty ? "" : " \(failures) \(Self.advice)"
    }

    private static let advice = "Show the login in a terminal instead (httpc: --web terminal)."

    // MARK: What the browser tells

    /// A frame shows a document.
    func arrived(_ event: DevToolsEvent) { frames.withLock { $0.arrive(event.parameters["frame"]) } }

    /// A page opens a connection that cannot be held.
    func opened(_ event: DevToolsEvent) {
        guard let url = event.parameters["url"]?.text, url.hasPrefix("wss:"),
            let target = try? TargetURL("https:\(url.dropFirst(4))"), context.presentsIdentity(to: target)
        else { return }
        fail(target.origin, "A WebSocket to \(target.origin) goes without the client certificate.")
    }

    /// Who sends a request.
    func take(_ event: DevToolsEvent) -> Verdict {
        let isDocument = event.parameters["resourceType"]?.text == "Document"
        if isDocument, let frame = event.parameters["frameId"]?.text { frames.withLock { $0.leave(frame) } }
        guard let url = event.parameters["request"]?["url"]?.text, let target = try? TargetURL(url) else {
            return .browser
        }
        let isKept = kept.contains(target.origin)
        guard isKept || context.presentsIdentity(to: target) else { return .browser }
        guard let request = PausedRequest(event) else { return isKept ? .nobody : .browser }
        guard isDocument || frames.withLock({ $0.isOwn(request) }) else {
            let origin = request.target.origin
            guard isKept else {
                note(origin, "A page of another server asks for something there.")
                return .browser
            }
            let settings = kept.settings(for: origin).words
            fail(origin, "What a page of another server asks of \(origin) is left out, because of \(settings).")
            return .nobody
        }
        return .conversation(request)
    }

    // MARK: What it is answered

    /// Sends a request, and gives the browser the answer.
    ///
    /// - Throws: ``WebLoginError`` where the page of the login cannot be had
    func perform(_ request: PausedRequest, isPage: Bool) async throws {
        do {
            // A document does not wait for what the one before it has asked for.
            let isDocument = request.kind == "Document"
            let response = try await isDocument ? load(request) : turns.perform { try await load(request) }
            if isDocument { place(request.target.origin) }
            try await fulfil(request, response)
        } catch let error as WebLoginError {
            // Aborted: as an answer that has nothing to show, which is no failure of its own.
            let isWanted = await refuse(request, as: isPage ? "Aborted" : "Failed")
            if error.code == .cancelled || isPage && isWanted { throw error }
            fail(request.target.origin, error.message)
        } catch is DevToolsError {
            // The browser does not want it any more.
        }
    }

    /// - Returns: false where the browser does not want it any more
    private func refuse(_ request: PausedRequest, as reason: String) async -> Bool {
        let answer = try? await connection.call(
            "Fetch.failRequest", ["requestId": .string(request.id), "errorReason": .string(reason)],
            in: request.session)
        return answer != nil
    }

    private func load(_ request: PausedRequest) async throws -> ConversationResponse {
        guard let body = request.body else {
            throw WebLoginError(
                .unsupportedPage,
                "A page sends \(request.target.origin) something that the browser does not show, such as a file: it cannot go with the client certificate. \(Self.advice)"
            )
        }
        var fields = request.fields
        // The browser would add it below this, and servers look at it.
        if request.kind != "Document", ![.get, .head].contains(request.method), fields[.origin] == nil {
            fields[.origin] = "\(request.target.origin)"
        }
        do {
            return try await loader.load(
                request.method, request.target, fields: fields, body: body.isEmpty ? nil : .bytes(Array(body)),
                session: HttpSession(cookies: session.cookies.emptied(), sharing: session))
        } catch let error as WebLoginError {
            guard let cause = error.underlyingError as? ConversationError, cause.code == .tooLarge else { throw error }
            throw WebLoginError(error.code, "\(error.message) \(Self.advice)", underlyingError: cause)
        }
    }

    /// The browser does not know from where such a page comes, and takes it for one of the wide internet: on a local
    /// network it could not use its neighbours. Which name the permission has depends on the browser's version.
    private func place(_ origin: Origin) {
        guard placed.withLock({ $0.insert(origin).inserted }) else { return }
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
        let fields = response.headerFields.filter { !Self.ofTheConnection.contains($0.name) }
        try await connection.call(
            "Fetch.fulfillRequest",
            [
                "requestId": .string(request.id), "responseCode": .number(Double(response.status.code)),
                "responseHeaders": .array(
                    fields.map { .object(["name": .string($0.name.rawName), "value": .string($0.value)]) }),
                "body": .string(response.data.base64EncodedString()),
            ], in: request.session)
    }

    private func fail(_ origin: Origin, _ reason: String) {
        failures.withLock { if $0.count < 16 { $0.insert(reason) } }
        note(origin, reason)
    }

    private func note(_ origin: Origin, _ reason: String) {
        context.notify(FlowEvent.certificateWithheld, ["origin": "\(origin)", "reason": reason])
    }
}
#endif
