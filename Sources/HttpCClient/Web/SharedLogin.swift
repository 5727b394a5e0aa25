import HttpC
import HttpCTerminal
import HttpConvVault

/// One web login for all processes that use a profile: the others wait for it and take its cookies. Without a place for
/// state, each process logs in for itself.
///
/// The vault's lease is held while pages are shown. It ends with the process, and expires if the process is stopped.
struct SharedLogin {
    let cookies: ProfileCookies
    let diagnostics: Diagnostics

    /// - Parameters:
    ///   - finish: the URL of the navigation that ends the login
    ///   - show: shows the login
    func perform(
        _ login: WebLogin, finish: String, _ show: () async throws -> WebLoginOutcome
    ) async throws -> WebLoginOutcome {
        guard let vault = try await cookies.state.usableVault(diagnostics) else {
            return try await performAlone(login, show)
        }
        // A login for any page of the resource's server is the same login.
        let page =
            "\(login.purpose) \(login.trial.map { "\($0.origin)" } ?? "\(login.start.origin)\(login.start.path)")"
        var hasWaited = false
        // The lease is released before the process ends.
        return try await ActiveLogins.shared.during {
            try await vault.withProcessLease("web login") {
                hasWaited = true
                diagnostics.message(
                    "another httpc is logging in with the profile \"\(cookies.state.profile)\"; this one waits.")
            } until: {
                try await othersOutcome(page, login, finish, vault, hasWaited: true)
            } withoutPlace: {
                cookies.state.warn(of: $0, diagnostics)
            } _: { lease in
                if let outcome = try await othersOutcome(page, login, finish, vault, hasWaited: hasWaited) {
                    return outcome
                }
                guard let lease else { return try await performAlone(login, show) }
                return try await perform(login, page, vault, lease, show)
            }
        }
    }

    /// Logs in for this process.
    private func performAlone(
        _ login: WebLogin, _ show: () async throws -> WebLoginOutcome
    ) async throws -> WebLoginOutcome {
        let outcome = try await show()
        cookies.expect(login.cookiesToKeep(of: outcome.cookies), of: login)
        return outcome
    }

    /// The outcome of another process's login since this one began; nil if there was none.
    private func othersOutcome(
        _ page: String, _ login: WebLogin, _ finish: String, _ vault: DataVault, hasWaited: Bool
    ) async throws -> WebLoginOutcome? {
        guard let end = try await cookies.newLoginEnd(of: page, in: vault) else { return nil }
        guard let refusal = end.refusal else {
            let taken = try await cookies.takeOver(for: login, in: vault)
            if let trial = login.trial, try await !trial.attempt(taken) { return nil }
            return WebLoginOutcome(url: finish, cookies: taken)
        }
        guard hasWaited else { return nil }
        // Each further attempt would bring the account closer to being locked.
        throw WebLoginError(
            .answersRefused, "The prepared answers were just refused to another httpc with this profile.",
            pageText: refusal.isEmpty ? nil : refusal)
    }

    private func perform(
        _ login: WebLogin, _ page: String, _ vault: DataVault, _ lease: DataVaultLease,
        _ show: () async throws -> WebLoginOutcome
    ) async throws -> WebLoginOutcome {
        do {
            let outcome = try await show()
            let kept = login.cookiesToKeep(of: outcome.cookies)
            let isKept = try await writes {
                try await cookies.keep(kept, of: login, at: page, in: vault, under: lease)
            }
            if !isKept {
                cookies.expect(kept, of: login)
            }
            return outcome
        } catch let error as WebLoginError where error.code == .answersRefused {
            _ = try await writes {
                try await cookies.note(error.pageText ?? "", of: page, in: vault, under: lease)
            }
            throw error
        }
    }

    /// Writes, unless this process was stopped for so long that another one has taken over the login, or the file
    /// system is full or read-only.
    ///
    /// - Returns: whether it has written
    private func writes(_ write: () async throws -> Void) async throws -> Bool {
        do {
            try await write()
            return true
        } catch let error as DataVaultError where error.code == .leaseLost {
            diagnostics.message(
                "another httpc has taken the login over meanwhile; the cookies of this one are not kept.")
            return false
        } catch let error as DataVaultError where error.isNoPlace {
            cookies.state.warn(of: error, diagnostics)
            return false
        }
    }
}
