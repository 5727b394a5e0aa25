package import HttpC
package import HttpCTerminal
package import HttpConvLogon
package import HttpConvLogonScreens

/// The work of a command about a profile's logon.
package struct LogonRun: Sendable {
    package let shared: SharedLogon
    package let diagnostics: Diagnostics
    private let profile: Profile
    private let passcode: PasswordSource?
    package let given: GivenSettings

    package var logon: Logon { shared.logon }
    package var name: String { profile.name }

    /// - Parameters:
    ///   - target: the URL of the command line
    ///   - passcode: the source of the passcode, from the command line
    ///   - isFirst: whether the command may create the profile's first state
    package init(
        _ plan: ClientPlan, for target: TargetURL?, passcode: PasswordSource?, isFirst: Bool, _ run: CommandRun
    ) async throws(CommandFailure) {
        // The URL is the server for the registration. Without a profile's name, it also chooses the profile.
        profile = try ProfileChoice.chooseLogin(
            plan.profile, for: plan.profile == nil ? target : nil,
            from: try ConfigurationFile.load(plan.configuration),
            table: "a logon"
        ) { $0.logon != nil }
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
        shared = try SharedLogon(profile, mobile, client, web, at: target, isFirst: isFirst)
    }

    /// Opens the vault with the key of another process, else with the passcode. Registers if there is no registration
    /// yet.
    package func open(registering: Bool = false) async throws {
        if !registering, await logon.state == .nothing { throw LogonDialogue.notRegistered(name) }
        try await shared.open { try await dialogue().run() }
    }

    /// The dialogue with the person.
    ///
    /// - Parameter new: the source of a new passcode
    package func dialogue(new: PasswordSource? = nil) async -> LogonDialogue {
        let isFirst = await logon.state == .nothing
        return .prepared(for: logon, profile, passcode: passcode, new: isFirst ? passcode : new, diagnostics)
    }
}
