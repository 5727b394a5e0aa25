/// The handshakes of a login's view that makes connections by itself and asks the conversation about them.
extension ConversationContext {
    /// The settings that a login's view cannot apply: the transport's, and the filters' except for those about servers'
    /// certificates, which ``check(_:of:)`` applies.
    package var connectionPolicyBesidesTrust: ConnectionPolicy {
        connectionPolicy { $0.subtracting([.pinnedKeys, .authorities]) }
    }

    /// Whether filters judge servers; if not, the system's judgement stands.
    package var judgesServers: Bool { snapshot.trust != nil }

    /// The terms for a server's certificate, for the system's evaluation.
    package func serverTrustTerms(for origin: Origin) -> ServerTrustTerms {
        snapshot.trust?.policy.terms(for: origin) ?? ServerTrustTerms()
    }

    /// Judges a server as in a handshake of the conversation. A filter that wants to ask a person first refuses: the
    /// person looks at the login's page.
    ///
    /// - Throws: ``ConversationError/Code/certificateNotTrusted``, or the filter's error
    package func check(_ trust: ServerTrust, of origin: Origin) async throws(ConversationError) {
        guard let policy = snapshot.trust?.policy else {
            guard trust.problems.isEmpty else { throw trust.failure(at: origin) }
            return
        }
        do {
            let judged = policy.terms(for: origin).accepts(trust) ? trust.withoutProblems : trust
            let question = TrustQuestion(
                context: self, target: try origin.targetURL(), sentUnder: session.epoch.current)
            try await question.ask(judged, policy)
        } catch {
            throw .wrapping(error, as: .certificateNotTrusted, "The certificate of \(origin) could not be judged.")
        }
    }

    /// The client certificate for a server that asks the view for one: the one that the session has shown it, or the
    /// answer of the filters; nil: none.
    ///
    /// - Throws: ``ConversationError`` if a provider failed, or the person cancelled
    package func clientIdentity(for target: TargetURL) async throws(ConversationError) -> ClientIdentity? {
        let key = IdentityRounds.Key(origin: target.origin, isMeant: presentsIdentity(to: target))
        let round = session.identities.round(for: key)
        let question = IdentityQuestion(
            context: self, target: target, sentUnder: session.epoch.current, refused: [], refusal: nil)
        let parts = ActiveSteps.Parts()
        let ticket = round.enter { try await parts.answering(round.question) { try await question.ask() } }
        defer { round.leave(ticket) }
        return try await configuration.multiplexer.lendingScreen(to: round.question) {
            () async throws(ConversationError) in try await round.source.identity()
        }
    }

    /// Drops the certificate that a server has refused: the next login asks for another one.
    package func forgetClientIdentity(for target: TargetURL) {
        let key = IdentityRounds.Key(origin: target.origin, isMeant: presentsIdentity(to: target))
        session.identities.forget(session.identities.round(for: key))
    }
}
