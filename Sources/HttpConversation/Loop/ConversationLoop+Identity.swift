import Logging

extension ConversationLoop {
    /// Transmits an exchange whose server may ask for a client certificate. If the server refuses the certificate,
    /// repeats the exchange over another connection, with the next answer.
    mutating func transmitIdentified(_ exchange: Exchange) async throws -> TransportResponse {
        guard !context.snapshot.certificateFilters.isEmpty else { return try await transmitTrusting(exchange, nil) }
        let origin = exchange.target.origin
        let isMeant = context.presentsIdentity(to: exchange.target)
        var hasRetried = false
        while true {
            let key = IdentityRounds.Key(origin: origin, isMeant: isMeant, refused: identities.refused(by: origin))
            let round = context.session.identities.round(for: key)
            // A request that is part of answering this server's question goes without a certificate: it would wait for
            // itself.
            guard !ActiveSteps.questions.contains(round.question) else {
                return try await transmitTrusting(exchange, nil)
            }
            do {
                let response = try await transmit(exchange, in: round)
                guard round.source.isAnswered else { return response }
                note(round.source, for: origin)
                if let error = await certificatePage(response, round.source, origin) { throw error }
                context.session.identities.accepted(round, for: key)
                return response
            } catch {
                let error = Self.failure(error)
                guard try await canRepeat(exchange, after: error, in: round, hasRetried: hasRetried) else {
                    throw error
                }
                hasRetried = true
            }
        }
    }

    /// Whether the exchange can be repeated, with another answer. If its one-shot body was read, delegates may provide
    /// a new stream.
    private mutating func canRepeat(
        _ exchange: Exchange, after error: ConversationError, in round: IdentityRound, hasRetried: Bool
    ) async throws(ConversationError) -> Bool {
        let origin = exchange.target.origin
        var consumedBody: OneShotBody?
        if case .oneShot(let body)? = exchange.request.body?.kind, body.isUsed { consumedBody = body }
        if round.source.isAnswered {
            note(round.source, for: origin)
            guard isRefusal(error, round, of: origin), !hasRetried else { return false }
        } else {
            // The server asks after it has seen a request. The transport knows that now, and repeats by itself where
            // possible.
            guard error.code == .clientCertificateRequired, consumedBody != nil, !hasRetried else { return false }
        }
        guard let consumedBody else { return true }
        try await context.delegates?.renew(consumedBody, in: context)
        return !consumedBody.isUsed
    }

    private mutating func transmit(
        _ exchange: Exchange, in round: IdentityRound
    ) async throws -> TransportResponse {
        let question = IdentityQuestion(
            context: context, target: exchange.target, sentUnder: exchange.epoch,
            refused: identities.refused(by: exchange.target.origin),
            refusal: identities.refusal(by: exchange.target.origin))
        // The transport asks in a separate task.
        let parts = ActiveSteps.Parts()
        let ticket = round.enter { try await parts.answering(round.question) { try await question.ask() } }
        defer { round.leave(ticket) }
        return try await configuration.multiplexer.lendingScreen(to: round.question) {
            try await transmitTrusting(exchange, round.source)
        }
    }

    /// Whether the server refused the certificate. If so, drops the answer, so that it is asked for again.
    private mutating func isRefusal(
        _ error: ConversationError, _ round: IdentityRound, of origin: Origin
    ) -> Bool {
        switch error.code {
        case .clientCertificateRefused:
            guard let identity = round.source.answeredIdentity else { return false }
            context.session.identities.forget(round)
            identities.refuse(identity, by: origin, error)
            emitCertificate(identity, .refused, for: origin)
            return true
        case .clientCertificateRequired:
            context.session.identities.forget(round)
            return false
        default: return false
        }
    }

    private mutating func note(_ source: ClientIdentitySource, for origin: Origin) {
        guard identities.recordAnswer(source, for: origin) else { return }
        let identity = source.answeredIdentity
        emitCertificate(identity, identity == nil ? .absent : .present, for: origin)
    }

    private func emitCertificate(
        _ identity: ClientIdentity?, _ verdict: ConversationEvent.CertificateUse.Verdict, for origin: Origin
    ) {
        context.log?.emit(
            .clientCertificateUsed(.init(origin: origin, verdict: verdict, certificate: identity?.summary)))
    }
}
