internal import HttpConvPlatform

extension PasscodeVault {
    /// Unlocks the vault here. Counts as a try, even if the vault is unlocked already.
    ///
    /// - Parameter passcode: nil if the vault has no passcode
    /// - Throws: ``PasscodeVaultError/Code/wrongPasscode``, ``PasscodeVaultError/Code/wiped``,
    ///   ``PasscodeVaultError/Code/expired`` if the vault is now unlocked and its passcode must be changed, …
    public func unlock(passcode: String?) async throws(PasscodeVaultError) {
        try await unlock { files in (try await files.attempt(passcode), passcode) }
    }

    /// Unlocks the vault here with an earlier value of ``key``. It does not count as a try.
    ///
    /// - Throws: ``PasscodeVaultError/Code/wrongKey``, ``PasscodeVaultError/Code/wiped``,
    ///   ``PasscodeVaultError/Code/expired`` if the vault is now unlocked and its passcode must be changed, …
    public func unlock(key: PasscodeVaultKey) async throws(PasscodeVaultError) {
        try await unlock { files in
            let found = try files.recover()
            return (try Admission(key: key, slot: found.slot, tries: found.tries, isKept: true), nil)
        }
    }

    private func unlock(
        _ admit: @escaping @Sendable (VaultFiles) async throws -> (Admission, String?)
    ) async throws(PasscodeVaultError) {
        let lockings = memory.withLock { $0.lockings }
        let opened = try await exclusively { [directory, configuration] files in
            let (admission, passcode) = try await admit(files)
            let opened = try await files.open(admission, passcode: passcode, at: directory, configuration)
            files.reach(.tryAdmitted)
            return opened
        }
        do { try keep(opened, since: lockings) } catch { throw PasscodeVaultFailure.error(error) }
        if let complaint = opened.complaint { throw complaint }
    }

    /// Runs a closure that has the files of this vault to itself. Fails if another vault has taken its place.
    func exclusively<Result: Sendable>(
        _ body: @escaping @Sendable (VaultFiles) async throws -> Result
    ) async throws(PasscodeVaultError) -> Result {
        do {
            return try await VaultFiles.exclusively(directory, configuration) { [vaultID] files in
                guard try files.recover().slot.vaultID == vaultID else { throw PasscodeVaultFailure.wiped }
                return try await body(files)
            }
        } catch {
            throw wipedIfMissing(error)
        }
    }

    /// Changes the passcode, and unlocks the vault. Counts as a try of the old passcode.
    ///
    /// The vault gets new keys, and its content is encrypted anew. After a crash either the old or the new passcode
    /// works, and nothing is lost. In this process the vault stays open; in other processes it is locked, and they ask
    /// for the new passcode. The old passcode does not open anything written from now on, even with a copy of the old
    /// slot or key. It still opens a complete copy of the files from before. If the vault is locked meanwhile, the
    /// passcode is changed, and the vault stays locked.
    ///
    /// - Parameters:
    ///   - old: nil if the vault has no passcode
    ///   - new: nil for none, if the policy allows that
    /// - Throws: ``PasscodeVaultError/Code/policyViolated``, ``PasscodeVaultError/Code/passcodeNeeded`` and
    ///   ``PasscodeVaultError/Code/unchanged``, before the try;
    ///   ``PasscodeVaultError/Code/wrongPasscode``, ``PasscodeVaultError/Code/wiped``,
    ///   ``PasscodeVaultError/Code/busy`` if another process renews tokens for too long, …
    public func changePasscode(from old: String?, to new: String?) async throws(PasscodeVaultError) {
        let (lockings, handles) = memory.withLock { ($0.lockings, $0.open.map { [$0.vault] } ?? []) }
        guard !Self.isSame(old, new) else {
            throw PasscodeVaultError(.unchanged, "The new passcode is the old one: choose another.")
        }
        try await policy().check(new)
        let scrypt = try await configuration.cost(of: new)
        let opened = try await exclusively { [directory, configuration] files in
            var opened = try await files.open(try await files.attempt(old), at: directory, configuration)
            do {
                // The vault's own policy takes precedence over the file's.
                try opened.record.policy.check(new)
                try await files.change(&opened, to: new, scrypt, configuration, sharedWith: handles)
            } catch {
                try? await opened.vault.close()
                throw error
            }
            return opened
        }
        // It fails if the vault was locked meanwhile. The new passcode counts all the same.
        try? keep(opened, since: lockings)
    }

    /// Adopts the server's newer policy; the vault has to be unlocked.
    ///
    /// It applies at once, for all processes. The passcode is checked against it when it is entered next. If the number
    /// of wrong tries exceeds its limit, one try is left.
    ///
    /// - Returns: whether the passcode is already known to need a change
    /// - Throws: ``PasscodeVaultError/Code/contradictoryPolicy``, then the old policy stays;
    ///   ``PasscodeVaultError/Code/locked``
    @discardableResult
    public func apply(policy: PasswordPolicy) async throws(PasscodeVaultError) -> Bool {
        try policy.validate()
        let vault = try await current()
        let mustChange = try await exclusively { [configuration] files in
            let found = try files.recover()
            var record = try await PasscodeRecord.load(from: vault)
            let before = record
            record.policy = policy
            record.count(to: configuration.clock.date)
            if record != before { try await record.store(in: vault) }
            files.reach(.policyStored)
            var tries = found.tries
            if tries.policy != policy {
                tries.adopt(policy)
                try files.store(tries)
            }
            return record.mustChange(hasPasscode: found.slot.hasPasscode) != nil
        }
        adopt(policy)
        return mustChange
    }

    /// Whether the passcode must be changed, as far as the vault knows; it has to be unlocked.
    public func mustChangePasscode() async throws(PasscodeVaultError) -> Bool {
        let hasPasscode = try await hasPasscode()
        return try await withDataVault { vault in
            try await PasscodeRecord.load(from: vault).mustChange(hasPasscode: hasPasscode) != nil
        }
    }
}
