import Synchronization

/// Credentials for proxies.
extension CredentialStore {
    /// The accepted credential for a proxy, which every request through it carries.
    func preemptive(
        at proxy: ProxyServer, _ destination: CredentialDestination, sendsBasic: (ProtectionSpace) -> Bool
    ) -> SentCredential? {
        guard hasProven.load(ordering: .acquiring) else { return nil }
        let known = state.withLock { state in
            (state.settled[proxy.origin] ?? []).filter(\.space.isProxy).compactMap(\.proven)
        }
        return known.first { known in
            (known.space.method != .basic || sendsBasic(known.space)) && known.credential.isAllowed(to: destination)
        }
    }

    /// Returns once no other conversation is trying a credential at the proxy.
    ///
    /// - Parameter clock: limits each wait; nil for a request that cannot be repeated after a challenge
    /// - Returns: the prober that it has waited for until the limit had passed; nil if there is none any more
    func waitForProbes(
        at proxy: ProxyServer, _ destination: CredentialDestination, unlessBy id: ConversationID,
        clock: (any Clock<Duration>)?
    ) async -> ConversationID? {
        while isProbing, !Task.isCancelled {
            let space = state.withLock { state in
                state.slots.first { space, slot in
                    guard let probe = slot.probe, !probe.isRun(by: id) else { return false }
                    return space.isProxy && space.origin == proxy.origin && probe.credential.isAllowed(to: destination)
                }?.key
            }
            guard let space else { return nil }
            if let prober = await waitForVerdict(on: space, clock: clock) { return prober }
        }
        return nil
    }

    /// Decides about a credential that is about to be sent to a proxy.
    ///
    /// - Parameters:
    ///   - epoch: the epoch of the challenged exchange
    ///   - keep: whether it is sent ahead from then on, if it is accepted
    ///   - destination: the destination of the credential
    ///   - refused: the credentials that were refused in this conversation
    ///   - awaited: the prober that the conversation has waited for too long: then it may try the credential, too
    func claim(
        _ credential: any Credential, for space: ProtectionSpace, since epoch: UInt64, keep: Bool,
        at destination: CredentialDestination, refused: [any Credential], by prober: ConversationID,
        awaited: ConversationID?
    ) -> Claim {
        state.withLock { state in
            let slot = state.slot(space)
            if slot.proven?.credential.hasSameSecret(as: credential) == true { return .send }
            if let verdict = slot.verdict, verdict.epoch > epoch {
                let isThis = verdict.credential.hasSameSecret(as: credential)
                if isThis, !verdict.accepted { return .refused }
                if !isThis, verdict.accepted, verdict.credential.isAllowed(to: destination),
                    !refused.contains(where: { $0.hasSameSecret(as: verdict.credential) })
                {
                    return .superseded(verdict.credential, verdict.persistence)
                }
            }
            if let probe = slot.probe, !probe.isRun(by: prober) {
                guard probe.credential.hasSameSecret(as: credential),
                    let joined = probe.joined(by: prober, after: awaited)
                else { return .wait }
                slot.probe = joined
                return .send
            }
            if slot.probe == nil { probes.add(1, ordering: .acquiringAndReleasing) }
            slot.probe = Probe(
                credential: credential, persistence: keep ? .session : .conversation, prober: prober,
                slowProbers: slot.probe?.otherProbers(than: prober) ?? [])
            slot.keepsProbe = keep
            state.slots[space] = slot
            return .send
        }
    }

    /// Records that a proxy made a tunnel for a credential, without waiting for the server's response.
    func tunnelMade(for credential: any Credential, in space: ProtectionSpace) {
        let tried = state.withLock { state in
            state.slots[space].flatMap { slot in
                slot.probe.flatMap { probe in
                    probe.credential.hasSameSecret(as: credential) ? (probe, slot.keepsProbe) : nil
                }
            }
        }
        guard let (probe, keep) = tried else { return }
        settle(probe.credential, for: space, accepted: true, keep: keep, by: probe.prober)
    }
}
