import HTTPTypes

extension ConversationLoop {
    /// Records the server's verdict on the exchange's credential.
    mutating func noteVerdict(_ answered: AnsweredExchange) {
        // If the proxy asks, the server has not answered yet.
        guard let sent = answered.exchange.sent, !answered.isProxyChallenge else { return }
        let store = context.session.credentials
        if !answered.offered.contains(where: { space(of: $0, answered) == sent.space }) {
            if answered.status == 401 { return noteRefusal(of: sent, answered) }
            if HTTPResponse.Status.leavesLoginUnjudged(answered.status.code) {
                return store.release(sent.space, by: context.id)
            }
            sent.credential.received(answered.head)
            hasLoggedIn = true
            challenges.accepted(sent, isOver: sent.credential.servesOneExchange)
            if let challenged = sent.challenged, challenged == answered.target {
                store.learn(challenged, belongsTo: sent.space)
            }
            store.settle(
                sent.credential, for: sent.space, ahead: sent.challenged == nil ? sent : nil,
                sentUnder: answered.exchange.epoch, accepted: true, keep: sent.persistence == .session, by: context.id)
        } else {
            noteRefusal(of: sent, answered)
        }
    }

    /// Records that a credential was refused, unless only its nonce was old.
    mutating func noteRefusal(of sent: SentCredential, _ answered: AnsweredExchange) {
        let store = context.credentials(for: sent.space)
        let again = answered.offered.filter { space(of: $0, answered) == sent.space }
        if again.isEmpty { return noteRefusalWithoutChallenge(of: sent) }
        if again.contains(where: { $0.isStale || isContinued(sent, by: $0) }) {
            // The next exchange may wait for a conversation that waits for this one, so a proxy's credential is claimed
            // again just before it is sent.
            if sent.space.isProxy { store.release(sent.space, by: context.id) }
            return
        }
        refuse(sent)
    }

    /// Records the answer to a credential that asks for a login, but not for this one.
    ///
    /// A password that answered a challenge was refused: each further attempt would bring the account closer to being
    /// locked. A password that was accepted before may be right: perhaps only this resource wants another login. Other
    /// credentials lock no account.
    private mutating func noteRefusalWithoutChallenge(of sent: SentCredential) {
        let store = context.credentials(for: sent.space)
        guard sent.challenged != nil, [.basic, .digest].contains(sent.space.method),
            !store.wasAccepted(sent.credential, in: sent.space)
        else { return store.release(sent.space, by: context.id) }
        refuse(sent, isUntold: true)
    }

    /// Takes back the refusal of a password by a 401 without its challenge: a filter has another answer to that 401, so
    /// the password may have been right.
    mutating func withdrawRefusal(_ answered: AnsweredExchange) {
        guard answered.status == 401, let sent = answered.exchange.sent,
            context.session.credentials.withdrawUntold(sent.credential, in: sent.space)
        else { return }
        challenges.withdrawRefusal(of: sent)
    }

    /// Records that the server has refused a credential.
    ///
    /// - Parameter isUntold: whether the filters do not learn of the refusal in this conversation, because they are not
    ///   asked again
    mutating func refuse(_ sent: SentCredential, isUntold: Bool = false) {
        challenges.refuse(sent.credential, in: sent.space)
        context.credentials(for: sent.space).settle(
            sent.credential, for: sent.space, accepted: false, keep: false, isUntold: isUntold, by: context.id)
    }

    /// Whether a challenge is a further message of the login.
    func isContinued(_ sent: SentCredential, by offered: OfferedChallenge) -> Bool {
        !sent.space.isProxy && sent.credential.isContinued(by: offered)
    }

    /// The challenge that is a further message of the login that the exchange carried.
    func furtherMessage(_ answered: AnsweredExchange) -> OfferedChallenge? {
        guard let sent = answered.exchange.sent, !answered.isProxyChallenge else { return nil }
        return answered.offered.first { space(of: $0, answered) == sent.space && isContinued(sent, by: $0) }
    }

    /// Checks the server's proof, before anybody gets the response.
    nonisolated(nonsending) func verify(_ answered: AnsweredExchange) async throws {
        guard let sent = answered.exchange.sent, !answered.isProxyChallenge,
            !answered.offered.contains(where: { space(of: $0, answered) == sent.space })
        else { return }
        do { try await sent.credential.verify(answered.head) } catch {
            answered.response.body.cancel()
            if Task.isCancelled { throw ConversationError.cancelled }
            throw ConversationError.wrapping(
                error, as: .authenticationFailed,
                "\(answered.target.origin) has not proved who it is, so its answer is not used.")
        }
    }

    /// Releases the credentials without a verdict, so that other conversations can try them.
    func releaseProbes() {
        for space in challenges.spaces { context.credentials(for: space).release(space, by: context.id) }
    }
}
