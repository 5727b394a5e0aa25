internal import GRDB
import HttpConvConcurrency

extension DataVault {
    /// Changes what opens the vault: another passcode, other scrypt parameters, or from passcode to key and back.
    ///
    /// Only the wrapped data key is written anew, in one step: a crash leaves the old or the new key working. Handles
    /// that are open go on. A copy of the old files is still opened by the old key.
    ///
    /// - Throws: `.wrongKey` where `old` does not open the vault; `.keyChanged` where somebody else changed it at the
    ///   same moment.
    public func changeKey(from old: DataVaultKey, to new: DataVaultKey) async throws(DataVaultError) {
        let (slot, _) = try await reading { try KeySlot.load(from: $0.db) }
        let next: KeySlot
        do {
            next = try await Blocking.run { [vaultID] in
                let dataKey = try slot.unwrap(with: old, vaultID: vaultID)
                return try KeySlot(wrapping: dataKey, under: new, vaultID: vaultID)
            }
        } catch {
            throw VaultErrors.error(error, at: pool.path)
        }
        // The slow derivations are done: nobody waits for them.
        try await writing { [vaultID] transaction in
            guard try KeySlot.load(from: transaction.db).slot == slot else {
                throw DataVaultError(.keyChanged, "The vault's key was changed by somebody else at the same moment.")
            }
            try next.store(in: transaction.db, vaultID: vaultID)
        }
        // The old slot leaves the write-ahead log too, if nobody is reading it now.
        await shrinkLog()
    }
}
