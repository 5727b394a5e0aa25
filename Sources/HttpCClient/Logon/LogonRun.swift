package import HttpC
package import HttpCTerminal
package import HttpConvLogon
package import HttpConvLogonScreens

/// The work of a command about a profile's logon.
package struct LogonRun: Sendable {
    package let shared: SharedLogon
    package let diagnostics: Diagnostics
    private let profile: Profile
    private let passcode: SecretSource?
    package let given: GivenSettings

    package var logon: Logon { shared.logon }
    /// The account, for messages.
    package var words: String { shared.words }

    /// - Parameters:
    ///   - target: the URL of the command line
    ///   - passcode: the source of the passcode, from the command line
    ///   - isFirst: whether the command may create the profile's first state, and add the account
    ///   - chooses: whether a person chooses the account
    package init(
        _ plan: ClientPlan, for target: TargetURL?, passcode: SecretSource?, isFirst: Bool, chooses: Bool,
        _ run: CommandRun
    ) async throws(CommandFailure) {
        profile = try Self.profile(of: plan, for: target)
        guard let mobile = profile.logon else {
            throw CommandFailure(
                .usage, "The profile \"\(profile.name)\" has no [profiles.\(profile.name).logon] with the application.")
        }
        given = GivenSettings(profile, plan.connection)
        self.passcode = passcode ?? mobile.passcode
        diagnostics = run.diagnostics
        let server = try mobile.server(of: profile, at: target)
        var client = try await Client(plan.connection, profile, for: server.map { [$0] } ?? [])
        for warning in client.warnings { diagnostics.message(warning) }
        client.configuration.observe(plan, of: profile, run.transcripts, diagnostics)
        let web = ProfileWeb(
            profile, plan.web, state: ProfileState(profile: profile.name), cookies: nil, diagnostics)
        let name = plan.account ?? mobile.account
        let choice: AccountChoice =
            if chooses {
                .asked { [profile, diagnostics] accounts throws(LogonError) in
                    let view = PreparedLogonView(profile, passcode: nil, diagnostics)
                    return try await LogonAccountsDialogue(accounts: accounts, view: view).choose()
                }
            } else if isFirst { .added(name) } else { .known(name) }
        shared = try await SharedLogon(profile, mobile, choice, client, web, at: target, isFirst: isFirst)
    }

    /// The profile with the logon.
    ///
    /// - Parameter target: the server for the registration. Without a profile's name, it also chooses the profile
    package static func profile(of plan: ClientPlan, for target: TargetURL?) throws(CommandFailure) -> Profile {
        try ProfileChoice.chooseLogin(
            plan.profile, for: plan.profile == nil ? target : nil,
            from: try ConfigurationFile.load(plan.configuration),
            table: "a logon"
        ) { $0.logon != nil }
    }

    /// Opens the vault with the key of another process, else with the passcode.
    ///
    /// - Parameter registering: whether it registers if there is no registration yet. If that fails, or no vault is
    ///   made, the registration and an account that was added for it are removed again
    package func open(registering: Bool = false) async throws {
        if !registering, await logon.state == .nothing { throw shared.notRegistered }
        do {
            try await shared.open { try await dialogue().run() }
        } catch {
            if registering { await withdraw() }
            throw error
        }
    }

    /// Removes a registration without a vault, which ends with this process, from the server.
    private func withdraw() async {
        // A cancelled task sends nothing.
        await Task {
            if await logon.state == .registered, (try? await logon.deleteUser()) != true {
                diagnostics.message(
                    "the server was not told, and still has the registration: its administrator can remove it.")
            }
            await shared.accounts.discard(shared.account.id)
        }.value
    }

    /// The dialogue with the person.
    ///
    /// - Parameter new: the source of a new passcode
    package func dialogue(new: SecretSource? = nil) async -> LogonDialogue {
        let isFirst = await logon.state == .nothing
        let view = PreparedLogonView(profile, passcode: passcode, new: isFirst ? passcode : new, diagnostics)
        return LogonDialogue(logon: logon, view: view)
    }
}
