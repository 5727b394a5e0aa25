import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import TestSupport
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: nothing prints a token", .timeLimit(.minutes(1)))
struct OAuth2RedactionTests {
    private static let canary = "canary-3f9a"

    private func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [String(describing: value), String(reflecting: value), "\(value)", dumped]
    }

    @Test func values() async throws {
        let canary = Self.canary
        let tokens = OAuth2Tokens(accessToken: canary, refreshToken: canary, idToken: canary)
        let grant = try AuthorizationCodeGrant(
            authorizationEndpoint: "https://a.example/", redirectURI: "com.example.app:/cb")
        let configuration = try OAuth2Configuration(
            clientID: "native", authentication: .basic(secret: canary), tokenEndpoint: "https://a.example/t",
            grant: .password(UsernamePassword(username: "alice", password: canary)))
        let request = try OAuth2AuthorizationRequest.made(configuration, grant)
        let storage = InMemoryTokenStorage()
        let key = OAuth2TokenKey(storageURL: try TargetURL("https://a.example/"), supportName: "x")
        try await storage.save(tokens, for: key)
        var configurator = CommonAuthenticationConfigurator()
        configurator.tokenStorage = storage
        configurator.add(
            oauth2: try ConfiguredOAuth2ServerSupport(name: "x", tokenOrigins: [], configuration: configuration))
        var progress = OAuth2Progress()
        progress.sent = SentTokens(key: key, tokens: tokens, target: key.storageURL)
        progress.noteChallenge(key, at: .now)
        progress.sent = SentTokens(key: key, tokens: tokens, target: key.storageURL)
        let answer = OAuth2AuthorizationAnswer(url: "app:/cb?code=\(canary)", redirectURI: request.redirectURI)
        let values: [Any] = [
            tokens, configuration, DPoPKey(), OAuth2Tokens(accessToken: canary, dpopKey: DPoPKey()),
            OAuth2ClientAuthentication.post(secret: canary), storage, configurator, progress,
            answer,
            configurator.tokenManager, Renewal.tokens(tokens), ProofKey(verifier: canary),
            try #require(
                HttpConversationManager.Configuration.applying(configurator).requestFilters.all(of: OAuth2Filter.self)
                    .first),
        ]
        for value in values { for text in texts(value) { #expect(!text.contains(canary), "\(type(of: value))") } }
        for text in texts(request) {
            #expect(!text.contains(request.state.value))
            #expect(!text.contains(request.proof.verifier.value))
        }
    }

    /// The traces of a conversation with a refresh, a login and an error, at every log level.
    @Test(arguments: [true, false]) func conversations(succeeds: Bool) async throws {
        let canary = Self.canary
        let bench = try OAuth2Bench(
            web: ScriptedOAuth2WebStrategy(code: "code-\(canary)"), authentication: .basic(secret: "secret-\(canary)"))
        try await bench.store("access-\(canary)", "refresh-\(canary)", isValid: false)
        bench.server.override { form in
            if form["grant_type"] == "refresh_token" {
                return TokenServer.json(
                    "{\"error\":\"invalid_grant\",\"error_description\":\"\(form["refresh_token"] ?? "") unknown\"}",
                    .badRequest)
            }
            return succeeds ? nil : TokenServer.json("{\"access_token\":\"\(canary)\",\"token_type\":\"mac\"}")
        }
        let observer = RecordingObserver()
        let log = CollectedLog()
        bench.manager.update { configuration in
            configuration.observers.add(observer)
            configuration.logger = log.logger
        }
        var texts: [String] = []
        do { texts += self.texts(try await bench.get().head) } catch { texts += self.texts(error) }
        texts += observer.events.flatMap { self.texts($0) } + log.lines
        // The positive control: the server got all of the secrets.
        let sent = bench.server.now.forms.flatMap(\.values) + bench.server.now.calls.compactMap(\.authorization)
        #expect(sent.contains("refresh-\(canary)"))
        #expect(sent.contains("code-\(canary)"))
        #expect(sent.contains("Bearer access-\(canary)"))
        #expect(log.lines.count > 5)
        for form in [canary, "Y2FuYXJ5LTNmOWE", "canary%2D3f9a"] {
            #expect(!texts.contains { $0.contains(form) }, "\(texts.first { $0.contains(form) } ?? "")")
        }
    }
}

extension HttpConversationManager.Configuration {
    static func applying(_ configurator: some ManagerConfigurator) -> Self {
        var configuration = Self()
        configuration.apply(configurator)
        return configuration
    }
}
