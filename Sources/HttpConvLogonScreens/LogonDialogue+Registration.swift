import HttpConvLogon
import MobileServices

/// The first step: the server's address, and the person's name there.
extension LogonDialogue {
    func register() async throws(LogonError) {
        let options = await logon.options
        if options.usesSplashScreen {
            _ = try await ask(LogonScreen(.splash, title: application, message: welcome))
        }
        var form = RegistrationForm(application: application, options)
        var isFilled = false
        // Another process may register meanwhile: then its vault is to be unlocked.
        while await logon.state == .nothing {
            if !isFilled { try await fill(&form) }
            let input = form.input
            do throws(LogonError) {
                _ = try await perform(.register, "Registering at \(form.values.shownAddress)") {
                    () async throws(LogonError) in try await logon.register(input)
                }
                return
            } catch {
                form.forgetSecrets()
                isFilled = form.takesPassword && error.wantsPassword
                if isFilled {
                    try await askForCredentials(&form, error)
                } else {
                    try await offerRetry(after: error, "\(application) is not registered")
                }
            }
        }
    }

    /// Asks until the input is valid; asks nothing if every field is hidden.
    private func fill(_ form: inout RegistrationForm) async throws(LogonError) {
        var problem = ""
        while let screen = form.screen(problem: problem, canDiscover: discovery != nil) {
            let answer = try await ask(screen)
            if answer.action == .discover, let discovery {
                problem = try await discover(&form, by: discovery) ?? ""
            } else {
                guard let reason = form.take(answer) else { return }
                problem = reason
            }
        }
    }

    /// Fills the form by an e-mail address, if the person agrees to the proposal.
    ///
    /// - Returns: the problem to show; nil if there is none
    private func discover(
        _ form: inout RegistrationForm, by discovery: any ServerDiscovery
    ) async throws(LogonError) -> String? {
        let field = LogonField(.emailAddress, "E-mail address", isRequired: true)
        let answer = try await ask(
            LogonScreen(
                .configuration, title: "Find the server of \(application)",
                message: "The domain after the @ is asked; the part before the @ is not sent.", fields: [field]))
        let (address, options, application) = (answer[.emailAddress] ?? "", await logon.options, application)
        let search = Task { () -> Result<DiscoveredServer?, LogonError> in
            do throws(LogonError) {
                return .success(try await discovery.server(for: address, options, applicationID: application))
            } catch { return .failure(error) }
        }
        let result = await screens.during("Looking for a server", cancel: { search.cancel() }) {
            () async throws(LogonError) in
            try await withTaskCancellationHandler(operation: { await search.value }, onCancel: { search.cancel() })
                .get()
        }
        let found: DiscoveredServer?
        do throws(LogonError) { found = try result.get() } catch {
            guard error.code != .operationCancelled else { throw error }
            return error.message
        }
        guard let found else { return "Nobody there names a server: enter its address." }
        let warning = found.isWithinDomain ? "" : " It is not in the domain of your address: look twice."
        let isAccepted = try await screens.confirm(
            "Is this your server?", "\(found).\(warning)",
            found.isWithinDomain ? [.proceed, .cancel] : [.cancel, .proceed])
        if isAccepted { form.take(found.registration) }
        return nil
    }

    private func askForCredentials(_ form: inout RegistrationForm, _ error: LogonError) async throws(LogonError) {
        form.take(credentials: try await ask(form.credentialsScreen(problem: error.message)))
    }

    /// Asks for the back end's password until it is accepted.
    func askForBackendPassword() async throws(LogonError) {
        var problem = ""
        while true {
            let field = LogonField(.password, "New password", kind: .secret, isRequired: true)
            let screen = LogonScreen(
                .credentials, title: "Password of \(application) at the back end",
                message: "It is tried at the server before it is kept.", problem: problem, fields: [field])
            let answer = try await ask(screen)
            do throws(LogonError) {
                return try await perform(.changeBackendPassword, "Trying the password") {
                    () async throws(LogonError) in try await logon.changeBackendPassword(answer[.password] ?? "")
                }
            } catch {
                problem = error.message
                guard error.code != .invalidBackendPassword else { continue }
                try await offerRetry(after: error, "The password is not changed")
                problem = ""
            }
        }
    }
}

extension LogonError {
    /// Whether another user name or password may help: the server refused the present one, or wants one.
    fileprivate var wantsPassword: Bool {
        code == .invalidBackendPassword || (underlyingError as? MobileServicesError)?.code == .notAuthenticated
    }
}
