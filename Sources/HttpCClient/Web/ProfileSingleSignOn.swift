import HttpC
import HttpCTerminal
import HttpConvVault

/// The sessions at identity providers that a profile uses: its own, or those that it shares with other profiles
/// (security rule S33).
struct ProfileSingleSignOn: Sendable {
    let policy: SingleSignOnPolicy
    let store: SingleSignOnStore
    /// The URLs that it serves: those of the profile's match.
    private let match: [ProfileMatch]

    /// Returns nil if the profile keeps no sessions.
    ///
    /// - Parameter typed: the origins that the command line names for answers
    init?(_ profile: Profile, typed: [Origin], state: ProfileState, _ diagnostics: Diagnostics) {
        guard let state = Self.state(of: profile, own: state),
            let policy = try? SingleSignOnPolicy(
                origins: Self.origins(of: profile, typed: typed), maximumAge: profile.singleSignOn.maximumAge)
        else { return nil }
        self.policy = policy
        match = profile.match
        store = SingleSignOnStore(storage: VaultSingleSignOn(state: state, diagnostics: diagnostics))
    }

    /// Whether a login for a request of this URL may use it (security rule S13).
    func serves(_ target: TargetURL) -> Bool { match.contains { $0.matches(target) } }

    /// The identity providers that a profile names: `sso-origins`, else the origins of its answers and its
    /// authorization server.
    static func origins(of profile: Profile, typed: [Origin] = []) -> [Origin] {
        if let origins = profile.singleSignOn.origins { return origins }
        let servers = [profile.oauth2?.issuer, profile.oauth2?.authorizationEndpoint, profile.oauth2?.sapServer]
        let named = profile.answerOrigins + typed + servers.compactMap { $0.flatMap { try? TargetURL($0).origin } }
        return named.filter { $0.isSecure }
    }

    /// The state that has the sessions; nil if the profile keeps none.
    static func state(of profile: Profile, own: ProfileState) -> ProfileState? {
        // With a logon, sessions belong in its vault, which a passcode locks.
        guard profile.logon == nil else { return nil }
        return switch profile.singleSignOn.store {
        case .own: own
        // No profile can have such a name.
        case .named(let name): ProfileState(profile: "sso@\(name)")
        case .none: nil
        }
    }

    /// The origins where a profile has a session that its next login would use.
    static func sessions(of profile: Profile) async throws(CommandFailure) -> [Origin] {
        guard let own = ProfileSingleSignOn(profile, typed: [], state: ProfileState(profile: profile.name), .silent)
        else { return [] }
        do { return try await own.store.origins(for: own.policy) } catch { throw CommandFailure(login: error) }
    }

    /// Forgets the sessions.
    ///
    /// - Returns: the origins that had one
    static func forget(of profile: Profile) async throws(CommandFailure) -> [Origin] {
        guard let state = state(of: profile, own: ProfileState(profile: profile.name)),
            let vault = try await state.existingVault()
        else { return [] }
        return try await VaultWork.uncancelled {
            let origins = try await StateRecords.singleSignOn.value(in: vault).origins
            try await StateRecords.singleSignOn.clear(in: vault)
            return origins
        }
    }
}

/// Keeps sessions in a vault, and lets one process at a time log in.
private struct VaultSingleSignOn: SingleSignOnStorage {
    let state: ProfileState
    let diagnostics: Diagnostics

    func sessions() async throws -> SingleSignOnSessions {
        guard let vault = try await state.readableVault(diagnostics) else { return SingleSignOnSessions() }
        return try await VaultWork.uncancelled { try await StateRecords.singleSignOn.value(in: vault) }
    }

    func change(_ change: @escaping @Sendable (inout SingleSignOnSessions) -> Void) async throws {
        do throws(CommandFailure) {
            _ = try await state.change(diagnostics) { transaction in
                var sessions = try StateRecords.singleSignOn.value(in: transaction)
                change(&sessions)
                try StateRecords.singleSignOn.set(sessions, in: transaction)
            }
        } catch {
            diagnostics.message("Warning: the session at the identity provider is not kept. \(error.message)")
            throw error
        }
    }

    func withLogin<Outcome: Sendable>(_ login: () async throws -> Outcome) async throws -> Outcome {
        guard let vault = try await state.usableVault(diagnostics) else { return try await login() }
        return try await vault.withProcessLease("single sign-on") {
            diagnostics.message("another httpc is logging in at an identity provider; this one waits.")
        } withoutPlace: {
            state.warn(of: $0, diagnostics)
        } _: { _ in
            try await login()
        }
    }
}
