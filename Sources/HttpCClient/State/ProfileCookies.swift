package import HttpC
package import HttpCTerminal
import HttpConvSystem
import HttpConvVault
import Synchronization

/// A run's copy of a profile's cookies and web logins, and the changes that it saves.
package final class ProfileCookies: Sendable {
    private struct Known {
        /// The cookies that the run has loaded or saved. All other cookies of its session are changes of its own.
        var cookies: CookieStore.Snapshot
        /// The ends of the logins when the run last looked.
        var logins: [String: WebLoginEnd]
        /// The last removal of the stored cookies that the run has followed.
        var removal: UInt64 = 0
        /// The stamps of the vault's files when the run last looked for a removal.
        var stamps: [FileStamp?]
    }

    let state: ProfileState
    private let diagnostics: Diagnostics
    private let known: Mutex<Known>

    /// Loads the profile's state. Creates no vault.
    init(_ state: ProfileState, _ diagnostics: Diagnostics) async throws(CommandFailure) {
        self.state = state
        self.diagnostics = diagnostics
        let stamps = state.fileStamps
        var start = Known(cookies: CookieStore.Snapshot(), logins: [:], stamps: stamps)
        if let vault = try await state.readableVault(diagnostics) {
            let name = state.profile
            start = try await VaultWork.uncancelled {
                // Reads the logins first, so that a login that ends in between counts as a new one.
                let logins = try await StateRecords.webLogins.value(in: vault)
                // The same holds for a removal.
                let removal = try await StateRecords.cookieRemoval.value(in: vault)
                return Known(
                    cookies: try await Self.stored(name, vault), logins: logins, removal: removal, stamps: stamps)
            }
        }
        known = Mutex(start)
    }

    var start: CookieStore.Snapshot { known.withLock { $0.cookies } }

    /// Adds cookies of a login or from elsewhere, which do not count as changes of the run.
    func expect(_ cookies: [Cookie], of login: WebLogin? = nil) {
        known.withLock { $0.cookies = Self.inserting(cookies, of: login, into: $0.cookies) }
    }

    /// Saves the changes of a session, unless the cookies were removed meanwhile: a session that was logged out must
    /// not come back. Without changes it opens no vault. Without a place for one, nothing is saved.
    func save(_ session: CookieStore.Snapshot) async throws(CommandFailure) {
        let (before, removal) = known.withLock { ($0.cookies, $0.removal) }
        guard Set(before.cookies) != Set(session.cookies) else { return }
        let isSaved = try await state.change(diagnostics) { [name = state.profile] transaction in
            guard try StateRecords.cookieRemoval.value(in: transaction) == removal else { return false }
            try Self.merge(name, from: before, to: session, in: transaction)
            return true
        }
        if isSaved == true { known.withLock { $0.cookies = session } }
    }

    /// If the stored cookies were removed since the last check, replaces the session's cookies by the stored ones.
    func followRemoval(_ session: HttpSession) async throws(CommandFailure) {
        let stamps = state.fileStamps
        guard known.withLock({ $0.stamps != stamps }), let vault = try await state.readableVault(diagnostics) else {
            return
        }
        let (name, last) = (state.profile, known.withLock { $0.removal })
        // Reads the removal first, so that one that happens in between is noticed by the next look.
        let found = try await VaultWork.uncancelled { () -> (removal: UInt64, cookies: CookieStore.Snapshot)? in
            let removal = try await StateRecords.cookieRemoval.value(in: vault)
            return removal == last ? nil : (removal, try await Self.stored(name, vault))
        }
        known.withLock { known in
            known.stamps = stamps
            guard let found, found.removal != known.removal else { return }
            known.removal = found.removal
            known.cookies = found.cookies
            session.cookies.replaceAll(with: found.cookies)
        }
    }

    /// The stored cookies of a profile; nil if it has no vault.
    package static func stored(of profile: String) async throws(CommandFailure) -> CookieStore.Snapshot? {
        guard let vault = try await ProfileState(profile: profile).existingVault() else { return nil }
        return try await stored(profile, vault)
    }

    /// Removes the stored cookies of a profile. Processes that run keep none of those that they have.
    package static func clear(of profile: String) async throws(CommandFailure) {
        try await clear(ProfileState(profile: profile))
    }

    static func clear(_ state: ProfileState) async throws(CommandFailure) {
        guard let vault = try await state.existingVault() else { return }
        try await VaultWork.uncancelled {
            try await vault.transaction { transaction in
                try StateRecords.cookies.clear(in: transaction)
                try StateRecords.cookieRemoval.set(UInt64.random(in: 1 ... .max), in: transaction)
            }
        }
    }

    private static func stored(_ profile: String, _ vault: DataVault) async throws(CommandFailure)
        -> CookieStore.Snapshot
    {
        do { return try await StateRecords.cookies.value(in: vault) } catch {
            let error = failure(error, profile)
            if let error = error as? DataVaultError { throw StateFailure.failure(error) }
            throw error as? CommandFailure ?? StateFailure.unexpected
        }
    }

    // MARK: Web logins

    /// Saves the cookies of a login and records the login in one transaction. Throws `.leaseLost` if another process
    /// has taken over the login.
    func keep(
        _ cookies: [Cookie], of login: WebLogin, at page: String, in vault: DataVault, under lease: DataVaultLease
    ) async throws {
        let before = start
        let after = Self.inserting(cookies, of: login, into: before)
        try await note(page, refusal: nil, in: vault, under: lease) { [name = state.profile] transaction in
            try Self.merge(name, from: before, to: after, in: transaction)
        }
        known.withLock { $0.cookies = after }
    }

    /// Records that a page has refused prepared answers.
    func note(_ refusal: String, of page: String, in vault: DataVault, under lease: DataVaultLease) async throws {
        try await note(page, refusal: refusal, in: vault, under: lease) { _ in }
    }

    private func note(
        _ page: String, refusal: String?, in vault: DataVault, under lease: DataVaultLease,
        _ more: @escaping @Sendable (DataVaultTransaction) throws -> Void
    ) async throws {
        // A separate task: a vault refuses the requests of a cancelled one.
        let end = try await Task {
            try await vault.transaction { transaction in
                try transaction.require(lease)
                var ends = try StateRecords.webLogins.value(in: transaction)
                let end = WebLoginEnd(count: (ends[page]?.count ?? 0) + 1, refusal: refusal)
                ends[page] = end
                try StateRecords.webLogins.set(ends, in: transaction)
                try more(transaction)
                return end
            }
        }.value
        known.withLock { $0.logins[page] = end }
    }

    /// The end of a login of another process since the last call; returned once.
    func newLoginEnd(of page: String, in vault: DataVault) async throws -> WebLoginEnd? {
        guard let end = try await StateRecords.webLogins.value(in: vault)[page] else { return nil }
        return known.withLock { known in
            defer { known.logins[page] = end }
            return known.logins[page]?.count ?? 0 < end.count ? end : nil
        }
    }

    /// The cookies that another process has received meanwhile, for a login.
    func takeOver(for login: WebLogin, in vault: DataVault) async throws -> [Cookie] {
        let old = Set(start.cookies)
        let kept = try await Self.stored(state.profile, vault)
        let new = login.cookiesToKeep(of: kept.cookies.filter { !old.contains($0) })
        expect(new, of: login)
        return new
    }

    // MARK: The record

    private static func merge(
        _ profile: String, from before: CookieStore.Snapshot, to after: CookieStore.Snapshot,
        in transaction: DataVaultTransaction
    ) throws {
        var kept: CookieStore.Snapshot
        do { kept = try StateRecords.cookies.value(in: transaction) } catch { throw failure(error, profile) }
        kept.apply(changesFrom: before, to: after)
        kept.cookies.removeAll { !CookieRules.mayBeKept($0) }
        try StateRecords.cookies.set(kept, in: transaction)
    }

    private static func failure(_ error: any Error, _ profile: String) -> any Error {
        guard let error = error as? DataVaultError, error.code == .damaged else { return error }
        return CommandFailure(
            .outputFailed,
            "The cookies that the profile \"\(profile)\" keeps cannot be read. To forget them: httpc cookies clear \(profile)"
        )
    }

    /// - Parameter login: the login that gave the cookies; nil: they are from elsewhere
    private static func inserting(
        _ cookies: [Cookie], of login: WebLogin?, into snapshot: CookieStore.Snapshot
    ) -> CookieStore.Snapshot {
        let store = CookieStore(snapshot, suffixes: PublicSuffixList.installed)
        guard let login else {
            for cookie in cookies { store.insert(cookie) }
            return store.snapshot
        }
        // The session takes the cookies of a login in the same way.
        HttpSession(cookies: store).handOver(cookies, from: login.cookieTargets)
        return store.snapshot
    }
}
