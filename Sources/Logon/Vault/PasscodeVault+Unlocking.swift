internal import DataVault
internal import Foundation
public import MobileServices

extension PasscodeVault {
    /// Unlocks the vault here. It is a try, also where the vault is unlocked already.
    ///
    /// - Parameter passcode: nil where the vault has none of a person's own
    /// - Throws: ``PasscodeVaultError/Code/wrongPasscode``, ``PasscodeVaultError/Code/wiped``,
    ///   ``PasscodeVaultError/Code/expired`` where the vault is unlocked now and its passcode must be changed, …
    public func unlock(passcode: String?) async throws(PasscodeVaultError) {
        try await unlock { files in (try await files.attempt(passcode), passcode) }
    }

    /// Unlocks the vault here with what ``key`` was once. It is no try.
    ///
    /// - Throws: ``PasscodeVaultError/Code/wrongKey``, ``PasscodeVaultError/Code/wiped``,
    ///   ``PasscodeVaultError/Code/expired`` where the vault is unlocked now and its passcode must be changed, …
    public func unlock(key: PasscodeVaultKey) async throws(PasscodeVaultError) {
        try await unlock { files in
            let found = try files.settle()
            return (try Admission(key: key, slot: found.slot, tries: found.tries, isKept: true), nil)
        }
    }

    private func unlock(
        _ admit: @escaping @Sendable (VaultFiles) async throws -> (Admission, String?)
    ) async throws(PasscodeVaultError) {
        let lockings = memory.withLock { $0.lockings }
        let opened = try await exclusively { [directory, options] files in
            let (admission, passcode) = try await admit(files)
            let opened = try await files.open(admission, passcode: passcode, at: directory, options)
            files.reach(.tryAdmitted)
            return opened
        }
        do { try keep(opened, since: lockings) } catch { throw VaultFailure.error(error) }
        if let complaint = opened.complaint { throw complaint }
    }

    /// Does something with the files of this vault, and of no other that took its place.
    func exclusively<Result: Sendable>(
        _ body: @escaping @Sendable (VaultFiles) async throws -> Result
    ) async throws(PasscodeVaultError) -> Result {
        do {
            return try await VaultFiles.exclusively(directory, options) { [vaultID] files in
                guard try files.settle().slot.vaultID == vaultID else { throw VaultFailure.wiped }
                return try await body(files)
            }
        } catch {
            throw gone(error)
        }
    }

    /// Changes the passcode, which is a try of the old one, and unlocks the vault.
    ///
    /// The vault gets new keys, and what is in it is encrypted anew. A crash leaves the old or the new passcode working, and
    /// loses nothing. Here the vault stays open; other processes find theirs locked, and ask for the new passcode. What
    /// is written from now on is not opened by the old passcode, whoever kept old files; a whole copy of the files from
    /// before is.
    ///
    /// - Parameters:
    ///   - old: nil where the vault has no passcode of the person's own
    ///   - new: nil for none of the person's own, where the policy allows that
    /// - Throws: ``PasscodeVaultError/Code/policyViolated``, ``PasscodeVaultError/Code/passcodeNeeded`` and
    ///   ``PasscodeVaultError/Code/unchanged``, before anything is tried;
    ///   ``PasscodeVaultError/Code/wrongPasscode``, ``PasscodeVaultError/Code/wiped``,
    ///   ``PasscodeVaultError/Code/busy`` where another process renews tokens for too long, …
    public func changePasscode(from old: String?, to new: String?) async throws(PasscodeVaultError) {
        let (lockings, handles) = memory.withLock { ($0.lockings, $0.open.map { [$0.vault] } ?? []) }
        guard !Self.isSame(old, new) else {
            throw PasscodeVaultError(.unchanged, "The new passcode is the old one: choose another.")
        }
        try await policy().check(new)
        let scrypt = try await options.cost(of: new)
        let opened = try await exclusively { [directory, options] files in
            var opened = try await files.open(try await files.attempt(old), at: directory, options)
            do {
                // The vault's own policy counts, whatever stands beside it.
                try opened.record.policy.check(new)
                try await files.change(&opened, to: new, scrypt, options, sharedWith: handles)
            } catch {
                try? await opened.vault.close()
                throw error
            }
            return opened
        }
        do { try keep(opened, since: lockings) } catch { throw VaultFailure.error(error) }
    }

    /// Takes over the server's newer policy; the vault has to be unlocked.
    ///
    /// It counts from now on, for all processes. What it wants of a passcode is compared when that is entered next. Where
    /// more tries were wrong than it allows, one is left.
    ///
    /// - Returns: whether it is known now that the passcode must be changed
    /// - Throws: ``PasscodeVaultError/Code/contradictoryPolicy``, and the old one stays; ``PasscodeVaultError/Code/locked``
    @discardableResult
    public func apply(policy: PasswordPolicy) async throws(PasscodeVaultError) -> Bool {
        try policy.check()
        let vault = try await current()
        let mustChange = try await exclusively { [options] files in
            let found = try files.settle()
            var record = try await PasscodeRecord.load(from: vault)
            let before = record
            record.policy = policy
            record.count(to: options.clock.date())
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
