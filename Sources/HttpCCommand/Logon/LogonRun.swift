import HttpC
import Logon

/// One run of a command about a profile's logon, from its arguments to the exit status.
struct LogonRun: Sendable {
    let shared: SharedLogon
    let diagnostics: Diagnostics
    private let profile: Profile
    private let passcode: PasswordSource?
    private let given: GivenSettings

    var logon: Logon { shared.logon }
    var name: String { profile.name }

    /// Runs a command and ends with its status.
    ///
    /// - Parameters:
    ///   - web: the options for login pages; by default the profile's settings
    ///   - isFirst: whether the command may create the profile's first state
    static func run(
        _ options: ProfileOptions, web: WebOptions? = nil, passcode: PasscodeOptions? = nil, isFirst: Bool = false,
        _ work: @escaping @Sendable (LogonRun) async throws -> Void
    ) async throws {
        try await CommandRun.run(options) {
            let run = try await LogonRun(options, web, passcode, isFirst: isFirst, $0, $1)
            do { try await work(run) } catch { throw CommandFailure(login: error, given: run.given) }
            try await run.shared.leaveSession()
        }
    }

    private init(
        _ options: ProfileOptions, _ web: WebOptions?, _ passcode: PasscodeOptions?, isFirst: Bool,
        _ diagnostics: Diagnostics, _ transcripts: TranscriptFiles
    ) async throws(CommandFailure) {
        let target = try options.url.map { text throws(CommandFailure) in try URLArgument(text).target }
        // The URL is the server for the registration. Without a profile's name, it also chooses the profile.
        profile = try ProfileChoice.chooseLogin(
            options.profile, for: options.profile == nil ? target : nil,
            from: try ConfigurationFile.load(options.config),
            table: "a logon"
        ) { $0.logon != nil }
        guard let mobile = profile.logon else {
            throw CommandFailure(
                .usage, "The profile \"\(profile.name)\" has no [profiles.\(profile.name).logon] with the application.")
        }
        given = GivenSettings(profile, options.server, options.certificate)
        self.passcode = passcode?.source ?? mobile.passcode
        self.diagnostics = diagnostics
        let server = try mobile.server(of: profile, at: target)
        var client = try await Client(options.server, options.certificate, profile, for: server.map { [$0] } ?? [])
        for warning in client.warnings { diagnostics.message(warning) }
        client.configuration.observe(options, of: profile, transcripts, diagnostics)
        let web = try ProfileWeb(
            profile, web, state: ProfileState(profile: profile.name), cookies: nil, diagnostics)
        shared = try SharedLogon(profile, mobile, client, web, at: target, isFirst: isFirst)
    }

    /// Opens the vault with the key of another process, else with the passcode. Registers if there is no registration
    /// yet.
    func open(registering: Bool = false) async throws {
        if !registering, await logon.state == .nothing { throw LogonDialogue.notRegistered(name) }
        try await shared.open { try await dialogue().run() }
    }

    /// The dialogue with the person.
    ///
    /// - Parameter new: the source of a new passcode
    func dialogue(new: PasswordSource? = nil) async -> LogonDialogue {
        let isFirst = await logon.state == .nothing
        return .prepared(for: logon, profile, passcode: passcode, new: isFirst ? passcode : new, diagnostics)
    }
}
