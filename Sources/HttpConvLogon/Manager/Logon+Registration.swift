import HttpConvAuthFlows
import HttpConvFormats
import HttpConvVault
import HttpConversation
import MobileServices

/// The two steps of a registration.
extension Logon {
    /// Finds out what is at the address, logs in as the server wants, and registers. At a gateway, logging in is all.
    /// The registration is in memory until ``makeVault(passcode:repeated:)``: if the process ends before, it is lost.
    /// - Throws: ``LogonError``: `invalidServerHost`, `invalidParameter`, `couldNotDecideCommunicator`,
    ///   `invalidBackendPassword`, `communicationManagerError`, `operationCancelled`, `userAlreadyLoggedIn`;
    ///   `invalidOperationContext` if the options ask for a certificate that no enrolment gets; then nothing is
    ///   registered
    @discardableResult
    public func register(_ input: RegistrationInput) async throws(LogonError) -> RegistrationResult {
        try await run(.register) { () async throws(LogonError) in try await self.beginRegistration(input) }
    }

    private func beginRegistration(_ input: RegistrationInput) async throws(LogonError) -> RegistrationResult {
        let person = person
        do throws(LogonError) { return try await registerNow(input, person) } catch {
            person.clear()
            throw error
        }
    }

    private func registerNow(
        _ input: RegistrationInput, _ person: LogonPerson
    ) async throws(LogonError) -> RegistrationResult {
        var options = options
        options.registration = input.values
        options.authentication = input.authentication
        try input.check()
        let origin = try CommunicatorProbe.origin(input.values)
        try checkLogin(input, at: origin)
        let identity = try await certificate(for: input, at: origin)
        person.beginRegistration(at: origin, with: identity?.identity)
        do throws(LogonError) { return try await register(input, options, person, identity) } catch {
            // The next registration gets another certificate.
            if !error.isNotAboutCertificate { enrolled = nil }
            throw error
        }
    }

    private func register(
        _ input: RegistrationInput, _ options: LogonOptions, _ person: LogonPerson, _ identity: EnrolledIdentity?
    ) async throws(LogonError) -> RegistrationResult {
        let manager = manager(for: person)
        let found = try await CommunicatorDetection(manager, options, applicationID: application).detect()
        var record = RegistrationRecord(found, input, identity: identity)
        let profile = try RegistrationProfile(record, applicationID: application, deviceID: deviceID)
        person.take(record, profile)

        let server = RegisteredServer(manager, person, profile, record)
        do throws(LogonError) { record.settings = try await server.register() } catch {
            await withdraw(server)
            throw error
        }
        record.connectionID = server.connectionID
        person.take(record, profile)
        let result = RegistrationResult(record, profile)
        registration = result
        enrolled = nil
        return result
    }

    /// Checks the input before a person is asked anything.
    private func checkLogin(_ input: RegistrationInput, at origin: Origin) throws(LogonError) {
        let root: TargetURL
        do throws(ConversationError) { root = try origin.targetURL() } catch {
            throw LogonError(.invalidServerHost, error.message, underlyingError: error)
        }
        _ = try RegistrationProfile(
            DetectedCommunicator(communicator: .mobileServer, root: root), input.values, input.authentication,
            applicationID: application, deviceID: deviceID)
    }

    /// The given certificate, or an enrolled one if the options ask for it.
    ///
    /// A challenge password is valid for one certificate. So if the registration fails after the enrolment, and not
    /// because of the certificate, the next one uses the same certificate, if it is for the same user and server.
    private func certificate(
        for input: RegistrationInput, at origin: Origin
    ) async throws(LogonError) -> EnrolledIdentity? {
        let kept = enrolled
        enrolled = nil
        if let identity = input.identity { return EnrolledIdentity(identity) }
        guard options.usesAfaria else { return nil }
        guard let enrolment else {
            throw LogonError(
                .invalidOperationContext,
                "The options ask for a new certificate (UseAfaria), and this application enrols none: switch the option off, or register with a certificate."
            )
        }
        let name = input.credentials?.username ?? input.values.backendUserName
        var request = EnrolmentRequest(
            commonName: name.isEmpty ? application : name, organizationalUnit: application,
            challengePassword: input.enrolmentPassword?.value)
        request.urlScheme = options.afariaURLScheme.isEmpty ? nil : options.afariaURLScheme
        if let kept, kept.serves(request, at: origin, now: vaultConfiguration.clock.date) {
            enrolled = kept
            return kept.identity
        }
        do throws(EnrolmentError) {
            let identity = try await enrolment.enrol(request)
            // Without a user name, the next person's request would look the same.
            enrolled = name.isEmpty ? nil : PendingEnrolment(request: request, origin: origin, identity: identity)
            return identity
        } catch { throw .wrapping(error) }
    }

    /// Undoes a registration that failed halfway, if the server can be reached.
    private func withdraw(_ server: RegisteredServer) async {
        guard server.connectionID != nil else { return }
        // Runs in a separate task: a cancelled task sends nothing.
        await Task { try? await server.unregister() }.value
    }

    // MARK: The second step

    /// Makes the vault, and stores the whole registration in it.
    ///
    /// - Parameters:
    ///   - passcode: nil: no passcode, if the policy allows that
    ///   - repeated: the new passcode once more, as the person typed it
    /// - Throws: ``LogonError``: `passwordsNotEqual`; `invalidParameter` with a `PasscodeVaultError` if the policy is
    ///   violated; then the registration stays in memory. `userAlreadyLoggedIn` if another process has made the vault
    ///   meanwhile; then this registration is removed from the server
    public func makeVault(passcode: String?, repeated: String?) async throws(LogonError) {
        let isRepeated = passcode == repeated
        try await run(.makeVault) { () async throws(LogonError) in
            guard isRepeated else { throw .passwordsNotEqual }
            try await self.makeVaultNow(passcode)
        }
    }

    private func makeVaultNow(_ passcode: String?) async throws(LogonError) {
        let madeVault = options.allowsAutomaticSecureStoreCreation
        let person = person
        let record = try await person.record()
        let profile = try RegistrationProfile(record, applicationID: application, deviceID: deviceID)
        do {
            let tokens = person.tokens.inMemory
            let fill: @Sendable (DataVault) async throws -> Void = { vault in
                try await PersonTokenStorage.write(tokens, into: vault)
                // Written last: an application's vault without it holds no registration.
                try await PasscodeVault.write(record, RegistrationRecord.name, in: vault)
            }
            let vault = try await filledVault(passcode, record.passwordPolicy, isNew: madeVault, fill)
            do { try await person.tokens.move(into: vault, copied: tokens) } catch {
                if madeVault {
                    try? await vault.destroy()
                } else {
                    _ = try? await vault.remove(RegistrationRecord.name)
                    vault.lock()
                }
                throw error
            }
            person.move(into: vault, profile, record)
            self.vault = vault
            watch(vault)
            await describeAccount()
        } catch let error as PasscodeVaultError {
            guard madeVault, error.code == .alreadyExists, PasscodeVault.exists(at: directory) else {
                throw .wrapping(error)
            }
            await withdraw(RegisteredServer(manager(for: person), person, profile, record))
            vaultWasMadeElsewhere()
            throw LogonError(
                .userAlreadyLoggedIn, "Another process has registered the application meanwhile: unlock its vault.",
                underlyingError: error)
        } catch let error as LogonError {
            throw error
        } catch {
            throw LogonError(.operationNotAllowed, "The vault could not be made.", underlyingError: error)
        }
    }

    /// Makes the vault, or opens the one that the application has made, and fills it.
    private func filledVault(
        _ passcode: String?, _ policy: PasswordPolicy, isNew: Bool,
        _ fill: @escaping @Sendable (DataVault) async throws -> Void
    ) async throws -> PasscodeVault {
        guard isNew else {
            let vault = try PasscodeVault.open(at: directory, configuration: vaultConfiguration)
            do { try await adopt(vault, passcode, policy, fill) } catch {
                vault.lock()
                throw error
            }
            return vault
        }
        var configuration = vaultConfiguration
        configuration.createsDirectory = createsDirectory
        return try await PasscodeVault.create(
            at: directory, passcode: passcode, policy: policy, configuration: configuration, fill: fill)
    }

    /// Fills the vault that the application has made; it must not hold a registration yet.
    private func adopt(
        _ vault: PasscodeVault, _ passcode: String?, _ policy: PasswordPolicy,
        _ fill: @Sendable (DataVault) async throws -> Void
    ) async throws {
        try await vault.unlock(passcode: passcode)
        guard try await vault.read(RegistrationRecord.self, RegistrationRecord.name) == nil else {
            throw LogonError(.userAlreadyLoggedIn, "The vault holds a registration already: unlock it.")
        }
        try await vault.apply(policy: policy)
        try await vault.withDataVault { try await fill($0) }
    }
}

extension LogonError {
    static var passwordsNotEqual: LogonError {
        LogonError(.passwordsNotEqual, "The passcode was repeated in another way: enter it twice again.")
    }
}

extension RegistrationInput {
    /// - Throws: ``LogonError/Code/invalidParameter``
    fileprivate func check() throws(LogonError) {
        if let name = credentials?.username, name.isEmpty || name.utf8.contains(UInt8(ascii: ":")) {
            throw LogonError(.invalidParameter, "The user name is empty, or has a colon, which no login could send.")
        }
        do throws(PasscodeVaultError) { try values.passwordPolicy.validate() } catch {
            throw LogonError(.invalidParameter, error.message, underlyingError: error)
        }
    }
}

extension RegistrationResult {
    init(_ record: RegistrationRecord, _ profile: RegistrationProfile) {
        self.init(
            communicator: profile.communicator, root: profile.root, settings: record.settings,
            passwordPolicy: record.passwordPolicy, userName: record.userName)
    }
}
