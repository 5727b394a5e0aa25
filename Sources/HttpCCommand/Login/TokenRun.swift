import Foundation
import HttpC
import HttpConvVaultStorage

/// One run of `login`, `logout` or `tokens --access-token`, from its arguments to the exit status.
struct TokenRun: Sendable {
    let login: ProfileLogin
    /// The URL for the token manager: the command line's, else one of the profile's match.
    let url: TargetURL
    /// The profile's state.
    let state: ProfileState
    let diagnostics: Diagnostics
    private let options: ProfileOptions
    private let web: WebOptions?
    private let transcripts: TranscriptFiles

    /// Runs a command and ends with its status.
    ///
    /// - Parameters:
    ///   - grant: the grant that replaces the profile's
    ///   - web: the options for login pages; by default the profile's settings
    static func run(
        _ options: ProfileOptions, grant: OAuth2Login.Grant? = nil, web: WebOptions? = nil,
        _ work: @escaping @Sendable (TokenRun) async throws -> Void
    ) async throws {
        try await CommandRun.run(options) {
            let run = try TokenRun(options, grant, web, $0, $1)
            do { try await work(run) } catch { throw CommandFailure(login: error, given: run.given) }
        }
    }

    private init(
        _ options: ProfileOptions, _ grant: OAuth2Login.Grant?, _ web: WebOptions?, _ diagnostics: Diagnostics,
        _ transcripts: TranscriptFiles
    ) throws(CommandFailure) {
        let target = try options.url.map { text throws(CommandFailure) in try URLArgument(text).target }
        let profile = try ProfileChoice.chooseLogin(
            options.profile, for: target, from: try ConfigurationFile.load(options.config))
        guard let oauth2 = profile.oauth2 else {
            throw CommandFailure(
                .usage, "The profile \"\(profile.name)\" has no [profiles.\(profile.name).oauth2]: it needs no tokens.")
        }
        login = try ProfileLogin(
            profile, oauth2, grant: grant, certificate: CertificateFile(options.certificate), diagnostics)
        let place = target ?? login.support.target
        guard login.support.isSupportedEndpoint(place) else {
            throw CommandFailure(
                .usage, "\(place) is outside the match and token-origins of the profile \"\(profile.name)\".")
        }
        url = place
        state = ProfileState(profile: profile.name)
        self.options = options
        self.web = web
        self.transcripts = transcripts
        self.diagnostics = diagnostics
    }

    /// The settings that no advice repeats.
    var given: GivenSettings { GivenSettings(login.profile, options.server, options.certificate) }

    /// A manager for the server, and the profile's tokens.
    func connect(
        _ storage: VaultTokenStorage
    ) async throws(CommandFailure) -> (HttpConversationManager, OAuth2TokenManager) {
        if options.server.unixSocket != nil, !login.login.servers.contains(url.origin) {
            throw CommandFailure(
                .usage,
                "--unix-socket is for \(url.origin), and the login asks other servers: it would reach none of them.")
        }
        var client = try await Client(options.server, options.certificate, login.profile, for: [url])
        for warning in client.warnings { diagnostics.message(warning) }
        client.configuration.observe(options, of: login.profile, transcripts, diagnostics)
        var configurator = CommonAuthenticationConfigurator()
        login.configure(&configurator, storage: storage)
        try ProfileWeb(login.profile, web, state: state, cookies: nil, diagnostics)
            .configure(&configurator)
        // Its requests have none of the flows' filters, but connect like any other, and a proxy's challenge is still
        // answered.
        return (client.manager, configurator.tokenManager)
    }
}
