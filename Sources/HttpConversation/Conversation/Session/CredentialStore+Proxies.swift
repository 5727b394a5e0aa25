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
    func waitForProbes(
        at proxy: ProxyServer, _ destination: CredentialDestination, unlessBy id: ConversationID
    ) async {
        while isProbing, !Task.isCancelled {
            let space = state.withLock { state in
                state.slots.first { space, slot in
                    guard let probe = slot.probe, probe.by != id else { return false }
                    return space.isProxy && space.origin == proxy.origin && probe.credential.isAllowed(to: destination)
                }?.key
            }
            guard let space else { return }
            await waitForVerdict(on: space)
        }
    }

    /// Decides about a credential that is about to be sent to a proxy.
    ///
    /// - Parameters:
    ///   - epoch: the epoch of the challenged exchange
    ///   - keep: whether it is sent ahead from then on, if it is accepted
    ///   - destination: the destination of the credential
    ///   - refused: the credentials that were refused in this conversation
    func claim(
        _ credential: any Credential, for space: ProtectionSpace, since epoch: UInt64, keep: Bool,
        at destination: CredentialDestination, refused: [any Credential], by prober: ConversationID
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
            if let probe = slot.probe, probe.by != prober { return .wait }
            if slot.probe == nil { probes.add(1, ordering: .acquiringAndReleasing) }
            slot.probe = (credential, prober)
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
        settle(probe.credential, for: space, accepted: true, keep: keep, by: probe.by)
    }
}
