import HttpConvConcurrency
import Synchronization

/// The credentials of one session by protection space, with the servers' verdicts on them (docs/architecture.md, rule
/// 6).
///
/// A new credential is tried by one conversation, the *prober*; the others wait for the verdict. So a wrong password
/// costs one failed login, whatever the number of conversations. If the prober's answer takes longer than five seconds,
/// one of those that wait tries the same credential, too, and then one more each minute: slow resources must not hold up
/// the others.
package final class CredentialStore: Sendable {
    /// Advice for a challenged conversation.
    enum Advice {
        /// Repeat with this credential, which was accepted; it is kept as long as its provider said.
        case use(any Credential, CredentialPersistence)
        /// Another conversation is trying a credential: wait for the verdict, then ask for advice again.
        case wait
        /// This credential was refused after the challenged exchange was sent, or before it and no filter knows: count
        /// it as this conversation's own failure.
        case refusedMeanwhile(any Credential)
        /// Ask the filters.
        case ask
    }

    /// The decision about a credential that a filter provided.
    enum Proposal {
        /// Try it; then call `settle` or `release`.
        case probe
        /// Use it: it was accepted before.
        case use
        /// Another conversation is trying a credential, or has just got a verdict: ask for advice again.
        case wait
    }

    /// The decision about a credential that is about to be sent to a proxy.
    enum Claim {
        /// Send it: it was accepted before, or this conversation is the prober.
        case send
        /// Another conversation is trying a credential: wait for the verdict, then claim again.
        case wait
        /// The credential was refused meanwhile.
        case refused
        /// Another credential was accepted meanwhile: send that credential.
        case superseded(any Credential, CredentialPersistence)
    }

    struct Verdict {
        let credential: any Credential
        let accepted: Bool
        let persistence: CredentialPersistence
        let epoch: UInt64
        /// Whether no filter knows of the refusal yet, because the response had no challenge to ask it about.
        var isUntold = false
    }

    /// The trial of a credential.
    struct Probe {
        let credential: any Credential
        let persistence: CredentialPersistence
        /// The conversation that has begun to try it last.
        let prober: ConversationID
        /// The conversations that have tried it for long without an answer, in the order of their beginning.
        var slowProbers: [ConversationID] = []

        /// The time that a conversation waits for the verdict before it tries the credential, too.
        var longestWait: Duration { CredentialStore.longestWait(probers: slowProbers.count + 1) }

        func isRun(by id: ConversationID) -> Bool { prober == id || slowProbers.contains(id) }

        /// The same trial with one more prober; nil unless that has waited for the present one. So one joins at a time,
        /// however many wait.
        ///
        /// - Parameter awaited: the prober that it has waited for
        func joined(by id: ConversationID, after awaited: ConversationID?) -> Probe? {
            guard prober == awaited else { return nil }
            return Probe(
                credential: credential, persistence: persistence, prober: id, slowProbers: slowProbers + [prober])
        }

        func otherProbers(than id: ConversationID) -> [ConversationID] {
            (slowProbers + [prober]).filter { $0 != id }
        }

        /// The same trial without one of its probers; nil if there is no other.
        func left(by id: ConversationID) -> Probe? {
            var others = otherProbers(than: id)
            guard let last = others.popLast() else { return nil }
            return Probe(credential: credential, persistence: persistence, prober: last, slowProbers: others)
        }
    }

    /// One space with its verdicts. A class, because two tables refer to it, and it is changed in place.
    final class Slot {
        let space: ProtectionSpace
        /// The accepted credential. The identity of the object recognises it without comparing secrets.
        private(set) var proven: SentCredential?
        var probe: Probe?
        /// Whether a proxy's credential is kept for the session once it was accepted.
        var keepsProbe = false
        var verdict: Verdict?

        init(_ space: ProtectionSpace) { self.space = space }

        /// Whether no conversation tries a credential.
        var isIdle: Bool { probe == nil }

        func prove(_ credential: (any Credential)?) {
            proven?.isProven.store(false, ordering: .releasing)
            proven = credential.map { SentCredential(space: space, credential: $0, persistence: .session) }
            proven?.isProven.store(true, ordering: .releasing)
        }

        /// The credential, if it may be sent ahead to the destination.
        func sendable(to destination: CredentialDestination) -> SentCredential? {
            guard !space.isProxy, let proven, proven.credential.covers(destination.target),
                proven.credential.isAllowed(to: destination)
            else { return nil }
            return proven
        }
    }

    struct State {
        var slots: [ProtectionSpace: Slot] = [:]
        /// Settled slots by origin, so that a request looks only at those of its own origin.
        var settled: [Origin: [Slot]] = [:]
        var map = SpaceMap()
        /// The epoch of the last removal of all credentials.
        var removal: UInt64 = 0

        /// The slot of a space; a new one that is not in the table yet if there is none.
        func slot(_ space: ProtectionSpace) -> Slot { slots[space] ?? Slot(space) }

        /// Whether a credential was refused, replaced or removed after an exchange that carried it was sent.
        func isOutdated(_ credential: any Credential, in slot: Slot, sentUnder epoch: UInt64) -> Bool {
            if removal > epoch { return true }
            guard let verdict = slot.verdict, verdict.epoch > epoch else { return false }
            return !verdict.accepted || !verdict.credential.hasSameSecret(as: credential)
        }

        /// Adds a settled slot. If the origin has too many, it replaces an old one, because an origin can invent any
        /// number of realms.
        mutating func addSettled(_ slot: Slot) {
            var settled = settled[slot.space.origin] ?? []
            guard !settled.contains(where: { $0 === slot }) else { return }
            if settled.count >= CredentialStore.maximumSpaces,
                let index = settled.firstIndex(where: { $0.isIdle && $0.proven == nil })
                    ?? settled.firstIndex(where: \.isIdle)
            {
                let old = settled.remove(at: index)
                old.prove(nil)
                slots[old.space] = nil
            }
            settled.append(slot)
            self.settled[slot.space.origin] = settled
        }
    }

    /// The origins that have offered Digest.
    package let digestOrigins: DigestOrigins
    /// The maximum number of protection spaces with a verdict for one origin.
    private static let maximumSpaces = 256
    let epoch: SessionEpoch
    let state = Mutex(State())
    /// Wakes those that wait for the end of a space's probe.
    let probeEnds = ConditionVariable<ProtectionSpace>()
    /// Whether any credential was accepted. While it is false, a request costs one atomic load.
    let hasProven = Atomic<Bool>(false)
    let probes = Atomic<Int>(0)

    init(epoch: SessionEpoch, digestOrigins: DigestOrigins) {
        self.epoch = epoch
        self.digestOrigins = digestOrigins
    }

    /// The present epoch, for an exchange that is sent now.
    var currentEpoch: UInt64 { epoch.current }

    func removeAll() {
        state.withLock { state in
            for slot in state.slots.values { slot.prove(nil) }
            state.slots = [:]
            state.settled = [:]
            probes.store(0, ordering: .releasing)
            state.map = SpaceMap()
            state.removal = epoch.advance()
        }
        hasProven.store(false, ordering: .releasing)
        probeEnds.notifyAll()
    }

    // MARK: Sending ahead

    /// The accepted credential whose space covers the target. If there are several, the one that was challenged nearest
    /// to the target.
    ///
    /// - Parameter sendsBasic: whether the origin may get a password by Basic
    func preemptive(
        for destination: CredentialDestination, sendsBasic: (Origin) -> Bool
    ) -> SentCredential? {
        guard hasProven.load(ordering: .acquiring) else { return nil }
        let target = destination.target
        let sendsBasic = sendsBasic(target.origin)
        return state.withLock { state in
            guard let slots = state.settled[target.origin] else { return nil }
            if slots.count > 1, let nearest = state.map.nearest(to: target) {
                // A space that once accepted Basic gets no password by it after Digest was offered.
                guard nearest.method != .basic || sendsBasic else { return nil }
                return state.slots[nearest]?.sendable(to: destination)
            }
            for slot in slots where slot.space.method != .basic || sendsBasic {
                if let known = slot.sendable(to: destination) { return known }
            }
            return nil
        }
    }

    /// Whether a credential is being tried.
    var isProbing: Bool { probes.load(ordering: .acquiring) > 0 }

    /// Returns once no other conversation is trying a credential whose space covers the target: a request sent
    /// meanwhile would only be challenged, too.
    ///
    /// - Parameter clock: limits each wait; nil for a request that cannot be repeated after a challenge
    /// - Returns: the prober that it has waited for until the limit had passed; nil if there is none any more
    func waitForProbes(
        covering destination: CredentialDestination, unlessBy id: ConversationID, clock: (any Clock<Duration>)?
    ) async -> ConversationID? {
        while isProbing, !Task.isCancelled,
            let space = probe(covering: destination, unlessBy: id)
        {
            if let prober = await waitForVerdict(on: space, clock: clock) { return prober }
        }
        return nil
    }

    private func probe(covering destination: CredentialDestination, unlessBy id: ConversationID) -> ProtectionSpace? {
        let target = destination.target
        return state.withLock { state in
            state.slots.first { space, slot in
                guard let probe = slot.probe, !probe.isRun(by: id), space.origin == target.origin, !space.isProxy
                else { return false }
                return probe.credential.covers(target) && probe.credential.isAllowed(to: destination)
            }?.key
        }
    }

    /// Records where a space has sent a challenge.
    func learn(_ target: TargetURL, belongsTo space: ProtectionSpace) {
        state.withLock { $0.map.learn(target, space) }
    }

    // MARK: Challenged

    /// - Parameter awaited: the prober that the conversation has waited for too long: then it may try the credential,
    ///   too
    func advice(
        for challenge: AuthenticationChallenge, refused: [any Credential], awaited: ConversationID?
    ) -> Advice {
        state.withLock { state in
            guard let slot = state.slots[challenge.space] else { return .ask }
            // Skip a credential that its provider does not allow there (security rules S7 and S13).
            let isNew = { (credential: any Credential) in
                credential.isAllowed(to: challenge.destination)
                    && !refused.contains { $0.hasSameSecret(as: credential) }
            }
            if let proven = slot.proven?.credential, isNew(proven) { return .use(proven, .session) }
            if let verdict = slot.verdict, verdict.isUntold || verdict.epoch > challenge.sentUnder,
                isNew(verdict.credential)
            {
                return verdict.accepted
                    ? .use(verdict.credential, verdict.persistence) : .refusedMeanwhile(verdict.credential)
            }
            let id = challenge.context.id
            guard let probe = slot.probe, !probe.isRun(by: id) else { return .ask }
            guard isNew(probe.credential), let joined = probe.joined(by: id, after: awaited) else { return .wait }
            slot.probe = joined
            return .use(joined.credential, joined.persistence)
        }
    }

    /// - Parameter refused: the credentials that were refused in this conversation
    func propose(
        _ credential: any Credential, _ persistence: CredentialPersistence, for challenge: AuthenticationChallenge,
        refused: [any Credential], by prober: ConversationID
    ) -> Proposal {
        let space = challenge.space
        return state.withLock { state in
            let slot = state.slot(space)
            if let proven = slot.proven?.credential, proven.hasSameSecret(as: credential) { return .use }
            if let probe = slot.probe, !probe.isRun(by: prober) { return .wait }
            // The same question may have been answered, tried and refused since this conversation asked.
            if let verdict = slot.verdict, verdict.epoch > challenge.sentUnder,
                verdict.credential.isAllowed(to: challenge.destination),
                !refused.contains(where: { $0.hasSameSecret(as: verdict.credential) })
            {
                return .wait
            }
            if slot.probe == nil { probes.add(1, ordering: .acquiringAndReleasing) }
            slot.probe = Probe(
                credential: credential, persistence: persistence, prober: prober,
                slowProbers: slot.probe?.otherProbers(than: prober) ?? [])
            state.slots[space] = slot
            return .probe
        }
    }

    /// The time after which one more request tries a login whose verdict has not come.
    ///
    /// - Parameter probers: the number of requests that try it already
    package static func longestWait(probers: Int) -> Duration { probers == 1 ? .seconds(5) : .seconds(60) }

    /// Returns once the running probe of the space has its verdict, or the task is cancelled.
    ///
    /// - Parameter clock: limits the wait until one more conversation tries the credential; nil for no limit
    /// - Returns: the prober, if the limit has passed
    func waitForVerdict(on space: ProtectionSpace, clock: (any Clock<Duration>)?) async -> ConversationID? {
        guard let probe = state.withLock({ $0.slots[space]?.probe }) else { return nil }
        let prober = probe.prober
        return await Waiting.during("for the login at \(space) that another request is trying") {
            let wait: @Sendable () async -> Void = {
                await self.probeEnds.wait(for: space) {
                    self.state.withLock { $0.slots[space]?.probe?.prober != prober }
                }
            }
            guard let clock else {
                await wait()
                return nil
            }
            return await Deadline.race(probe.longestWait, clock: clock, wait) == nil ? prober : nil
        }
    }

    /// The number of conversations that wait for a verdict on the space; for tests.
    package func waiterCount(on space: ProtectionSpace) -> Int { probeEnds.waiterCount(of: space) }
}
