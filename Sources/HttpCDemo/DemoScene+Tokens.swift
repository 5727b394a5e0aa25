import HttpC
import TestLandscape

/// Scenes with OAuth2.
extension DemoScene {
    static let tokens: [DemoScene] = [
        DemoScene(
            name: "machine", title: "OAuth2 for a machine",
            explanation: "client credentials: the client logs in for itself",
            play: machine),
        DemoScene(
            name: "password-grant", title: "OAuth2 by password",
            explanation: "the client sends the password, once; then there are tokens",
            play: password),
        DemoScene(
            name: "browser", title: "OAuth2 in the browser",
            explanation: "authorization code with PKCE: somebody logs in at the server, a listener takes the answer",
            play: code),
        DemoScene(
            name: "device", title: "OAuth2 on another device",
            explanation: "a code on the screen, the login on a telephone",
            play: device),
        DemoScene(
            name: "exchange", title: "OAuth2 in a person's name",
            explanation: "token exchange: a service got alice's token, and asks another service in her name",
            play: exchange),
        DemoScene(
            name: "assertion", title: "OAuth2 by a SAML assertion",
            explanation: "the application brings an assertion about alice and gets tokens",
            play: assertion),
        DemoScene(
            name: "bound", title: "OAuth2 with a key",
            explanation: "DPoP: each request proves that we have the key of the token",
            play: bound),
        DemoScene(
            name: "step-up", title: "OAuth2, and a server that wants more",
            explanation: "the token is good, but the server demands a login of another class",
            play: stepUp),
        DemoScene(
            name: "one-refresh", title: "50 at once, one refresh",
            explanation: "all have an access token that the server ended",
            isCrowd: true, play: refresh),
    ]

    private static func machine(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let before = stage.landscape.oauthCounters
        let manager = try stage.manager(
            timeline, .secure, client: "machine", .basic(secret: "machine-secret"), grant: .clientCredentials)
        let client = try await twice(manager, stage, .secure, "client")
        try DemoFailure.unless(client == "machine", "the server took us for \(client)")
        return try asked(before, stage, "client_credentials", "the server knows \(client), the second request took one")
    }

    private static func password(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let before = stage.landscape.oauthCounters
        let login = UsernamePassword(username: "alice", password: "wonderland")
        let manager = try stage.manager(timeline, .secure, client: "native", grant: .password(login))
        let user = try await twice(manager, stage, .secure, "user")
        try DemoFailure.unless(user == "alice", "the server took us for \(user)")
        return try asked(before, stage, "password", "the server knows \(user), the password was sent once")
    }

    private static func code(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let before = stage.landscape.oauthCounters
        let manager = try stage.manager(
            timeline, .main, client: "native", scopes: ["openid", "read"], grant: .authorizationCode())
        let user = try await twice(manager, stage, .main, "user")
        try DemoFailure.unless(user == "alice", "the server took us for \(user)")
        return try asked(before, stage, "authorization_code", "the server knows \(user), who logged in once")
    }

    private static func device(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let before = stage.landscape.oauthCounters
        let person = DemoPerson(over: stage.transport, observer: timeline)
        let manager = try stage.manager(timeline, .main, client: "tv", grant: .deviceAuthorization(person))
        let user = try await twice(manager, stage, .main, "user")
        try DemoFailure.unless(user == "alice", "the server took us for \(user)")
        return try asked(
            before, stage, "urn:ietf:params:oauth:grant-type:device_code", "\(user) allowed it on the other device")
    }

    private static func exchange(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        guard let incoming = stage.landscape.issueTokens(client: "native", origin: .secure) else {
            throw DemoFailure("the server knows no client of that name")
        }
        let before = stage.landscape.oauthCounters
        let exchange = TokenExchangeGrant(
            subject: .init(.accessToken) { _ in incoming.accessToken }, audiences: ["orders"])
        let manager = try stage.manager(
            timeline, .secure, client: "service", .basic(secret: "service-secret"), grant: .tokenExchange(exchange))
        let user = try await twice(manager, stage, .secure, "user")
        try DemoFailure.unless(user == "alice", "the server took us for \(user)")
        return try asked(
            before, stage, "urn:ietf:params:oauth:grant-type:token-exchange", "the service asks in the name of \(user)")
    }

    private static func assertion(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let before = stage.landscape.oauthCounters
        let landscape = stage.landscape
        let source = OAuth2AssertionSource { _ in try landscape.samlAssertion(origin: .secure) }
        let manager = try stage.manager(
            timeline, .secure, client: "service", .basic(secret: "service-secret"), grant: .saml2Bearer(source))
        let user = try await twice(manager, stage, .secure, "user")
        try DemoFailure.unless(user == "alice", "the server took us for \(user)")
        return try asked(
            before, stage, "urn:ietf:params:oauth:grant-type:saml2-bearer", "the assertion was about \(user)")
    }

    private static func bound(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let before = stage.landscape.oauthCounters
        let login = UsernamePassword(username: "alice", password: "wonderland")
        let manager = try stage.manager(
            timeline, .secure, client: "native", grant: .password(login), usesDPoP: true)
        let user = try await twice(manager, stage, .secure, "user")
        let asBearer = stage.landscape.oauthCounters.boundTokensAsBearer - before.boundTokensAsBearer
        try DemoFailure.unless(asBearer == 0, "a bound token came without its proof")
        return try asked(before, stage, "password", "the token of \(user) is of use to nobody else")
    }

    private static func stepUp(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let before = stage.landscape.oauthCounters
        let manager = try stage.manager(
            timeline, .main, client: "native", scopes: ["openid", "read"], grant: .authorizationCode())
        _ = try await manager.data(for: stage.request(.main, "/api/first"))
        let response = try await manager.data(for: stage.request(.main, "/api/acr/gold"))
        try DemoFailure.unless(response.status == .ok, "the status is \(response.status.code)")
        let logins = stage.landscape.oauthCounters.logins - before.logins
        try DemoFailure.unless(logins == 2, "the server counts \(logins) logins")
        return "one more login, of the class \(try DemoStage.member("acr", of: response))"
    }

    private static func refresh(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let login = UsernamePassword(username: "alice", password: "wonderland")
        let manager = try stage.manager(timeline, .main, client: "native", grant: .password(login))
        _ = try await manager.data(for: stage.request(.main, "/api/crowd"))
        stage.landscape.expireAccessTokens()
        let before = stage.landscape.oauthCounters
        let requests = try (0..<50).map { try stage.request(.main, "/api/crowd/\($0)") }
        let good = await withTaskGroup(of: Bool.self) { group in
            for request in requests {
                group.addTask { (try? await manager.data(for: request))?.status == .ok }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let refreshes = stage.landscape.oauthCounters.refreshes - before.refreshes
        try DemoFailure.unless(good == requests.count, "\(good) of \(requests.count) got their page")
        try DemoFailure.unless(refreshes == 1, "the server counts \(refreshes) refreshes")
        return "\(good) pages, one refresh"
    }

    // MARK: Checks

    /// Sends two requests. The second one must need a single exchange.
    private static func twice(
        _ manager: HttpConversationManager, _ stage: DemoStage, _ origin: LandscapeOrigin, _ member: String
    ) async throws -> String {
        let first = try await manager.data(for: stage.request(origin, "/api/first"))
        try DemoFailure.unless(first.status == .ok, "the status is \(first.status.code)")
        let second = try await manager.data(for: stage.request(origin, "/api/second"))
        try DemoFailure.unless(second.attempts.count == 1, "the second request was challenged")
        return try DemoStage.member(member, of: second)
    }

    private static func asked(
        _ before: OAuthCounters, _ stage: DemoStage, _ grant: String, _ text: String
    ) throws(DemoFailure) -> String {
        let count = (stage.landscape.oauthCounters.grants[grant] ?? 0) - (before.grants[grant] ?? 0)
        try DemoFailure.unless(count == 1, "the server counts \(count) grants")
        return text
    }
}
