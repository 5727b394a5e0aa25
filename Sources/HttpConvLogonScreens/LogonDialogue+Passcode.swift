import HttpConvLogon
import HttpConvVault
import HttpConversation

/// The passcode screens: the second step, unlocking and changing.
extension LogonDialogue {
    // MARK: Making the vault

    func makeVault() async throws(LogonError) {
        let policy = try await logon.passwordPolicy()
        // Another process may make the vault meanwhile: then it is to be unlocked.
        guard policy.isEnabled else {
            do throws(LogonError) { return try await makeVault(passcode: nil, repeated: nil) } catch {
                guard error.code == .userAlreadyLoggedIn, await logon.state == .locked else { throw error }
                return
            }
        }
        var problem = ""
        while await logon.state == .registered {
            let answer = try await ask(
                LogonScreen(
                    .makePasscode, title: "Choose a passcode for \(application)",
                    message: "It opens what this application keeps on this device.", problem: problem,
                    fields: Self.newPasscode, rules: Self.rules(policy), actions: Self.actions(policy)))
            do throws(LogonError) {
                let isDefault = answer.action == .useDefaultPasscode
                return try await makeVault(
                    passcode: isDefault ? nil : answer[.newPasscode] ?? "",
                    repeated: isDefault ? nil : answer[.repeatedPasscode] ?? "")
            } catch {
                problem = try await whatToEnter(error, "The passcode is not set")
            }
        }
    }

    private func makeVault(passcode: String?, repeated: String?) async throws(LogonError) {
        try await perform(.makeVault, "Making the vault") {
            () async throws(LogonError) in try await logon.makeVault(passcode: passcode, repeated: repeated)
        }
    }

    private static let newPasscode = [
        LogonField(.newPasscode, "New passcode", kind: .secret, isRequired: true),
        LogonField(.repeatedPasscode, "Once more", kind: .secret, isRequired: true),
    ]

    /// The rules to show. The maximum length is left out: few people reach it.
    private static func rules(_ policy: PasswordPolicy) -> [PasswordRule] {
        policy.rules.filter { if case .maximumLength = $0 { false } else { true } }
    }

    private static func actions(_ policy: PasswordPolicy) -> [LogonAction] {
        policy.allowsNoPasscode ? [.proceed, .useDefaultPasscode, .cancel] : [.proceed, .cancel]
    }

    /// The problem to show on the screen again; "" after an error of another kind, once it was shown.
    private func whatToEnter(_ error: LogonError, _ title: String) async throws(LogonError) -> String {
        if [.passwordsNotEqual, .invalidParameter].contains(error.code) { return error.message }
        try await offerRetry(after: error, title)
        return ""
    }

    // MARK: Opening

    /// Asks until the vault is open, or gone. Simultaneous callers share one screen.
    func open() async throws(LogonError) {
        try await screens.alone(OpeningKey(directory: logon.directory.path)) { () async throws(LogonError) in
            try await askUntilOpen()
        }
    }

    struct OpeningKey: Hashable {
        let directory: String
    }

    private func askUntilOpen() async throws(LogonError) {
        var problem = try await openByBiometry()
        while await logon.state == .locked {
            let left = try await logon.attemptsLeft()
            // Without a passcode there is nothing to ask.
            let asks = try await logon.hasPasscode() || !problem.isEmpty
            let answer = asks ? try await ask(await unlockScreen(problem, left)) : nil
            if answer?.action == .deleteUser {
                _ = try await confirmAndDelete()
                continue
            }
            if answer?.action == .useBiometry {
                problem = try await openByBiometry()
                continue
            }
            do throws(LogonError) {
                try await perform(.unlock, "Unlocking \(application)") {
                    () async throws(LogonError) in try await logon.unlock(passcode: answer?[.passcode])
                }
            } catch {
                problem = try await afterFailedUnlock(error, passcode: answer?[.passcode])
            }
        }
    }

    /// Opens the vault by fingerprint or face, if that is possible.
    ///
    /// - Returns: the problem to show with the passcode; empty if the person rather enters it
    private func openByBiometry() async throws(LogonError) -> String {
        guard await logon.state == .locked, let biometry, await biometry.isReady() else { return "" }
        do throws(LogonError) {
            try await perform(.unlock, "Unlocking \(application)", biometry.unlock)
            return ""
        } catch {
            if Task.isCancelled { throw error }
            return error.code == .operationCancelled ? "" : error.message
        }
    }

    private func unlockScreen(_ problem: String, _ left: Int?) async -> LogonScreen {
        let offersBiometry = await biometry?.isReady() == true
        return LogonScreen(
            .unlock, title: "Unlock \(application)", problem: problem,
            fields: [LogonField(.passcode, "Passcode", kind: .secret, isRequired: true)], attemptsLeft: left,
            actions: [.proceed] + (offersBiometry ? [.useBiometry] : []) + [.deleteUser, .cancel])
    }

    /// Asks whether everything is to be deleted, and does it.
    ///
    /// - Returns: false if the person declines
    func confirmAndDelete() async throws(LogonError) -> Bool {
        let message = "Registration, passwords and settings are lost, and you have to register again."
        // The default action must not be the one that cannot be undone.
        let isWanted = try await screens.confirm(
            "Delete what \(application) keeps on this device?", message, [.cancel, .deleteUser])
        guard isWanted else { return false }
        _ = try await perform(.deleteUser, "Deleting") { () async throws(LogonError) in try await logon.deleteUser() }
        return true
    }

    private func afterFailedUnlock(_ error: LogonError, passcode: String?) async throws(LogonError) -> String {
        switch error.vaultCode {
        case .expired:
            guard let outdated = try await changePasscode(from: passcode, problem: error.message) else { return "" }
            // A vault without a passcode opens without a question.
            return outdated.vaultCode == .noPasscode ? "" : outdated.message
        case .wrongPasscode where await logon.state == .locked, .passcodeNeeded: return error.message
        default:
            let isThere = await logon.state == .locked
            try await offerRetry(after: error, "\(application) is not unlocked", isThere ? .retry : .proceed)
            return ""
        }
    }

    // MARK: Changing

    /// Asks for another passcode until it is accepted.
    ///
    /// - Parameter old: the present passcode, if it is known already
    /// - Returns: nil once the passcode is changed; the error if another process has changed it, or removed it,
    ///   meanwhile. Then the screen has no field for the present passcode, and trying `old` again would use up tries
    func changePasscode(from old: String?, problem: String) async throws(LogonError) -> LogonError? {
        let policy = try await logon.passwordPolicy()
        let hasPasscode = try await logon.hasPasscode()
        let asksForOld = old == nil && hasPasscode
        var problem = problem
        while true {
            let oldField = LogonField(.passcode, "Passcode until now", kind: .secret, isRequired: true)
            let answer = try await ask(
                LogonScreen(
                    .changePasscode, title: "Change the passcode of \(application)", problem: problem,
                    fields: (asksForOld ? [oldField] : []) + Self.newPasscode, rules: Self.rules(policy),
                    attemptsLeft: asksForOld ? try await logon.attemptsLeft() : nil, actions: Self.actions(policy)))
            let isDefault = answer.action == .useDefaultPasscode
            do throws(LogonError) {
                try await perform(.changePasscode, "Changing the passcode") { () async throws(LogonError) in
                    try await logon.changePasscode(
                        from: old ?? answer[.passcode], to: isDefault ? nil : answer[.newPasscode] ?? "",
                        repeated: isDefault ? nil : answer[.repeatedPasscode] ?? "")
                }
                return nil
            } catch {
                // After the last try there is nothing left to change.
                guard await logon.state != .nothing else { throw error }
                switch error.vaultCode {
                case .noPasscode: return error
                case .wrongPasscode where !asksForOld: return error
                // With a known passcode, the error is about the new one.
                case .passcodeNeeded where !hasPasscode && old == nil: return error
                default: break
                }
                problem = try await whatToEnter(error, "The passcode is not changed")
            }
        }
    }
}

extension LogonError {
    fileprivate var vaultCode: PasscodeVaultError.Code? { (underlyingError as? PasscodeVaultError)?.code }
}
