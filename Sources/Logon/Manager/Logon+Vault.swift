import HttpConversation
public import MobileServices

/// The vault.
extension Logon {
    /// Opens the vault, and takes up the registration.
    ///
    /// - Parameter passcode: nil: of a vault without one
    /// - Throws: ``LogonError``: `invalidParameter` with ``PasscodeVaultError/Code/wrongPasscode`` below;
    ///   `operationNotAllowed` with ``PasscodeVaultError/Code/wiped`` or ``PasscodeVaultError/Code/expired`` below: then
    ///   ``changePasscode(from:to:repeated:)``
    public func unlock(passcode: String?) async throws(LogonError) {
        try await run(.unlock) { () async throws(LogonError) in
            try await self.open { (vault) throws(PasscodeVaultError) in try await vault.unlock(passcode: passcode) }
        }
    }

    /// Opens the vault by a key that was kept in kernel memory or a keychain: see ``vaultKey``.
    ///
    /// - Throws: as ``unlock(passcode:)``
    public func unlock(key: PasscodeVaultKey) async throws(LogonError) {
        try await run(.unlock) { () async throws(LogonError) in
            try await self.open { (vault) throws(PasscodeVaultError) in try await vault.unlock(key: key) }
        }
    }

    /// What opens the vault without its passcode; nil while it is locked.
    public var vaultKey: PasscodeVaultKey? { vault?.key }

    /// Gives the vault another passcode, and opens it.
    ///
    /// - Parameters:
    ///   - old: the passcode that there is; nil: none
    ///   - new: nil: none, where the policy allows that
    ///   - repeated: the new passcode once more, as the person typed it
    /// - Throws: ``LogonError``: `passwordsNotEqual`, `passcodeChangeNotEnabled`; others as ``unlock(passcode:)``
    public func changePasscode(from old: String?, to new: String?, repeated: String?) async throws(LogonError) {
        let isRepeated = new == repeated
        try await run(.changePasscode) { () async throws(LogonError) in
            guard isRepeated else { throw .passwordsNotEqual }
            let isOpen = await self.state == .unlocked
            try await self.open { (vault) throws(PasscodeVaultError) in
                // One that is too old is what this is for.
                if !isOpen {
                    do throws(PasscodeVaultError) { try await vault.unlock(passcode: old) } catch {
                        guard error.code == .expired else { throw error }
                    }
                }
                do throws(PasscodeVaultError) { try await vault.changePasscode(from: old, to: new) } catch {
                    if !isOpen { vault.lock() }
                    throw error
                }
            }
        }
    }

    /// What is wanted of the passcode: by the server, else by the options.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` where the vault cannot be read
    public func passwordPolicy() async throws(LogonError) -> PasswordPolicy {
        guard let vault = try existingVault() else {
            return registration?.passwordPolicy ?? options.registration.passwordPolicy
        }
        do throws(PasscodeVaultError) { return try await vault.policy() } catch { throw failed(error) }
    }

    /// How many tries are left; nil: without limit, or there is no passcode.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` where the vault cannot be read
    public func attemptsLeft() async throws(LogonError) -> Int? {
        guard let vault = try existingVault() else { return nil }
        do throws(PasscodeVaultError) { return try await vault.attemptsLeft() } catch { throw failed(error) }
    }

    /// Whether a person has to be asked for a passcode.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` where the vault cannot be read
    public func hasPasscode() async throws(LogonError) -> Bool {
        guard let vault = try existingVault() else { return false }
        do throws(PasscodeVaultError) { return try await vault.hasPasscode() } catch { throw failed(error) }
    }

    // MARK: Opening

    /// The vault; nil where there is none yet.
    private func existingVault() throws(LogonError) -> PasscodeVault? {
        notice()
        if let vault { return vault }
        guard PasscodeVault.exists(at: directory) else { return nil }
        do throws(PasscodeVaultError) {
            let vault = try PasscodeVault.open(at: directory, options: vaultOptions)
            self.vault = vault
            return vault
        } catch { throw failed(error) }
    }

    /// Opens the vault in some way, and takes up what is in it.
    private func open(
        _ unlock: @Sendable (PasscodeVault) async throws(PasscodeVaultError) -> Void
    ) async throws(LogonError) {
        guard let vault = try existingVault() else {
            vaultIsGone()
            throw .notLoggedOn
        }
        do throws(PasscodeVaultError) { try await unlock(vault) } catch {
            // Open, but not for long: nothing is done with a passcode that has to be changed.
            if error.code == .expired { vault.lock() }
            throw failed(error)
        }
        do throws(LogonError) { try await takeUp(vault) } catch {
            vault.lock()
            throw error
        }
    }

    private func failed(_ error: PasscodeVaultError) -> LogonError {
        if [.wiped, .notFound].contains(error.code) { vaultIsGone() }
        return .wrapping(error)
    }

    /// The registration is as it was.
    private func takeUp(_ vault: PasscodeVault) async throws(LogonError) {
        let record: RegistrationRecord?
        do throws(PasscodeVaultError) {
            record = try await vault.read(RegistrationRecord.self, RegistrationRecord.name)
        } catch { throw failed(error) }
        guard let record else {
            // Its process ended between the two: there is nothing in it that could be lost.
            let isMine = options.allowsAutomaticSecureStoreCreation
            if isMine { try? await vault.destroy() }
            vaultIsGone()
            throw LogonError(
                .operationNotAllowed,
                isMine
                    ? "The vault was never finished: register again."
                    : "The application's vault is good, and holds no registration yet: register.")
        }
        let profile = try RegistrationProfile(record, applicationID: application, deviceID: deviceID)
        let person = person
        person.move(into: vault, profile, record)
        if let id = record.connectionID, let application = profile.application {
            do throws(MobileServicesError) {
                try RegistrationClient(manager(for: person), application).resume(connectionID: id)
            } catch { throw .wrapping(error, hasPassword: false) }
        }
        registration = RegistrationResult(record, profile)
        watch(vault)
    }

    // MARK: Requests

    /// Whether a request of a person may be sent now. That renews the vault's time.
    ///
    /// - Returns: false: the vault is locked
    /// - Throws: ``LogonError/Code/operationNotAllowed`` where there is no registration, or none of this person any more
    func isReady(for person: LogonPerson) async throws(LogonError) -> Bool {
        let state = state
        guard person === self.person else {
            throw LogonError(
                .operationNotAllowed,
                "The registration that this manager was configured for is no more: configure a new manager.")
        }
        switch state {
        case .nothing: throw .notLoggedOn
        case .registered: return true
        case .locked: return false
        case .unlocked:
            do throws(PasscodeVaultError) { try await vault?.withDataVault { _ in } } catch {
                // Between the question and the use.
                guard self.state == .unlocked else { return try await isReady(for: person) }
                throw .wrapping(error)
            }
            return true
        }
    }
}
