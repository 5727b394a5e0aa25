import Synchronization

/// The servers' verdicts on credentials.
extension CredentialStore {
    /// Records the server's verdict on a credential.
    ///
    /// - Parameters:
    ///   - ahead: the credential as it was sent ahead; nil if it was not
    ///   - epoch: the epoch of the exchange that carried it; it counts for an acceptance
    ///   - keep: whether an accepted credential is sent ahead from now on
    ///   - isUntold: whether the filters do not know of a refusal, and so the next challenged conversation tells them
    func settle(
        _ credential: any Credential, for space: ProtectionSpace, ahead: SentCredential? = nil,
        sentUnder epoch: UInt64 = .max, accepted: Bool, keep: Bool, isUntold: Bool = false, by id: ConversationID
    ) {
        if accepted, let ahead, isProbing ? isPresent(ahead, by: id) : ahead.isProven.load(ordering: .acquiring) {
            return
        }
        let isOver = state.withLock { state in
            let slot = state.slot(space)
            let wasProven = slot.proven?.credential.hasSameSecret(as: credential) == true
            let isProber = slot.probe?.isRun(by: id) == true
            // A credential that was sent ahead is not kept again once it was refused, replaced or removed. One that is
            // still kept stays as it is.
            let isLate = !isProber && (ahead != nil || state.isOutdated(credential, in: slot, sentUnder: epoch))
            if accepted, wasProven ? ahead == nil : keep && !isLate { slot.prove(credential) }
            if !accepted, wasProven { slot.prove(nil) }
            if isProber || !accepted {
                slot.verdict = Verdict(
                    credential: credential, accepted: accepted, persistence: keep ? .session : .conversation,
                    epoch: self.epoch.advance(), isUntold: isUntold)
            }
            store(slot, endingProbe: isProber, in: &state)
            return isProber
        }
        refreshHint()
        if isOver { probeEnds.notify(space) }
    }

    /// Whether a credential that was sent ahead is still the present one, and this conversation tries no other: the
    /// common case.
    private func isPresent(_ ahead: SentCredential, by id: ConversationID) -> Bool {
        state.withLock { state in
            guard let slot = state.slots[ahead.space] else { return false }
            return slot.proven === ahead && slot.probe?.isRun(by: id) != true
        }
    }

    /// Whether the server has accepted a credential, and has not refused it since.
    func wasAccepted(_ credential: any Credential, in space: ProtectionSpace) -> Bool {
        state.withLock { state in
            guard let slot = state.slots[space] else { return false }
            if slot.proven?.credential.hasSameSecret(as: credential) == true { return true }
            return slot.verdict.map { $0.accepted && $0.credential.hasSameSecret(as: credential) } ?? false
        }
    }

    /// Records that the filters were asked, and were told which credentials were refused.
    func told(_ refused: [any Credential], in space: ProtectionSpace) {
        if refused.isEmpty { return }
        state.withLock { state in
            guard let slot = state.slots[space], let verdict = slot.verdict, verdict.isUntold,
                refused.contains(where: { $0.hasSameSecret(as: verdict.credential) })
            else { return }
            slot.verdict?.isUntold = false
        }
    }

    /// Takes back a refusal that no filter knows of.
    ///
    /// - Returns: whether there was one
    func withdrawUntold(_ credential: any Credential, in space: ProtectionSpace) -> Bool {
        state.withLock { state in
            guard let slot = state.slots[space], let verdict = slot.verdict, verdict.isUntold,
                verdict.credential.hasSameSecret(as: credential)
            else { return false }
            slot.verdict = nil
            return true
        }
    }

    /// Ends a probe without a verdict (network failure, cancellation): another conversation may try, unless one does
    /// already.
    func release(_ space: ProtectionSpace, by id: ConversationID) {
        let isOver = state.withLock { state in
            guard let slot = state.slots[space], let probe = slot.probe, probe.isRun(by: id) else { return false }
            if let rest = probe.left(by: id) { slot.probe = rest } else { store(slot, endingProbe: true, in: &state) }
            return true
        }
        if isOver { probeEnds.notify(space) }
    }

    private func store(_ slot: Slot, endingProbe: Bool, in state: inout State) {
        if endingProbe {
            if slot.probe != nil { probes.subtract(1, ordering: .acquiringAndReleasing) }
            slot.probe = nil
        }
        state.slots[slot.space] = slot
        state.addSettled(slot)
    }

    private func refreshHint() {
        state.withLock { state in
            hasProven.store(state.slots.values.contains { $0.proven != nil }, ordering: .releasing)
        }
    }
}
