/// The challenges of one conversation: its answers, and the refused ones.
struct ChallengeHistory {
    private struct Entry {
        let space: ProtectionSpace
        /// The credential for the next exchange with this space.
        var answer: SentCredential?
        var refused: [any Credential] = []
        var staleInARow = 0
        /// The further messages of a login, since its last first one.
        var furtherMessages = 0
        /// The epoch of the exchange whose challenge was answered last.
        var epoch: UInt64 = 0
    }

    private var entries: [Entry] = []
    /// The conversation whose verdict on a credential this one has waited for too long.
    var awaitedProber: ConversationID?

    /// The present answer for an exchange.
    func answer(for destination: CredentialDestination) -> SentCredential? {
        entries.lazy.compactMap(\.answer).last { $0.isMeant(for: destination) }
    }

    /// The spaces that have sent challenges.
    var spaces: [ProtectionSpace] { entries.map(\.space) }

    func refused(in space: ProtectionSpace) -> [any Credential] {
        entries.first { $0.space == space }?.refused ?? []
    }

    /// The number of refused answers for this space.
    func failureCount(in space: ProtectionSpace) -> Int { refused(in: space).count }

    /// The epoch of the exchange whose challenge was answered last.
    func epoch(in space: ProtectionSpace) -> UInt64 { entries.first { $0.space == space }?.epoch ?? 0 }

    /// Records an answer. The newest one goes last: it is sent if several spaces cover the same target.
    ///
    /// - Parameter epoch: the epoch of the challenged exchange
    mutating func record(_ answer: SentCredential, since epoch: UInt64) {
        change(answer.space) { entry in
            entry.answer = answer
            entry.epoch = epoch
        }
        guard let index = entries.firstIndex(where: { $0.space == answer.space }) else { return }
        entries.append(entries.remove(at: index))
    }

    mutating func refuse(_ credential: any Credential, in space: ProtectionSpace) {
        change(space) { entry in
            entry.answer = nil
            entry.staleInARow = 0
            if !entry.refused.contains(where: { $0.hasSameSecret(as: credential) }) { entry.refused.append(credential) }
        }
    }

    /// Makes a refused credential the answer again.
    mutating func withdrawRefusal(of sent: SentCredential) {
        change(sent.space) { entry in
            entry.refused.removeAll { $0.hasSameSecret(as: sent.credential) }
            entry.answer = sent
        }
    }

    /// Counts a stale nonce.
    ///
    /// - Returns: the number of stale nonces in a row
    mutating func stale(in space: ProtectionSpace) -> Int {
        change(space) {
            $0.answer = nil
            $0.staleInARow += 1
        }
        return entries.first { $0.space == space }?.staleInARow ?? 0
    }

    /// Counts a further message of a login.
    ///
    /// - Returns: the number of further messages
    mutating func continued(in space: ProtectionSpace) -> Int {
        change(space) {
            $0.answer = nil
            $0.furtherMessages += 1
        }
        return entries.first { $0.space == space }?.furtherMessages ?? 0
    }

    /// - Parameter isOver: whether the answer has served its purpose
    mutating func accepted(_ sent: SentCredential, isOver: Bool = false) {
        guard let index = entries.firstIndex(where: { $0.space == sent.space }) else { return }
        entries[index].staleInARow = 0
        entries[index].furtherMessages = 0
        if isOver { entries[index].answer = nil }
    }

    /// Drops the answers when the conversation moves to another origin; the session may still provide them. A proxy's
    /// answer stays: it is for all requests through the proxy.
    mutating func dropServerAnswers() {
        for index in entries.indices where !entries[index].space.isProxy { entries[index].answer = nil }
    }

    private mutating func change(_ space: ProtectionSpace, _ body: (inout Entry) -> Void) {
        if let index = entries.firstIndex(where: { $0.space == space }) {
            body(&entries[index])
        } else {
            var entry = Entry(space: space)
            body(&entry)
            entries.append(entry)
        }
    }
}
