internal import HttpConvConcurrency
public import HttpConvPlatform

extension PasscodeVault {
    /// Makes a vault in a directory, which is created if it is missing. The vault is unlocked.
    ///
    /// A crash leaves a whole vault or none.
    ///
    /// - Parameters:
    ///   - directory: the directory for its files
    ///   - passcode: nil: none; then anyone who can read the files can open the vault
    ///   - policy: the policy for the passcode
    ///   - configuration: how this process uses the vault
    /// - Throws: ``PasscodeVaultError/Code/alreadyExists``, ``PasscodeVaultError/Code/contradictoryPolicy``,
    ///   ``PasscodeVaultError/Code/policyViolated``, ``PasscodeVaultError/Code/passcodeNeeded``, …
    public static func create(
        at directory: URL, passcode: String?, policy: PasswordPolicy,
        configuration: PasscodeVaultConfiguration = PasscodeVaultConfiguration()
    ) async throws(PasscodeVaultError) -> PasscodeVault {
        try await create(at: directory, passcode: passcode, policy: policy, configuration: configuration) { _ in }
    }

    /// Makes a vault that has content from the start. Other processes, and those after a crash, find the vault with its
    /// content or none.
    ///
    /// - Parameter fill: writes the content. If it throws, there is no vault, and its error is the underlying error
    package static func create(
        at directory: URL, passcode: String?, policy: PasswordPolicy, configuration: PasscodeVaultConfiguration,
        fill: @escaping @Sendable (DataVault) async throws -> Void
    ) async throws(PasscodeVaultError) -> PasscodeVault {
        try policy.validate()
        try policy.check(passcode)
        let scrypt = try await configuration.cost(of: passcode)
        let (vault, opened) = try await VaultFiles.exclusively(
            directory, creating: configuration.createsDirectory, configuration
        ) { files in
            try files.clear()
            let (found, opened) = try await files.make(directory, passcode, scrypt, policy, configuration, fill)
            return (PasscodeVault(directory, configuration, found), opened)
        }
        do { try vault.keep(opened, since: 0) } catch { throw PasscodeVaultFailure.error(error) }
        return vault
    }

    /// Destroys the vault, locked or not: overwrites its key, then removes the files. Also removes the key that is kept
    /// for fingerprint or face. It needs no passcode, as removing the files needs none.
    public func destroy() async throws(PasscodeVaultError) {
        try await Self.destroy(at: directory, configuration: configuration)
        end(as: .wiped)
    }

    /// Destroys the vault in a directory, even a damaged one; does nothing if there is none.
    public static func destroy(
        at directory: URL, configuration: PasscodeVaultConfiguration = PasscodeVaultConfiguration()
    ) async throws(PasscodeVaultError) {
        do {
            try await VaultFiles.exclusively(directory, configuration) { files in try files.destroy() }
        } catch {
            if error.code != .notFound { throw error }
        }
    }
}

extension VaultFiles {
    /// Makes the files and the database of a new vault, which is open.
    fileprivate func make(
        _ url: URL, _ passcode: String?, _ scrypt: ScryptParameters?, _ policy: PasswordPolicy,
        _ configuration: PasscodeVaultConfiguration, _ fill: @Sendable (DataVault) async throws -> Void
    ) async throws -> (Found, OpenedVault) {
        let key = PasscodeVaultKey.random()
        let tries = PasscodeTries(policy: policy)
        let slot = try await Blocking.run {
            try PasscodeSlot(key, passcode: passcode, scrypt: scrypt, vaultID: PasscodeSlot.randomID())
        }
        try store(tries)
        reach(.createBegun)
        let vault = try await DataVault.create(
            at: url, key: DataVaultKey(key.key), configuration: configuration.dataVault)
        do {
            let record = PasscodeRecord(policy: policy, slot: slot.id, now: configuration.clock.date)
            try await record.store(in: vault)
            try await fill(vault)
            reach(.createFilled)
            try store(slot)
            reach(.created)
            return (
                Found(slot: slot, tries: tries, stamp: try VaultStamp(directory)),
                OpenedVault(vault: vault, key: key, slot: slot, record: record, tries: tries)
            )
        } catch {
            try? await vault.close()
            try? destroy()
            throw error
        }
    }
}

extension PasswordPolicy {
    /// - Parameter passcode: the new passcode
    func check(_ passcode: String?) throws(PasscodeVaultError) {
        guard let passcode else {
            guard allowsNoPasscode else {
                throw PasscodeVaultError(.passcodeNeeded, "The policy wants a passcode of your own.")
            }
            return
        }
        let violations = violations(of: passcode)
        guard violations.isEmpty else {
            let texts = violations.map(\.text).joined(separator: "; ")
            throw PasscodeVaultError(
                .policyViolated, "The passcode is not what the policy wants: \(texts).", violations: violations)
        }
    }
}

extension PasscodeVaultConfiguration {
    /// The scrypt parameters for a new passcode on this machine.
    func cost(of passcode: String?) async throws(PasscodeVaultError) -> ScryptParameters? {
        guard passcode != nil else { return nil }
        if let scrypt { return scrypt }
        do {
            return try await Blocking.run { [self] in
                try ScryptParameters.measured(within: derivationTime, now: { clock.uptime })
            }
        } catch {
            throw PasscodeVaultFailure.error(error)
        }
    }
}
