internal import HttpConvConcurrency
internal import HttpConvPlatform

extension VaultFiles {
    /// Replaces the passcode that has opened the vault. The vault gets new keys, and its content is encrypted anew.
    ///
    /// The new slot is written to the disk, then the database changes in one transaction, then the new slot replaces
    /// the old one. After a crash the database decides which slot counts: ``recoverChange(_:)``. So exactly one
    /// passcode works at any moment.
    ///
    /// - Parameter handles: those of this process that have the vault open
    func change(
        _ opened: inout OpenedVault, to passcode: String?, _ scrypt: ScryptParameters?,
        _ configuration: PasscodeVaultConfiguration,
        sharedWith handles: [DataVault]
    ) async throws {
        let (key, vaultID) = (PasscodeVaultKey.random(), opened.slot.vaultID)
        var slot = try await Blocking.run {
            try PasscodeSlot(key, passcode: passcode, scrypt: scrypt, vaultID: vaultID)
        }
        var record = opened.record
        record.change(to: slot.id, now: configuration.clock.date)
        do {
            try await opened.vault.changeKey(
                from: DataVaultKey(opened.key.key), to: DataVaultKey(key.key), sharedWith: handles
            ) { mark in
                slot = slot.copy(forDatabaseMark: mark)
                try directory.replace(PasscodeSlot.nextFileName, with: slot.encoded)
                reach(.changeAnnounced)
            } also: { [record] transaction in
                try record.store(in: transaction)
            }
        } catch {
            _ = try? recoverChange(opened.slot)
            throw error
        }
        reach(.changeCommitted)
        (opened.key, opened.slot, opened.record) = (key, slot, record)
        // The change is complete. If writing fails now, the next user of the files does it.
        try? adopt(slot)
    }

    /// Finishes an interrupted change, or takes it back.
    ///
    /// - Parameter slot: the slot in place
    /// - Returns: the slot that counts
    func recoverChange(_ slot: PasscodeSlot) throws -> PasscodeSlot {
        guard case .slot(let next) = try nextSlot(beside: slot), next.vaultID == slot.vaultID,
            let mark = next.databaseMark, try DataVault.keyMark(at: directory) == mark
        else {
            try discardNext()
            return slot
        }
        try adopt(next)
        return next
    }

    /// The slot of a new passcode. A slot that cannot be read is damage, unless the slot in place belongs to the
    /// database: then a process ended while it overwrote the new slot.
    private func nextSlot(beside slot: PasscodeSlot) throws -> PasscodeSlot.Found {
        do { return try PasscodeSlot.load(PasscodeSlot.nextFileName, from: directory) } catch {
            guard PasscodeVaultFailure.error(error).code == .damaged,
                try DataVault.keyMark(at: directory) == slot.databaseMark
            else { throw error }
            return .overwritten
        }
    }

    private func adopt(_ slot: PasscodeSlot) throws {
        try store(slot)
        reach(.changeDone)
        try discardNext()
        reach(.changed)
    }

    private func discardNext() throws {
        for name in [PasscodeSlot.nextFileName] + VaultDirectory.companions(PasscodeSlot.nextFileName) {
            try directory.overwrite(name)
            try directory.remove(name)
        }
    }
}
