internal import HttpConvConcurrency
internal import HttpConvPlatform

extension VaultFiles {
    /// Tries a passcode: counts the try on the disk first, and takes it back only if the passcode was right.
    ///
    /// - Returns: the vault's key, and the count after the try
    /// - Throws: `.wrongPasscode`, `.wiped`, …
    func attempt(_ passcode: String?) async throws -> Admission {
        reach(.tryBegun)
        let found = try recover()
        let slot = found.slot
        var tries = found.tries
        guard slot.hasPasscode else {
            guard passcode == nil else {
                throw PasscodeVaultError(.noPasscode, "The vault has no passcode of a person's own: give none.")
            }
            return try Admission(key: try slot.key(passcode: nil), slot: slot, tries: tries)
        }
        guard let passcode else {
            throw PasscodeVaultError(.passcodeNeeded, "The vault has a passcode: enter it.", attemptsLeft: tries.left)
        }
        tries.count()
        try store(tries)
        reach(.tryCounted)
        let key: PasscodeVaultKey?
        do {
            key = try await Waiting.during("for the vault's key, which is slow to derive from a passcode") {
                try await Blocking.run { try slot.key(passcode: passcode) }
            }
        } catch {
            tries.uncount()
            try store(tries)
            throw error
        }
        reach(.tryDecided)
        guard let key else { throw try refused(tries) }
        tries.forgive()
        try store(tries)
        reach(.tryForgiven)
        return try Admission(key: key, slot: slot, tries: tries)
    }

    private func refused(_ tries: PasscodeTries) throws -> PasscodeVaultError {
        guard !tries.mustWipe else {
            try wipe(tries)
            return PasscodeVaultFailure.wiped
        }
        let left = tries.left.map { $0 == 1 ? " One try is left: then it is destroyed." : " \($0) tries are left." }
        return PasscodeVaultError(
            .wrongPasscode, "The passcode is wrong.\(left ?? "")", attemptsLeft: tries.left)
    }
}

/// The right to open a vault.
struct Admission: Sendable {
    let key: PasscodeVaultKey
    let slot: PasscodeSlot
    var tries: PasscodeTries
    /// Whether the caller had kept the key, rather than reading it from the slot.
    let isKept: Bool

    init(key: PasscodeVaultKey?, slot: PasscodeSlot, tries: PasscodeTries, isKept: Bool = false) throws {
        guard let key else { throw PasscodeVaultFailure.damaged("its key cannot be read") }
        (self.key, self.slot, self.tries, self.isKept) = (key, slot, tries, isKept)
    }
}
