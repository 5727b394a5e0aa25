import Foundation
import HttpC
import HttpConvVaultStorage

/// The work of `login`, `logout` and `tokens --access-token`: the profile, its tokens, and the servers of its login.
struct TokenRun: Sendable {
    let login: ProfileLogin
    /// The URL for the token manager: the command line's, else one of the profile's match.
    let url: TargetURL
    /// The profile's state.
    let state: ProfileState
    let diagnostics: Diagnostics
    private let plan: RequestPlan
    private let transcripts: TranscriptFiles

    /// - Parameter grant: the grant that replaces the profile's
    init(_ plan: RequestPlan, grant: OAuth2Login.Grant?, _ run: CommandRun) throws(CommandFailure) {
        let target = plan.urls.first?.target
        let profile = try ProfileChoice.chooseLogin(
            plan.profile, for: target, from: try ConfigurationFile.load(plan.configuration))
        guard let oauth2 = profile.oauth2 else {
            throw CommandFailure(
                .usage, "The profile \"\(profile.name)\" has no [profiles.\(profile.name).oauth2]: it needs no tokens.")
        }
        login = try ProfileLogin(
            profile, oauth2, grant: grant, certificate: plan.client.certificate, run.diagnostics)
        let place = target ?? login.support.target
        guard login.support.isSupportedEndpoint(place) else {
            throw CommandFailure(
                .usage, "\(place) is outside the match and token-origins of the profile \"\(profile.name)\".")
        }
        url = place
        state = ProfileState(profile: profile.name)
        self.plan = plan
        transcripts = run.transcripts
        diagnostics = run.diagnostics
    }

    /// The settings that no advice repeats.
    var given: GivenSettings { GivenSettings(login.profile, plan.client) }

    /// A manager for the server, and the profile's tokens.
    func connect(
        _ storage: VaultTokenStorage
    ) async throws(CommandFailure) -> (HttpConversationManager, OAuth2TokenManager) {
        if plan.client.unixSocket != nil, !login.login.servers.contains(url.origin) {
            throw CommandFailure(
                .usage,
                "--unix-socket is for \(url.origin), and the login asks other servers: it would reach none of them.")
        }
        var client = try await Client(plan.client, login.profile, for: [url])
        for warning in client.warnings { diagnostics.message(warning) }
        client.configuration.observe(plan, of: login.profile, transcripts, diagnostics)
        var configurator = CommonAuthenticationConfigurator()
        login.configure(&configurator, storage: storage)
        ProfileWeb(login.profile, plan.web, state: state, cookies: nil, diagnostics)
            .configure(&configurator)
        // Its requests have none of the flows' filters, but connect like any other, and a proxy's challenge is still
        // answered.
        return (client.manager, configurator.tokenManager)
    }
}
