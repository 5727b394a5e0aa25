internal import DataVault
internal import Foundation
internal import HttpConvConcurrency

extension VaultFiles {
    /// Puts another passcode in the place of the one that has opened the vault.
    ///
    /// The vault is told first which slot is to come: whichever of the two a killed process leaves, the vault knows it, and
    /// any other that is put there it refuses.
    func change(
        _ opened: inout OpenedVault, to passcode: String?, _ scrypt: ScryptParameters?, _ options: PasscodeVaultOptions
    ) async throws {
        let (key, vaultID) = (opened.key, opened.slot.vaultID)
        let slot = try await Blocking.run {
            try PasscodeSlot(key, passcode: passcode, scrypt: scrypt, vaultID: vaultID)
        }
        opened.record.announce(slot: slot.id)
        try await opened.record.store(in: opened.vault)
        reach(.changeAnnounced)
        try store(slot)
        reach(.changeDone)
        opened.slot = slot
        opened.record.confirm(now: options.clock.date())
        try await opened.record.store(in: opened.vault)
        reach(.changed)
    }
}
