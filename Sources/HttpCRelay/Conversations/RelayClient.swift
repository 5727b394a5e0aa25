package import HttpC
package import HttpCClient
package import HttpCTerminal
import Synchronization

/// The relay's side towards the target: one session, and so one login, for all requests.
package struct RelayClient: Sendable {
    let place: TargetDirectory
    private let manager: HttpConversationManager
    /// The manager for requests that want the stored bytes undecoded. It has the same session.
    private let undecoded: HttpConversationManager
    private let setup: RequestSetup
    private let diagnostics: Diagnostics
    private let changes = SessionChanges()
    private let saving = SessionSaving()

    package init(
        _ place: TargetDirectory, _ setup: RequestSetup, _ limits: RelayLimits,
        observing observers: [any ConversationObserver],
        _ diagnostics: Diagnostics
    ) {
        self.place = place
        self.setup = setup
        self.diagnostics = diagnostics
        // Each client may wait for an answer, or read a stream, at the same time.
        let direct = setup.manager(observing: observers + [changes], connections: limits.connections)
        let transport = ElsewhereTransport(base: direct.transport, place: place, silence: limits.silenceElsewhere)
        var configuration = direct.configuration
        configuration.redirectFilters.add(RelayRedirectFilter(place: place, mayLogIn: setup.mayLogIn(at:)))
        configuration.idleTimeout = limits.silence
        configuration.decompresses = true
        manager = HttpConversationManager(transport: transport, configuration: configuration)
        configuration.decompresses = false
        undecoded = HttpConversationManager(transport: transport, configuration: configuration)
    }

    /// Sends a request to the target.
    ///
    /// - Parameter departure: records a redirect out of the target
    func open(
        _ relayed: RelayedRequest, body: RequestBody?, _ departure: RelayRedirectFilter.Departure
    ) async throws(ConversationError) -> ConversationStream {
        let result = await ElsewhereTransport.$departure.withValue(departure) {
            () async -> Result<ConversationStream, ConversationError> in
            do throws(ConversationError) { return .success(try await perform(relayed, body: body, departure)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func perform(
        _ relayed: RelayedRequest, body: RequestBody?, _ departure: RelayRedirectFilter.Departure
    ) async throws(ConversationError) -> ConversationStream {
        do throws(CommandFailure) { try await setup.followLogout() } catch {
            throw ConversationError(
                .authenticationFailed, "It cannot be read whether the profile was logged out. \(error.message)",
                underlyingError: error)
        }
        let stream: ConversationStream
        if relayed.body == .webSocket, let body {
            stream = try await manager.upgrade(to: "websocket", for: relayed.request, sending: body) { context in
                context[RelayRedirectFilter.Upgrade.self] = true
                context[RelayRedirectFilter.Departure.self] = departure
            }
        } else {
            let first = try await send(relayed.request, body: body, departure)
            if let whole = relayed.whole(insteadOf: first) {
                first.body.cancel()
                stream = try await send(whole, body: body, departure)
            } else {
                stream = first
            }
        }
        await saveIfChanged()
        return stream
    }

    private func send(
        _ request: HTTPRequest, body: RequestBody?, _ departure: RelayRedirectFilter.Departure
    ) async throws(ConversationError) -> ConversationStream {
        var request = request
        let isUndecoded = request.headerFields[.acceptEncoding] == RelayFields.identity
        // These codings can be undone. With another `Accept-Encoding`, other codings would arrive unchanged.
        if !isUndecoded { request.headerFields[.acceptEncoding] = "gzip, deflate" }
        return try await (isUndecoded ? undecoded : manager).bytes(for: request, body: body) { context in
            context[RelayRedirectFilter.Departure.self] = departure
        }
    }

    /// Logs in by a small request, after a request for the same URL could not be sent again. The session then has the
    /// credential, or the present nonce, when the client repeats its request.
    ///
    /// - Returns: false if the target did not ask for a login, so that the client's next try would not help
    func logIn(for relayed: RelayedRequest) async -> Bool {
        let request = HTTPRequest(.head, relayed.url, fields: [.acceptEncoding: RelayFields.identity])
        let small = RelayedRequest(
            request: request, url: relayed.url, body: .none, base: "", expectsContinue: false, wantsCodings: true)
        // The client's next try reports the failure.
        guard let stream = try? await open(small, body: nil, RelayRedirectFilter.Departure()) else { return true }
        stream.body.cancel()
        return stream.login != .notAsked
    }

    /// Reports details to the relay's owner that its clients do not get.
    func tell(_ message: String) { diagnostics.message(message) }

    /// The failure of a request, in words for a person; also told to the relay's owner.
    func explain(_ error: ConversationError) -> String {
        // The command's advice is about its own options.
        let isGone = error.code == .bodyNotReplayable
        let message = isGone ? error.message : CommandFailure(error, of: setup).message
        diagnostics.message(message)
        return message
    }

    /// The reason why the target, or the proxy before it, still asks for a login.
    func explain(_ stream: ConversationStream) -> String {
        let message = stream.status.code == 407 ? reason(ofProxy: stream) : setup.explain(stream.head, from: stream.url)
        diagnostics.message(message)
        return message
    }

    private func reason(ofProxy stream: ConversationStream) -> String {
        if let proxy = setup.proxy(of: stream.url) { return setup.explain(stream.head, from: proxy) }
        return "\(stream.url.origin) wants a login as a proxy does (407), but is not the proxy: no login is sent."
    }

    /// Saves the session after a login. A failure is told, and the requests go on.
    private func saveIfChanged() async {
        guard changes.take() else { return }
        do throws(CommandFailure) { try await save() } catch { diagnostics.message(error.message) }
    }

    /// Saves the session.
    package func save() async throws(CommandFailure) { try await saving.save(setup) }
}

/// Notices the ends of logins.
private final class SessionChanges: ConversationObserver {
    private let isChanged = Atomic(false)

    func observe(_ event: ConversationEvent) {
        switch event.kind {
        case .login(.webLoginFinished), .login(.tokensObtained): isChanged.store(true, ordering: .relaxed)
        default: return
        }
    }

    func take() -> Bool { isChanged.exchange(false, ordering: .relaxed) }
}

/// Saves one at a time.
private actor SessionSaving {
    private var latest: Task<Result<Void, CommandFailure>, Never>?

    func save(_ setup: RequestSetup) async throws(CommandFailure) {
        let before = latest
        let task = Task { () -> Result<Void, CommandFailure> in
            _ = await before?.value
            do throws(CommandFailure) {
                try await setup.save()
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        latest = task
        try await task.value.get()
    }
}
