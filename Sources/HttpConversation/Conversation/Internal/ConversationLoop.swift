import HTTPTypes
import Logging

/// Runs one conversation: performs what the state machine decides, and is the only place that waits (design.md §3.15).
struct ConversationLoop {
    let context: ConversationContext
    var configuration: HttpConversationManager.Configuration { context.snapshot.value }
    let transport: any HTTPTransport
    var machine: ConversationStateMachine
    /// Where attempts start: the caller's request, or the hop after an unsafe request was answered.
    var restartPoint: ConversationRequest
    /// This hop's request without credentials and cookies.
    var hop: ConversationRequest
    var exchange: Exchange
    /// The epoch of the exchange whose redirect led to this hop; nil for the first hop of an attempt. What logs in
    /// meanwhile has not changed what that answer was about.
    var redirectEpoch: UInt64?
    /// Whether no exchange of the running attempt was sent so far.
    var isAttemptNew = true
    /// Where the redirect in hand leads.
    var nextHop: ConversationRequest?
    /// What the challenges of this conversation taught it.
    var answers = AnswerBook()
    var attempts: [AttemptRecord] = []
    var networkTime: Duration = .zero
    var replacement: ReplacementResponse?

    init(request: ConversationRequest, context: ConversationContext) {
        self.context = context
        transport = context.transport
        machine = ConversationStateMachine(
            limits: .init(
                maximumAttempts: context.snapshot.value.maximumAttempts,
                maximumRedirects: context.snapshot.value.redirects.maximumRedirects))
        restartPoint = request
        restartPoint.context = context
        hop = restartPoint
        exchange = Exchange(request: restartPoint)
    }

    /// The final response, or the reason why there is none.
    mutating func run() async throws(ConversationError) -> ConversationStream {
        context.log.emit(.conversationStarted) { [restartPoint] in $0.request = ObservedRequest(restartPoint) }
        defer { releaseProbes() }
        do throws(ConversationError) {
            let stream = try await perform()
            observeEnd(of: stream)
            return stream
        } catch {
            throw ended(with: error)
        }
    }

    private mutating func perform() async throws(ConversationError) -> ConversationStream {
        try context.snapshot.requireCapabilities(of: transport)
        var action = machine.handle(.start)
        while true {
            if Task.isCancelled {
                // What has failed already keeps its reason.
                if case .fail(let error) = action { throw error }
                throw .cancelled
            }
            let event: ConversationStateMachine.Event
            switch action {
            case .prepare: event = await step { loop throws(ConversationError) in try await loop.prepare() }
            case .authorize: event = await step { loop throws(ConversationError) in try await loop.authorize() }
            case .followRedirect(let isRestartPoint):
                follow(isRestartPoint: isRestartPoint)
                event = await step { loop throws(ConversationError) in try await loop.authorize() }
            case .exchange: event = await step { loop throws(ConversationError) in try await loop.send() }
            case .inspectRedirect:
                event = await step { loop throws(ConversationError) in try await loop.inspectRedirect() }
            case .answerChallenges:
                event = await step { loop throws(ConversationError) in try await loop.answerChallenges() }
            case .inspectResponse:
                event = await step { loop throws(ConversationError) in try await loop.inspectResponse() }
            case .deliver: return deliver()
            case .fail(let error): throw error
            }
            action = machine.handle(event, bodyIsGone: hop.body?.isReplayable == false)
        }
    }

    private mutating func step(
        _ work: (inout Self) async throws(ConversationError) -> ConversationStateMachine.Event
    ) async -> ConversationStateMachine.Event {
        do throws(ConversationError) { return try await work(&self) } catch { return .failed(error) }
    }

    // MARK: Steps

    /// The request filters, over a fresh copy of where attempts start.
    private mutating func prepare() async throws(ConversationError) -> ConversationStateMachine.Event {
        let reason = machine.reasons.last ?? ""
        context.log.emit(.attemptStarted) { $0.reason = reason }
        hop = restartPoint
        isAttemptNew = true
        redirectEpoch = nil
        let filters = configuration.requestFilters.entries
        for index in filters.indices {
            do { try await filters[index].element.prepare(&hop, in: context) } catch {
                throw Self.filterFailed(filters[index].id, error)
            }
        }
        // A filter may have put a request of its own in its place.
        hop.context = context
        return .prepared
    }

    /// Credentials and cookies, on a copy that serves one exchange only (security rule S7).
    private mutating func authorize() async throws(ConversationError) -> ConversationStateMachine.Event {
        let attempt = attempts.count == machine.reasons.count ? nil : machine.reasons.last
        if let attempt {
            attempts.append(AttemptRecord(number: attempts.count + 1, target: hop.target, reason: attempt))
        }
        exchange = Exchange(request: hop, reason: isAttemptNew ? nil : attempt)
        isAttemptNew = false
        // The answer to this exchange's challenge goes before what filters attach on their own account.
        let destination = CredentialDestination(target: hop.target, callersURL: context.root.target)
        try await attach(answers.answer(for: destination))
        let filters = configuration.requestFilters.entries
        for index in filters.indices {
            let authorization = exchange.request.headerFields[.authorization]
            do { try await filters[index].element.authorize(&exchange.request, in: context) } catch {
                throw Self.filterFailed(filters[index].id, error)
            }
            if authorization != nil { exchange.request.headerFields[.authorization] = authorization }
        }
        if !exchange.request.headerFields.contains(.authorization) {
            await context.session.credentials.waitForProbes(covering: destination, unlessBy: context.id)
            try await attach(knownCredential(for: destination))
        }
        attachCookies()
        return .authorized
    }

    private mutating func attach(_ sent: SentCredential?) async throws(ConversationError) {
        guard let sent, !exchange.request.headerFields.contains(.authorization) else { return }
        // Digest may have been offered since it was given.
        guard sent.space.method != .basic || context.sendsBasic(to: sent.space.origin) else { return }
        do {
            let value = try await sent.credential.authorization(for: exchange.request)
            exchange.request.headerFields.append(try HTTPField(.authorization, checking: value))
        } catch {
            throw ConversationError.wrapping(
                error, as: .authenticationFailed, "The credential for \(sent.space) cannot be sent.")
        }
        exchange.sent = sent
    }

    /// What the session knows for this URL and may send before anybody asks.
    private func knownCredential(for destination: CredentialDestination) -> SentCredential? {
        let store = context.session.credentials
        guard let known = store.preemptive(for: destination, sendsBasic: context.sendsBasic) else { return nil }
        // Refused once in this conversation: not sent again until somebody says something new.
        if answers.refused(in: known.space).contains(where: { $0.hasSameSecret(as: known.credential) }) { return nil }
        return SentCredential(space: known.space, credential: known.credential, persistence: .session)
    }

    /// The store's cookies join the caller's own, whose names win.
    private mutating func attachCookies() {
        exchange.cookieEpoch = redirectEpoch ?? context.session.epoch.current
        guard let stored = context.session.cookies.header(for: exchange.request.target) else { return }
        // One field as it is: setting it by name would split it into a field for each cookie.
        guard exchange.request.headerFields.contains(.cookie) else {
            exchange.request.headerFields.append(HTTPField(name: .cookie, value: stored))
            return
        }
        let own = exchange.request.headerFields[.cookie] ?? ""
        let names = Set(own.split(ascii: ";").map { CookieHeader.name(of: $0) })
        let added = stored.split(ascii: ";").filter { !names.contains(CookieHeader.name(of: $0)) }
        let joined = ([Substring(own)] + added).map(\.trimmingSpaces).joined(separator: "; ")
        exchange.request.headerFields[.cookie] = joined
    }

    /// One exchange, up to the head of its final response.
    private mutating func send() async throws(ConversationError) -> ConversationStateMachine.Event {
        exchange.epoch = context.session.credentials.currentEpoch
        context.log.emit(.exchangeStarted) { [exchange] in
            $0.request = ObservedRequest(exchange.request)
            $0.reason = exchange.reason
        }
        let request = exchange.request
        let clock = configuration.networkTimeout.map { _ in Stopwatch(any: configuration.clock) }
        let response: TransportResponse
        do throws(ConversationError) {
            response = try await transport.send(
                TransportRequest(
                    target: request.target, method: request.method, headerFields: request.headerFields,
                    body: request.body,
                    options: try transportOptions()))
        } catch {
            context.log.emit(.exchangeFailed) { $0.error = error }
            throw error
        }
        if let clock { networkTime += clock.elapsed }
        exchange.response = response
        if !attempts.isEmpty { attempts[attempts.count - 1].status = response.head.status.code }
        context.log.emit(.responseReceived) {
            $0.response = ObservedResponse(response.head, reusedConnection: response.reusedConnection)
        }
        storeCookies(response.head)
        readChallenges(response.head)
        noteVerdict(response.head)
        return .received(kind(of: response.head))
    }

    private func transportOptions() throws(ConversationError) -> TransportOptions {
        var options = TransportOptions()
        options.connectTimeout = configuration.connectTimeout
        options.idleTimeout = configuration.idleTimeout
        options.decompresses = configuration.decompresses
        if let total = configuration.networkTimeout {
            guard networkTime < total else {
                throw ConversationError(
                    .timedOut, "The exchanges with \(hop.target.origin) took longer than \(total) together.")
            }
            options.timeLimit = total - networkTime
        }
        return options
    }

    private func storeCookies(_ head: HTTPResponse) {
        guard head.headerFields.contains(.setCookie) else { return }
        context.session.cookies.store(
            setCookie: head.headerFields[values: .setCookie], from: exchange.request.target,
            sentUnder: exchange.cookieEpoch)
    }

    private func kind(of head: HTTPResponse) -> ConversationStateMachine.ReceivedKind {
        switch head.status.code {
        case 301, 302, 303, 307, 308: Self.leadsSomewhere(head) ? .redirect : .other
        case 401 where hasAnswerableChallenge: .challenge
        default: .other
        }
    }

    /// An empty `Location` is a reference to the page that was asked for: following it would never end.
    private static func leadsSomewhere(_ head: HTTPResponse) -> Bool {
        !head.headerFields[values: .location].allSatisfy(\.trimmingSpaces.isEmpty)
    }

    /// The response filters, in order; the first that does not let the response pass wins.
    private mutating func inspectResponse() async throws(ConversationError) -> ConversationStateMachine.Event {
        guard !configuration.responseFilters.isEmpty, let response = exchange.response else {
            return .responseDecided(.deliver)
        }
        let received = ReceivedResponse(
            request: exchange.request, head: response.head, canBeRepeated: hop.body?.isReplayable != false,
            context: context, sentUnder: exchange.cookieEpoch, body: response.body,
            peekTimeout: configuration.peekTimeout,
            clock: configuration.clock)
        let filters = configuration.responseFilters.entries
        for index in filters.indices {
            let verdict: ResponseVerdict
            do { verdict = try await filters[index].element.inspect(received, in: context) } catch {
                throw Self.filterFailed(filters[index].id, error)
            }
            switch verdict {
            case .proceed: continue
            case .repeatExchange(let reason):
                await endExchange(filters[index].id, "repeatExchange", reason)
                return .responseDecided(.repeatExchange(reason: reason))
            case .restart(let reason):
                await endExchange(filters[index].id, "restart", reason)
                return .responseDecided(.restart(reason: reason))
            case .replace(let other):
                await endExchange(filters[index].id, "replace", nil)
                replacement = other
                return .responseDecided(.deliver)
            }
        }
        return .responseDecided(.deliver)
    }

    private func endExchange(_ filter: String, _ verdict: String, _ reason: String?) async {
        context.log.emit(.responseDecided) {
            $0.filter = filter
            $0.verdict = verdict
            $0.reason = reason
        }
        await finishExchange()
    }

    // MARK: The end

    /// Reads what is left of the response, so that its connection can be used again; a long rest is given up with it.
    func finishExchange() async {
        await exchange.response?.body.finish(within: configuration.peekTimeout, clock: configuration.clock)
    }

    private mutating func deliver() -> ConversationStream {
        if let replacement {
            return ConversationStream(
                head: replacement.head, body: ResponseBody(bytes: replacement.body), url: exchange.request.target,
                context: context, attempts: attempts)
        }
        if let limit = configuration.maximumBodyBytes { exchange.response?.body.bound(to: limit) }
        return ConversationStream(
            head: exchange.head ?? HTTPResponse(status: .ok), body: exchange.response?.body ?? ResponseBody(),
            url: exchange.request.target,
            context: context,
            attempts: attempts)
    }

    private func observeEnd(of stream: ConversationStream) {
        let log = context.log
        guard log.isActive else { return }
        log.emit(.conversationEnded) { [reused = exchange.response?.reusedConnection ?? false] in
            $0.response = ObservedResponse(stream.head, reusedConnection: reused)
        }
        stream.body.whenEnded { result in
            log.emit(.bodyReceived) { event in
                switch result {
                case .success(let count): event.byteCount = count
                case .failure(let error): event.error = error
                }
            }
        }
    }

    private func ended(with error: ConversationError) -> ConversationError {
        var error = error
        error.conversationID = context.id
        error.attempts = attempts
        if error.code == .bodyNotReplayable, error.challenge == nil { error.challenge = firstChallenge() }
        context.log.emit(.conversationEnded) { $0.error = error }
        context.logger.debug(
            "conversation failed", metadata: ["code": "\(error.code)", "attempts": "\(attempts.count)"])
        return error
    }

    static func filterFailed(_ id: String, _ error: any Error) -> ConversationError {
        .wrapping(error, as: .filterFailed, "The filter \(id) failed.")
    }
}

/// Reads `Cookie` field values.
enum CookieHeader {
    /// The name of one pair.
    static func name(of pair: Substring) -> Substring {
        pair.prefix(upToASCII: "=").trimmingSpaces
    }
}
