import HTTPTypes
import HttpConvFormats
import Logging

extension ConversationLoop {
    /// Performs one exchange, up to the head of its final response.
    nonisolated(nonsending) mutating func send(_ exchange: Exchange) async throws -> ConversationStateMachine.Event {
        if context.isObserved { observeStart(of: exchange) }
        if let delegates = context.delegates { await tell(delegates, beforeSending: exchange) }
        var response: TransportResponse
        do {
            if context.snapshot.leavesTLSToTheTransport || exchange.target.origin.scheme == .http {
                response = try await transmit(exchange, nil)
            } else {
                response = try await transmitIdentified(exchange)
            }
            // The transport has computed the login for a tunnel after the observers were told.
            if response.isFromProxy, context.isObserved { context.note { SentFields(exchange, after: $0) } }
            response.note(
                observed: context.isObserved ? context.sentFields : nil,
                else: SentFields(exchange, after: context.sentFields))
            try refuseTunnelless(response, exchange)
        } catch {
            throw exchangeFailed(error)
        }
        let answered = answeredExchange(exchange, consume response)
        context.log?.emit(.responseReceived(.head(answered.head, answered.status, over: answered.response)))
        // A server proves nothing by its answer to a field that is the same for all requests.
        if let sent = exchange.sent, !sent.isConstant { try await verify(answered) }
        let event = try received(answered)
        if let delegates = context.delegates { await tell(delegates, of: answered) }
        return event
    }

    /// Passes the exchange to the transport, once. Time in which a server waits for us does not count as network time.
    nonisolated(nonsending) mutating func transmit(
        _ exchange: Exchange, _ identity: ClientIdentitySource?
    ) async throws -> TransportResponse {
        let request = try transportRequest(exchange, identity)
        let clock = configuration.networkTimeout.map { _ in Stopwatch(any: configuration.clock) }
        let waited = identity?.waitingTime ?? .zero
        var goesOn = false
        // A transport's writer may not have started yet: later decisions about the body must stay valid. A server that
        // accepts the body may answer before it has all of it, or, after a change of the protocol, any of it.
        defer { if !goesOn { exchange.request.body?.reclaim() } }
        let response = try await sendReportingProgress(request)
        goesOn =
            request.body == nil || response.head.status.kind == .successful
            || request.options.upgrade != nil && response.head.status == .switchingProtocols
        if let clock { networkTime += clock.elapsed - ((identity?.waitingTime ?? .zero) - waited) }
        return response
    }

    // The following functions are never inlined, because their variables would enlarge the frame of each waiting
    // conversation.

    @inline(never) private func observeStart(of exchange: Exchange) {
        let sent = context.note { SentFields(exchange, after: $0) }
        context.log?.emit(
            .exchangeStarted(
                .init(
                    request: .request(
                        exchange.request, hostField: context.hostField(for: exchange.target), sent: sent),
                    proxy: exchange.proxy?.server.description, repetition: exchange.hop.repetition)))
    }

    @inline(never) private nonisolated(nonsending) func tell(
        _ delegates: Delegates, beforeSending exchange: Exchange
    ) async {
        await delegates.willSend(exchange.hop.request)
    }

    @inline(never) private nonisolated(nonsending) func tell(
        _ delegates: Delegates, of answered: AnsweredExchange
    ) async {
        await delegates.received(
            answered.response, to: answered.exchange.hop.request, offeredChallenges(answered))
    }

    @inline(never) private func exchangeFailed(_ error: any Error) -> any Error {
        let error = hidingServersNames(in: Self.failure(error))
        context.log?.emit(.exchangeFailed(error))
        return error
    }

    @inline(never) private func transportRequest(
        _ exchange: Exchange, _ identity: ClientIdentitySource?
    ) throws(ConversationError) -> TransportRequest {
        var options = try transportOptions(for: exchange.target)
        options.clientIdentity = identity
        options.upgrade = exchange.request.upgrade
        if let owner = connectionOwner(for: exchange) {
            options.connectionOwner = owner
            options.reportsConnection = true
        }
        if let proxy = exchange.proxy { options.proxy = proxy.route }
        if exchange.target.origin.scheme == .https { options.serverTrust = context.snapshot.trust?.policy }
        let request = exchange.request
        return TransportRequest(
            target: request.target, method: request.method, headerFields: request.headerFields, body: request.body,
            options: options)
    }

    /// The owner of the exchange's connection: the session, if the server may know the person by it.
    private func connectionOwner(for exchange: Exchange) -> ConnectionOwner? {
        let filters = context.snapshot.bindingFilters
        guard !filters.isEmpty else { return nil }
        let destination = CredentialDestination(target: exchange.target, callersURL: context.root.target)
        guard filters.contains(where: { $0.bindsConnections(to: destination) }) else { return nil }
        return ownConnections ?? context.session.identities.connectionOwner
    }

    private nonisolated(nonsending) func sendReportingProgress(
        _ request: TransportRequest
    ) async throws -> TransportResponse {
        guard let delegates = context.delegates, let body = request.body else {
            return try await transport.send(request)
        }
        return try await sendReportingProgress(request, body, delegates)
    }

    /// Never inlined, because its variables would enlarge the frame of each waiting conversation.
    @inline(never) private nonisolated(nonsending) func sendReportingProgress(
        _ request: TransportRequest, _ body: RequestBody, _ delegates: Delegates
    ) async throws -> TransportResponse {
        try await delegates.sending(body, in: context) { body async throws(ConversationError) in
            try await transport.send(request.with(body: body))
        }
    }

    /// Processes every response before any filter sees it. Never inlined, as above.
    @inline(never) private mutating func received(
        _ answered: AnsweredExchange
    ) throws(ConversationError) -> ConversationStateMachine.Event {
        // A proxy's cookies are not the server's.
        if !answered.isProxyChallenge { storeCookies(answered.head, answered.exchange) }
        lastAnswered = answered
        noteVerdict(answered)
        noteProxyVerdict(answered)
        let kind = kind(of: answered)
        if kind == .other { try refuseUnansweredTunnel(answered) }
        return .received(answered, kind)
    }

    @inline(never) private func answeredExchange(_ exchange: Exchange, _ response: consuming TransportResponse)
        -> AnsweredExchange
    {
        let status = response.head.status
        let offered = readChallenges(response, status, exchange)
        return AnsweredExchange(exchange: exchange, response: response, status: status, offered: offered)
    }

    private func transportOptions(for target: TargetURL) throws(ConversationError) -> TransportOptions {
        var options = TransportOptions()
        options.connectTimeout = configuration.connectTimeout
        options.idleTimeout = configuration.idleTimeout
        options.decompresses = configuration.decompresses
        options.reportsConnection = context.isObserved || context.delegates != nil
        options.hostField = context.hostField(for: target)
        if let total = configuration.networkTimeout {
            guard networkTime < total else {
                throw ConversationError(
                    .timedOut, "The exchanges with \(target.origin) took longer than \(total) together.")
            }
            options.timeLimit = total - networkTime
        }
        return options
    }

    private func storeCookies(_ head: HTTPResponse, _ exchange: Exchange) {
        guard configuration.handlesCookies, head.headerFields.has(.setCookie) else { return }
        context.session.cookies.store(
            setCookie: head.headerFields[values: .setCookie], from: exchange.target, sentUnder: exchange.cookieEpoch,
            sent: exchange.request.headerFields[.cookie], suffixes: configuration.publicSuffixes)
    }

    private func kind(of answered: AnsweredExchange) -> ConversationStateMachine.ReceivedKind {
        switch answered.status.code {
        case 301, 302, 303, 307, 308: Self.hasDestination(answered.head) ? .redirect : .other
        case 401 where hasAnswerableChallenge(answered), 407 where hasAnswerableChallenge(answered): .challenge
        default: .other
        }
    }

    /// An empty `Location` refers to the requested page itself: following it would never end.
    private static func hasDestination(_ head: HTTPResponse) -> Bool {
        !head.headerFields[values: .location].allSatisfy(\.trimmingSpaces.isEmpty)
    }
}
