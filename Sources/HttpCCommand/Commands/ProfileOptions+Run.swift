import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal

extension ProfileOptions {
    /// Runs a command about a profile's tokens and ends with its status.
    func withTokens(_ work: @escaping @Sendable (TokenRun) async throws -> Void) async throws {
        try await run(nil) { plan, target, run in
            let run = try TokenRun(plan, for: target, grant: nil, run)
            do { try await work(run) } catch { throw CommandFailure(login: error, given: run.given) }
            return .success
        }
    }

    /// Runs a command about a profile's logon and ends with its status.
    ///
    /// - Parameters:
    ///   - isFirst: whether the command may create the profile's first state, and add the account
    ///   - chooses: whether a person chooses the account
    func withLogon(
        web: WebOptions? = nil, passcode: PasscodeOptions, account: AccountOptions, isFirst: Bool = false,
        chooses: Bool = false,
        _ work: @escaping @Sendable (LogonRun) async throws -> Void
    ) async throws {
        try await run(web) { plan, target, run in
            var plan = plan
            plan.account = account.account
            let run = try await LogonRun(
                plan, for: target, passcode: passcode.source, isFirst: isFirst, chooses: chooses, run)
            do { try await work(run) } catch { throw CommandFailure(login: error, given: run.given) }
            try await run.shared.shareSession()
            return .success
        }
    }

    /// Runs a command about the profile of a logon, without its servers, and ends with its status.
    func withLogonProfile(_ work: @escaping @Sendable (Profile, CommandRun) async throws -> Void) async throws {
        try await run(nil) { plan, target, run in
            try await work(LogonRun.profile(of: plan, for: target), run)
            return .success
        }
    }

    /// Runs a command about any login of a profile and ends with its status.
    ///
    /// - Parameter allowsFormer: whether the profile may be in no configuration any more and have state only
    func withProfile(
        web: WebOptions? = nil, allowsFormer: Bool = false,
        _ work: @escaping @Sendable (ClientPlan, Profile, TargetURL?, CommandRun) async throws -> Void
    ) async throws {
        try await run(web) { plan, target, run in
            let file = try ConfigurationFile.load(plan.configuration)
            let former = allowsFormer ? ProfileChoice.former(plan.profile, in: file) : nil
            let profile = try former ?? ProfileChoice.chooseAnyLogin(plan.profile, for: target, from: file)
            try await work(plan, profile, target, run)
            return .success
        }
    }

    private func run(
        _ web: WebOptions?, _ work: @escaping @Sendable (ClientPlan, TargetURL?, CommandRun) async throws -> ExitStatus
    ) async throws {
        let url = url
        try await settings.common.run { [settings] run in
            let target = try url.map { try URLArgument($0).target }
            return try await work(ClientPlan(settings.common, profile: settings.profile, web), target, run)
        }
    }
}

extension ProfileSettings {
    /// Runs a helper and ends with its status.
    ///
    /// - Parameter work: returns whether there was a credential
    func lend(_ work: @escaping @Sendable (CredentialLender) async throws -> Bool) async throws {
        try await common.run { run in
            let plan = try ClientPlan(common, profile: profile, nil)
            return try await work(CredentialLender(plan, run)) ? .success : .loginFailed
        }
    }
}

extension ProfileCommonOptions {
    /// Runs `init` and ends with its status.
    func writeProfile(for url: String, _ settings: InitSettings, _ web: WebOptions) async throws {
        try await run { run in
            let target = try URLArgument(url).target
            let plan = try ClientPlan(self, profile: settings.name, web)
            return try await ProfileInit(plan, settings, for: target, run).perform()
        }
    }

    /// Runs a command and ends with its status.
    fileprivate func run(_ work: @escaping @Sendable (CommandRun) async throws -> ExitStatus) async throws {
        let diagnostics = Diagnostics(isSilent: silent, style: TerminalStyle(descriptor: 2), progress: nil)
        throw ExitCode(
            await CommandRun.run(
                diagnostics, limit: server.timeLimit,
                transcripts: { () throws(CommandFailure) in
                    try transcripts.files()
                }, work))
    }
}
