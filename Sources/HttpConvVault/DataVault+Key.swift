internal import Crypto
import HttpConvConcurrency

extension DataVault {
    /// Changes the vault's key: another passcode, other scrypt parameters, or from passcode to key and back.
    ///
    /// The vault gets a new data key, and every record is encrypted anew, in one transaction. After a crash either the
    /// old or the new key works, and nothing is lost. The old key does not open anything written from now on, even with
    /// an old copy of the files; it still opens a copy of the files from before. This handle stays open. Other handles,
    /// in this and in other processes, throw `.keyChanged`: open the vault again with the new key.
    ///
    /// Waits for leases in use, since their holders could not write any more.
    ///
    /// - Throws: `.wrongKey` if `old` does not open the vault; `.keyChanged` if the key was changed concurrently;
    ///   `.locked` if a lease was held for longer than the busy timeout. Then nothing was changed.
    public func changeKey(from old: DataVaultKey, to new: DataVaultKey) async throws(DataVaultError) {
        try await changeKey(from: old, to: new, sharedWith: []) { _ in
        } also: { _ in
        }
    }

    /// Changes the key as part of a larger operation.
    ///
    /// - Parameters:
    ///   - handles: other handles of this process that stay open, too
    ///   - announce: gets the vault's future ``keyMark(at:)``, before anything is changed
    ///   - also: further changes for the same transaction
    func changeKey(
        from old: DataVaultKey, to new: DataVaultKey, sharedWith handles: [DataVault],
        announce: (_ mark: [UInt8]) throws -> Void, also: @escaping @Sendable (DataVaultTransaction) throws -> Void
    ) async throws(DataVaultError) {
        do {
            let (slot, _) = try await connections.read { try KeySlot.load(from: $0) }
            let (next, before, after) = try await Blocking.run { [vaultID] in
                let before = VaultCipher(try slot.unwrap(with: old, vaultID: vaultID), vaultID: vaultID)
                let secret = before.nextSecret()
                return (
                    try KeySlot(wrapping: secret, under: new, vaultID: vaultID), before,
                    VaultCipher(secret, vaultID: vaultID)
                )
            }
            // The slow derivations are done, so other processes do not wait for them.
            try announce(next.mark)
            for handle in [self] + handles { handle.keyring.add(after, mark: next.mark) }
            let change = KeyChange(before: before, after: after, from: slot, to: next)
            var wait = BusyWait(
                "for another process that renews what is in the vault", atMost: configuration.busyTimeout,
                configuration.clock)
            while try await !perform(change, also) {
                guard try await wait.pause() else {
                    throw DataVaultError(.locked, "Somebody is renewing what is in the vault: try again.")
                }
            }
        } catch {
            // After a failure, the files tell which key counts.
            if let mark = try? await connections.read({ try KeySlot.mark(in: $0) }) {
                for handle in [self] + handles { handle.keyring.keep(only: mark) }
            }
            throw DatabaseFailure.error(error, at: connections.path)
        }
        // Remove data under the old key from the write-ahead log too, unless it is being read.
        await shrinkLog()
    }

    private struct KeyChange: Sendable {
        let before: VaultCipher
        let after: VaultCipher
        let from: KeySlot
        let to: KeySlot
    }

    /// - Returns: false if a lease is in use
    private func perform(
        _ change: KeyChange, _ also: @escaping @Sendable (DataVaultTransaction) throws -> Void
    ) async throws -> Bool {
        let isDone = try await connections.write { [vaultID, configuration] db in
            configuration.failPoint?(.transactionBegun)
            guard try KeySlot.load(from: db).slot == change.from else {
                throw DataVaultError(.keyChanged, "Another process changed the vault's key at the same moment.")
            }
            guard try !DataVaultTransaction(db: db, vault: self, cipher: change.before).hasLeases() else {
                return false
            }
            try VaultReencryption.run(in: db, from: change.before, to: change.after)
            try change.to.store(in: db, vaultID: vaultID)
            try VaultSchema.noteKeyChange(in: db)
            try also(DataVaultTransaction(db: db, vault: self, cipher: change.after))
            configuration.failPoint?(.beforeCommit)
            return true
        }
        if isDone { configuration.failPoint?(.committed) }
        return isDone
    }

    /// Adopts the keys after another handle of this process has changed them.
    func adoptKeys(of other: DataVault) { keyring.add(from: other.keyring) }

    /// The mark of the vault's present key; each key has its own. Nil: the key is the vault's first. It is not secret,
    /// and is read without a key.
    static func keyMark(at directory: borrowing VaultDirectory) throws(DataVaultError) -> [UInt8]? {
        do {
            guard try directory.checkFiles() else {
                throw DataVaultError(.damaged, "The vault in \(directory.path) is damaged: its database is missing.")
            }
            let connection = try VaultDatabase.connect(directory.databasePath, DataVaultConfiguration())
            guard try VaultSchema.hasChangedKey(connection) else { return nil }
            return try KeySlot.load(from: connection).slot.mark
        } catch {
            throw DatabaseFailure.error(error, at: directory.databasePath)
        }
    }
}
