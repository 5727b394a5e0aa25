import HTTPTypes

extension ConversationLoop {
    // MARK: Choosing

    /// The proxy for a target. An unusable proxy is never bypassed (security rule S25).
    func chooseProxy(for target: TargetURL) throws(ConversationError) -> ProxyServer? {
        guard let proxies = context.snapshot.proxies, proxies.areUsed(by: transport.capabilities),
            let server = try proxies.proxy(for: target)
        else { return nil }
        guard transport.capabilities.contains(.proxies) else {
            throw ConversationError(
                .invalidConfiguration,
                """
                The request for \(target.origin) goes through the proxy \(server), which the transport \
                \(type(of: transport)) cannot do. Nothing was sent: use another transport, or configure no proxy for it.
                """)
        }
        return server
    }

    /// The proxy's route and credential, chosen just before the exchange is sent.
    mutating func proxyUse(
        through server: ProxyServer?, _ request: inout ConversationRequest
    ) async throws -> ProxyUse? {
        guard let server else { return nil }
        // A filter that set this field did not know the proxy.
        request.headerFields[.proxyAuthorization] = nil
        guard server.kind != .socks5 else { return ProxyUse(ProxyRoute(server)) }
        let session = context.session.forProxies
        let destination = CredentialDestination(
            target: request.target, callersURL: context.root.target, proxy: server)
        guard let sent = try await proxyCredential(for: destination, server, request) else {
            return ProxyUse(ProxyRoute(server), epoch: session.credentials.currentEpoch)
        }
        if request.isReadByProxy { try await attachToProxy(sent, &request) }
        let source = session.proxySources.source(for: sent.credential, in: sent.space)
        return ProxyUse(
            ProxyRoute(server, authorization: source), sent: sent, epoch: session.credentials.currentEpoch)
    }

    /// The present answer, or the session's credential. If the credential is new, this conversation is the one that
    /// tries it, and must send it.
    private mutating func proxyCredential(
        for destination: CredentialDestination, _ server: ProxyServer, _ request: ConversationRequest
    ) async throws -> SentCredential? {
        let store = context.session.forProxies.credentials
        while let answer = challenges.answer(for: destination), mayBeSent(answer) {
            if Task.isCancelled { throw ConversationError.cancelled }
            let claim = store.claim(
                answer.credential, for: answer.space, since: challenges.epoch(in: answer.space),
                keep: answer.persistence == .session, at: destination, refused: challenges.refused(in: answer.space),
                by: context.id, awaited: challenges.awaitedProber)
            switch claim {
            case .send: return answer
            case .superseded(let known, let persistence):
                let answer = SentCredential(
                    space: answer.space, credential: known, persistence: persistence, challenged: answer.challenged)
                challenges.record(answer, since: store.currentEpoch)
                return answer
            case .wait: await waitForVerdict(on: answer.space)
            case .refused: challenges.refuse(answer.credential, in: answer.space)
            }
        }
        if store.isProbing {
            let clock = probeClock(for: request)
            let prober = await store.waitForProbes(at: server, destination, unlessBy: context.id, clock: clock)
            if let prober { challenges.awaitedProber = prober }
        }
        guard let known = store.preemptive(at: server, destination, sendsBasic: { context.sendsBasic(to: $0) }),
            !challenges.refused(in: known.space).contains(where: { $0.hasSameSecret(as: known.credential) })
        else { return nil }
        return known
    }

    /// Digest may have been offered since the answer was given (security rule S10).
    private func mayBeSent(_ answer: SentCredential) -> Bool {
        answer.space.method != .basic || context.sendsBasic(to: answer.space)
    }

    private func attachToProxy(
        _ sent: SentCredential, _ request: inout ConversationRequest
    ) async throws {
        var asked = request
        asked.targetForm = .absolute
        do {
            let value = try await sent.credential.authorization(for: asked)
            request.headerFields.append(try HTTPField(.proxyAuthorization, checking: value))
        } catch {
            throw ConversationError.wrapping(
                error, as: .authenticationFailed, "The credential for \(sent.space) cannot be sent.")
        }
    }

    // MARK: Verdicts

    /// Records the proxy's verdict on its credential.
    mutating func noteProxyVerdict(_ answered: AnsweredExchange) {
        guard let proxyUse = answered.exchange.proxy, let sent = proxyUse.sent else { return }
        guard answered.isProxyChallenge else {
            // In a tunnel the server answers, not the proxy.
            guard answered.exchange.request.isReadByProxy else { return accepted(sent, proxyUse) }
            sent.credential.received(answered.head)
            return passed(sent, proxyUse, answered.status)
        }
        noteRefusal(of: sent, answered)
    }

    /// Records a response that does not ask for a login, and may be the proxy's own.
    private mutating func passed(_ sent: SentCredential, _ proxyUse: ProxyUse, _ status: HTTPResponse.Status) {
        if HTTPResponse.Status.leavesProxyLoginUnjudged(status.code) {
            context.credentials(for: sent.space).release(sent.space, by: context.id)
        } else {
            accepted(sent, proxyUse)
        }
    }

    private mutating func accepted(_ sent: SentCredential, _ proxyUse: ProxyUse) {
        challenges.accepted(sent)
        context.credentials(for: sent.space).settle(
            sent.credential, for: sent.space, ahead: sent.challenged == nil ? sent : nil, sentUnder: proxyUse.epoch,
            accepted: true, keep: sent.persistence == .session, by: context.id)
    }

    // MARK: Refusals

    /// Fails if a proxy answers `CONNECT` with a response instead of a tunnel: it must not pass for the server's. A
    /// request for a login is handled elsewhere.
    mutating func refuseTunnelless(
        _ response: TransportResponse, _ exchange: Exchange
    ) throws(ConversationError) {
        guard response.isFromProxy, !exchange.isProxyChallenge(response, response.head.status) else { return }
        if let proxyUse = exchange.proxy, let sent = proxyUse.sent { passed(sent, proxyUse, response.head.status) }
        throw ConversationError(
            .proxyRefused,
            """
            \(Self.name(exchange.proxy)) made no tunnel to \(exchange.target.origin.hostAndPort): it answered \
            \(Self.status(response.head)). The server was not reached: see whether the proxy allows it, and can reach it.
            """)
    }

    /// Fails if a tunnel needs a login that nobody has.
    func refuseUnansweredTunnel(_ answered: AnsweredExchange) throws(ConversationError) {
        guard answered.response.isFromProxy else { return }
        guard answered.head.headerFields.contains(.proxyAuthenticate) else {
            throw ConversationError(
                .proxyRefused,
                """
                \(Self.name(answered.exchange.proxy)) wants a login for the tunnel to \
                \(answered.target.origin.hostAndPort) (\(Self.status(answered.head))), but does not say how: it sent no \
                challenge. A login is sent only to a proxy that asks for it by a scheme, such as Basic.
                """)
        }
        let proxy = answered.exchange.proxy
        let hasNone = proxy?.sent == nil && proxy?.server.login == nil
        let was = hasNone ? "there is none for it" : "the one there is was not accepted"
        throw ConversationError(
            .proxyRefused,
            """
            \(Self.name(answered.exchange.proxy)) wants a login for the tunnel to \
            \(answered.target.origin.hostAndPort) (\(Self.status(answered.head))), and \(was): give the proxy a user name \
            and password (ProxyServer.login), or add a UsernamePasswordProvider that serves it.
            """, challenge: firstChallenge(answered))
    }

    private static func name(_ proxy: ProxyUse?) -> String { "The proxy\(proxy.map { " \($0.server)" } ?? "")" }

    private static func status(_ head: HTTPResponse) -> String {
        let reason = TerminalText.sanitise(head.status.reasonPhrase, limit: 60)
        return "\(head.status.code)" + (reason.isEmpty ? "" : " \(reason)")
    }
}
