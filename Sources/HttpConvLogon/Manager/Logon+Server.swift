import HttpConvAuthFlows
import HttpConvVault
public import HttpConversation
public import MobileServices

/// Operations at the server.
extension Logon {
    /// Logs in at the server now, instead of with the next request that needs it.
    ///
    /// - Throws: ``LogonError``: `invalidBackendPassword`, `communicationManagerError`, `operationCancelled`,
    ///   `operationNotAllowed`
    public func logon() async throws(LogonError) {
        try await run(.logon) { () async throws(LogonError) in _ = try await self.visit() }
    }

    /// Reads the server's settings for the application. A newer policy applies at once.
    ///
    /// - Returns: nil for a gateway, which has no settings
    /// - Throws: ``LogonError/Code/communicationManagerError`` and others; then the vault is unchanged
    @discardableResult
    public func refreshSettings() async throws(LogonError) -> ApplicationSettings? {
        try await run(.refreshSettings) { () async throws(LogonError) in
            guard let settings = try await self.visit() else { return nil }
            try await self.apply(settings)
            return settings
        }
    }

    /// Reads the connection. If the server does not know it, registers again and stores the new id in the vault.
    private func visit() async throws(LogonError) -> ApplicationSettings? {
        let person = person
        try await renewCertificate(of: person)
        let server = try await server(of: person)
        let settings: ApplicationSettings?
        do throws(LogonError) { settings = try await server.register() } catch {
            // Registered again, and still unknown: keep the old id.
            let code = (error.underlyingError as? MobileServicesError)?.code
            if code != .unknownConnection { try? await keepConnection(of: server) }
            throw error
        }
        try await keepConnection(of: server)
        return settings
    }

    private func renewCertificate(of person: LogonPerson) async throws(LogonError) {
        do throws(CancellationError) { try await person.renewCertificate() } catch { throw .cancelled }
    }

    private func server(of person: LogonPerson) async throws(LogonError) -> RegisteredServer {
        let record = try await person.record()
        guard let profile = person.profile else { throw .notLoggedOn }
        return RegisteredServer(manager(for: person), person, profile, record)
    }

    private func keepConnection(of server: RegisteredServer) async throws(LogonError) {
        guard let id = server.connectionID, id != (try await server.person.record().connectionID) else { return }
        try await server.person.change { $0.connectionID = id }
    }

    private func apply(_ settings: ApplicationSettings) async throws(LogonError) {
        let person = person
        if let vault, settings.passwordPolicy != (try await person.record().passwordPolicy) {
            do throws(PasscodeVaultError) { try await vault.apply(policy: settings.passwordPolicy) } catch {
                throw .wrapping(error)
            }
        }
        let record = try await person.change { $0.settings = settings }
        if let profile = person.profile { registration = RegistrationResult(record, profile) }
    }

    // MARK: The password

    /// Asks the back end whether it accepts another password, and then stores it.
    ///
    /// - Throws: ``LogonError``: `invalidBackendPassword`, `communicationManagerError`; `operationNotAllowed` if there
    ///   is no user name, or the server asks for no password. Then the vault is unchanged
    public func changeBackendPassword(_ password: String) async throws(LogonError) {
        try await run(.changeBackendPassword) { () async throws(LogonError) in try await self.change(password) }
    }

    private func change(_ password: String) async throws(LogonError) {
        let person = person
        try await renewCertificate(of: person)
        let record = try await person.record()
        guard let userName = record.userName, let profile = person.profile else {
            throw LogonError(.operationNotAllowed, "The registration has no user name: its login is another one.")
        }
        let candidate = CandidatePassword(UsernamePassword(username: userName, password: password), profile.root.origin)
        // Only the new password may authenticate: no cookie or credential of the old session.
        var configuration = configuration
        configuration.session = HttpSession()
        var login = CommonAuthenticationConfigurator(session: configuration.session)
        login.add(candidate)
        login.add(clientCertificate: PersonCertificate(person: person))
        configuration.apply(login)
        configuration.add(ServerFieldsFilter(person: person))
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        let server = RegisteredServer(manager, person, profile, record)
        do throws(LogonError) { _ = try await server.register() } catch {
            let status = (error.underlyingError as? MobileServicesError)?.status
            throw candidate.wasAsked || status == nil ? error : Self.nobodyAsked
        }
        guard candidate.wasAsked else { throw Self.nobodyAsked }
        let connectionID = server.connectionID
        try await person.change {
            $0.password = password
            $0.connectionID = connectionID ?? $0.connectionID
        }
        person.session.removeCredentials()
        // If it was registered again meanwhile, the person's own session needs the new id. If the vault was locked
        // meanwhile, the session gets it with the next unlocking, and the password is changed all the same.
        _ = try? await self.server(of: person)
    }

    private static var nobodyAsked: LogonError {
        LogonError(.operationNotAllowed, "The server asks for no password: there is none to change.")
    }

    // MARK: The trace

    /// Uploads a transcript to the mobile server, where an administrator reads it beside the server's own log. A
    /// transcript has redacted text only, so no password or token goes along.
    ///
    /// ```swift
    /// let recorder = TranscriptRecorder()
    /// configuration.add(recorder)                                               // of the application's managers
    /// try await logon.uploadTrace(recorder.transcript)
    /// ```
    /// - Parameters:
    ///   - transcript: what to upload, one line an event
    ///   - path: the path of uploads below the server's root (`ServicePaths.traces`)
    /// - Throws: ``LogonError``: `uploadTraceFailed`, with a `MobileServicesError` below that says whether an
    ///   administrator has disabled uploads (`notAllowed`); a gateway takes none; `operationCancelled`,
    ///   `operationNotAllowed`
    public func uploadTrace(
        _ transcript: Transcript, path: String = ServicePaths().traces
    ) async throws(LogonError) {
        try await run(.uploadTrace) { () async throws(LogonError) in
            let person = self.person
            try await self.renewCertificate(of: person)
            try await self.server(of: person).upload(transcript, to: path)
        }
    }

    // MARK: The end

    /// Removes the registration from the server, then the vault.
    ///
    /// - Throws: ``LogonError``: if the server cannot be told, everything stays as it is; see ``deleteUser()``
    public func unregister() async throws(LogonError) {
        try await run(.unregister) { () async throws(LogonError) in
            try await self.server(of: self.person).unregister()
            try await self.remove()
        }
    }

    /// Removes everything from this device. Tells the server if possible; a locked vault makes that impossible.
    ///
    /// - Returns: whether the server has removed the registration too
    /// - Throws: ``LogonError/Code/operationNotAllowed`` if there is nothing to remove, or the vault cannot be removed
    @discardableResult
    public func deleteUser() async throws(LogonError) -> Bool {
        try await run(.deleteUser) { () async throws(LogonError) in
            var isToldToServer = false
            if await self.state != .locked {
                do throws(LogonError) {
                    try await self.server(of: self.person).unregister()
                    isToldToServer = true
                } catch {
                    if Task.isCancelled { throw error }
                }
            }
            try await self.remove()
            return isToldToServer
        }
    }

    /// Removes everything from this device without telling the server.
    func removeHere() async throws(LogonError) {
        try await run(.deleteUser) { () async throws(LogonError) in try await self.remove() }
    }

    private func remove() async throws(LogonError) {
        // Before the second step, a vault made by the application does not belong to the registration.
        if state != .registered {
            do throws(PasscodeVaultError) {
                // Works for a damaged vault too.
                try await PasscodeVault.destroy(at: directory, configuration: vaultConfiguration)
            } catch { throw .wrapping(error) }
            vault?.lock()
        }
        vault = nil
        endPerson()
    }
}
