internal import HttpConvPlatform

extension VaultFiles {
    /// Opens the database with an admission, and checks the files beside it against the vault's own record.
    ///
    /// - Parameter passcode: the passcode that has opened the vault, if a person entered one
    func open(
        _ admission: Admission, passcode: String? = nil, at url: URL, _ configuration: PasscodeVaultConfiguration
    ) async throws -> OpenedVault {
        let vault: DataVault
        do { vault = try await open(admission.key, at: url, configuration) } catch let error as DataVaultError
            where error.code == .wrongKey && !admission.isKept
        {
            throw Self.putBack
        }
        do {
            return try await compare(admission, vault, passcode, configuration)
        } catch {
            try? await vault.close()
            throw error
        }
    }

    private static let putBack = PasscodeVaultFailure.damaged("the passcode is an older one, which was put back")

    private func open(
        _ key: PasscodeVaultKey, at url: URL, _ configuration: PasscodeVaultConfiguration
    ) async throws -> DataVault {
        guard try directory.checkFiles() else { throw PasscodeVaultFailure.damaged("its database is missing") }
        return try await DataVault.open(at: url, key: DataVaultKey(key.key), configuration: configuration.dataVault)
    }

    private func compare(
        _ admission: Admission, _ vault: DataVault, _ passcode: String?, _ configuration: PasscodeVaultConfiguration
    ) async throws -> OpenedVault {
        var opened = OpenedVault(
            vault: vault, key: admission.key, slot: admission.slot, record: try await PasscodeRecord.load(from: vault),
            tries: admission.tries)
        let before = opened.record
        let now = configuration.clock.date
        guard opened.record.accept(slot: admission.slot.id, now: now) else {
            throw Self.putBack
        }
        opened.record.count(to: now)
        opened.record.compare(tries: admission.tries.total)
        if let passcode { opened.record.look(at: passcode) }
        if opened.record != before { try await opened.record.store(in: vault) }
        if opened.tries.policy != opened.record.policy {
            opened.tries.adopt(opened.record.policy)
            try store(opened.tries)
        }
        return opened
    }
}

/// A vault that was just opened.
struct OpenedVault: Sendable {
    let vault: DataVault
    var key: PasscodeVaultKey
    var slot: PasscodeSlot
    var record: PasscodeRecord
    var tries: PasscodeTries

    /// The error for a passcode that must be changed; nil if it need not be.
    var complaint: PasscodeVaultError? {
        record.mustChange(hasPasscode: slot.hasPasscode).map {
            PasscodeVaultError(.expired, "The vault is unlocked, and its passcode must be changed: \($0).")
        }
    }
}

extension PasscodeVaultConfiguration {
    var dataVault: DataVaultConfiguration {
        var configuration = DataVaultConfiguration()
        configuration.busyTimeout = busyTimeout
        return configuration
    }
}
