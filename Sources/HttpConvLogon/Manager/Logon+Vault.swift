public import HttpConvVault
import HttpConversation
import MobileServices

/// The vault.
extension Logon {
    /// Opens the vault, and loads the registration.
    ///
    /// - Parameter passcode: nil for a vault without a passcode
    /// - Throws: ``LogonError``: `invalidParameter` with `PasscodeVaultError.Code.wrongPasscode` below;
    ///   `operationNotAllowed` with `PasscodeVaultError.Code.wiped` or `PasscodeVaultError.Code.expired` below:
    ///   after `expired`, call ``changePasscode(from:to:repeated:)``
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

    /// The key that opens the vault without its passcode; nil while it is locked.
    public var vaultKey: PasscodeVaultKey? { vault?.key }

    /// Gives the vault another passcode, and opens it. If it is locked meanwhile, the passcode is changed, and the
    /// vault stays locked.
    ///
    /// - Parameters:
    ///   - old: the present passcode; nil: none
    ///   - new: the new passcode; nil: none, if the policy allows that
    ///   - repeated: the new passcode once more, as the person typed it
    /// - Throws: ``LogonError``: `passwordsNotEqual`, `passcodeChangeNotEnabled`; others as ``unlock(passcode:)``
    public func changePasscode(from old: String?, to new: String?, repeated: String?) async throws(LogonError) {
        let isRepeated = new == repeated
        try await run(.changePasscode) { () async throws(LogonError) in
            guard isRepeated else { throw .passwordsNotEqual }
            let isOpen = await self.state == .unlocked
            try await self.open(changing: true) { (vault) throws(PasscodeVaultError) in
                // An expired passcode may be changed too.
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

    /// The policy for the passcode: the server's, else the options'.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` if the vault cannot be read
    public func passwordPolicy() async throws(LogonError) -> PasswordPolicy {
        guard let vault = try existingVault() else {
            return registration?.passwordPolicy ?? options.registration.passwordPolicy
        }
        do throws(PasscodeVaultError) { return try await vault.policy() } catch { throw failed(error) }
    }

    /// The number of tries left; nil: unlimited, or there is no passcode.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` if the vault cannot be read
    public func attemptsLeft() async throws(LogonError) -> Int? {
        guard let vault = try existingVault() else { return nil }
        do throws(PasscodeVaultError) { return try await vault.attemptsLeft() } catch { throw failed(error) }
    }

    /// Whether the vault has a passcode that a person must enter.
    ///
    /// - Throws: ``LogonError/Code/operationNotAllowed`` if the vault cannot be read
    public func hasPasscode() async throws(LogonError) -> Bool {
        guard let vault = try existingVault() else { return false }
        do throws(PasscodeVaultError) { return try await vault.hasPasscode() } catch { throw failed(error) }
    }

    // MARK: Opening

    /// The vault; nil if there is none yet.
    func existingVault() throws(LogonError) -> PasscodeVault? {
        notice()
        if let vault { return vault }
        guard PasscodeVault.exists(at: directory) else { return nil }
        do throws(PasscodeVaultError) {
            let vault = try PasscodeVault.open(at: directory, configuration: vaultConfiguration)
            self.vault = vault
            return vault
        } catch { throw failed(error) }
    }

    /// Opens the vault by a closure, and loads the registration.
    ///
    /// - Parameter changing: whether the closure changes the passcode. Then a registration that cannot be loaded is not
    ///   an error here, because the new passcode is valid already: the vault is locked, and the next unlocking reports
    ///   the reason
    func open(
        changing: Bool = false, _ unlock: @Sendable (PasscodeVault) async throws(PasscodeVaultError) -> Void
    ) async throws(LogonError) {
        guard let vault = try existingVault() else {
            vaultWasRemoved()
            throw .notLoggedOn
        }
        do throws(PasscodeVaultError) { try await unlock(vault) } catch {
            // The vault is open, but an expired passcode must be changed before anything else.
            if error.code == .expired { vault.lock() }
            throw failed(error)
        }
        do throws(LogonError) { try await resumeRegistration(from: vault) } catch {
            vault.lock()
            // Locking fails if the vault is gone.
            guard changing, (try? lock()) != nil else { throw error }
        }
    }

    private func failed(_ error: PasscodeVaultError) -> LogonError {
        if [.wiped, .notFound].contains(error.code) { vaultWasRemoved() }
        do throws(LogonError) { try checkAccount() } catch { return error }
        return .wrapping(error)
    }

    /// Loads the registration from the vault.
    private func resumeRegistration(from vault: PasscodeVault) async throws(LogonError) {
        let record: RegistrationRecord?
        do throws(PasscodeVaultError) {
            record = try await vault.read(RegistrationRecord.self, RegistrationRecord.name)
        } catch { throw failed(error) }
        guard let record else {
            // A vault of ours has its registration from the start, so nothing is made here right now. Earlier versions
            // made the vault first: if their process ended in between, the vault holds nothing that could be lost.
            let madeVault = options.allowsAutomaticSecureStoreCreation
            if madeVault { try? await vault.destroy() }
            vaultWasRemoved()
            throw LogonError(
                .operationNotAllowed,
                madeVault
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
        await describeAccount()
    }

    // MARK: Requests

    /// Opens a vault without a passcode for a request, unless another caller opens it.
    func openWithoutPasscode(for person: LogonPerson) async throws(LogonError) {
        await waitForOpening()
        guard try await !isReady(for: person) else { return }
        try await unlock(passcode: nil)
    }

    /// Whether a request of a person may be sent now. Counts as use of the vault.
    ///
    /// - Returns: false if the vault is locked
    /// - Throws: ``LogonError/Code/operationNotAllowed`` if there is no registration, or the person's was removed
    func isReady(for person: LogonPerson) async throws(LogonError) -> Bool {
        let state = state
        try checkAccount()
        guard person === self.person else {
            throw LogonError(
                .operationNotAllowed,
                "The registration that this manager was configured for no longer exists: configure a new manager.")
        }
        switch state {
        case .nothing: throw .notLoggedOn
        case .registered: return true
        case .locked: return false
        case .unlocked:
            do throws(PasscodeVaultError) { try await vault?.withDataVault { _ in } } catch {
                // The vault was locked between the check and the use.
                guard self.state == .unlocked else { return try await isReady(for: person) }
                throw .wrapping(error)
            }
            return true
        }
    }
}
