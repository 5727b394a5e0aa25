internal import Crypto
internal import Foundation
internal import GRDB
import HttpConvConcurrency

extension DataVault {
    /// Changes what opens the vault: another passcode, other scrypt parameters, or from passcode to key and back.
    ///
    /// The vault gets a new data key, and every record is encrypted anew, in one transaction: a crash leaves the old or the
    /// new key working, and nothing is lost. What is written from now on is not opened by the old key, whoever kept it or
    /// an old copy of the files; a copy of the files from before is. This handle goes on. Other handles, in this and in
    /// other processes, throw `.keyChanged`: open the vault again with the new key.
    ///
    /// Leases that somebody has are waited for, since their holder could no longer write what it holds them for.
    ///
    /// - Throws: `.wrongKey` where `old` does not open the vault; `.keyChanged` where somebody else changed it at the
    ///   same moment; `.locked` where somebody kept a lease for longer than the busy timeout. Nothing was changed then.
    public func changeKey(from old: DataVaultKey, to new: DataVaultKey) async throws(DataVaultError) {
        try await changeKey(from: old, to: new, sharedWith: []) { _ in
        } also: { _ in
        }
    }

    /// The same, as part of something larger.
    ///
    /// - Parameters:
    ///   - handles: others of this process that are to go on, too
    ///   - announce: gets the ``keyMark(at:options:)`` that the vault has from the commit on, before anything is changed
    ///   - also: what is committed with it
    package func changeKey(
        from old: DataVaultKey, to new: DataVaultKey, sharedWith handles: [DataVault],
        announce: (_ mark: [UInt8]) throws -> Void, also: @escaping @Sendable (DataVaultTransaction) throws -> Void
    ) async throws(DataVaultError) {
        do {
            let (slot, _) = try await pool.read { try KeySlot.load(from: $0) }
            let (next, before, after) = try await Blocking.run { [vaultID] in
                let before = VaultCipher(try slot.unwrap(with: old, vaultID: vaultID), vaultID: vaultID)
                let secret = before.nextSecret()
                return (
                    try KeySlot(wrapping: secret, under: new, vaultID: vaultID), before,
                    VaultCipher(secret, vaultID: vaultID)
                )
            }
            // The slow derivations are done: nobody waits for them.
            try announce(next.mark)
            for handle in [self] + handles { handle.keyring.add(after, mark: next.mark) }
            let change = KeyChange(before: before, after: after, from: slot, to: next)
            var waited = Duration.zero
            var notice = Waiting.Notice()
            defer { notice.end() }
            while try await !perform(change, also) {
                notice.begin("for another process that renews what is in the vault", atMost: options.busyTimeout)
                guard waited < options.busyTimeout else {
                    throw DataVaultError(.locked, "Somebody is renewing what is in the vault: try again.")
                }
                waited += try await options.clock.pause(.milliseconds(20))
            }
        } catch {
            // Whatever failed, the files say which key counts.
            if let mark = try? await pool.read({ try KeySlot.mark(in: $0) }) {
                for handle in [self] + handles { handle.keyring.keep(only: mark) }
            }
            throw VaultErrors.error(error, at: pool.path)
        }
        // What the old key opens leaves the write-ahead log too, if nobody is reading it now.
        await shrinkLog()
    }

    private struct KeyChange: Sendable {
        let before: VaultCipher
        let after: VaultCipher
        let from: KeySlot
        let to: KeySlot
    }

    /// - Returns: false where somebody has a lease
    private func perform(
        _ change: KeyChange, _ also: @escaping @Sendable (DataVaultTransaction) throws -> Void
    ) async throws -> Bool {
        let isDone = try await pool.write { [vaultID, options] db in
            options.failPoint?(.transactionBegun)
            guard try KeySlot.load(from: db).slot == change.from else {
                throw DataVaultError(.keyChanged, "The vault's key was changed by somebody else at the same moment.")
            }
            guard try !DataVaultTransaction(db: db, vault: self, cipher: change.before).hasLeases() else {
                return false
            }
            try VaultReencryption.run(in: db, from: change.before, to: change.after)
            try change.to.store(in: db, vaultID: vaultID)
            try VaultSchema.noteKeyChange(in: db)
            try also(DataVaultTransaction(db: db, vault: self, cipher: change.after))
            options.failPoint?(.beforeCommit)
            return true
        }
        if isDone { options.failPoint?(.committed) }
        return isDone
    }

    /// Goes on after a change of the key that another handle of this process knows of.
    package func adoptKeys(of other: DataVault) { keyring.add(from: other.keyring) }

    /// What tells the vault's key from all that it had before: no secret, and read without a key.
    package static func keyMark(
        at directory: borrowing VaultDirectory, options: DataVaultOptions = DataVaultOptions()
    ) throws(DataVaultError) -> [UInt8] {
        do {
            guard try directory.checkFiles() else {
                throw DataVaultError(.notFound, "There is no vault in \(directory.path).")
            }
            let queue = try DatabaseQueue(
                path: directory.databasePath, configuration: VaultDatabase.configuration(options))
            let mark = try queue.read { try KeySlot.load(from: $0).slot.mark }
            try queue.close()
            return mark
        } catch {
            throw VaultErrors.error(error, at: directory.databasePath)
        }
    }
}
