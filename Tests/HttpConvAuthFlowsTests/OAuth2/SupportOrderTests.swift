import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import Testing

/// Server supports are asked in order of addition: the first that recognises a challenge counts, and the second is not
/// asked.
@Suite("OAuth2: order of server supports", .timeLimit(.minutes(1)))
struct SupportOrderTests {
    private struct Support: OAuth2ServerSupport {
        let name: String
        let tokenOrigins: Set<Origin>
        let claims: Bool
        let recognises: Bool
        let asked: Box<[String]>

        init(_ name: String, claims: Bool = true, recognises: Bool = true, _ asked: Box<[String]>) throws {
            self.name = name
            self.claims = claims
            self.recognises = recognises
            self.asked = asked
            tokenOrigins = [try Origin(scheme: .https, host: "api.example.com")]
        }

        func isSupportedEndpoint(_ url: TargetURL) -> Bool { claims }

        func recognizesChallenge(in challenge: OAuth2Challenge) async throws -> Bool {
            asked.update { $0.append("recognise \(name)") }
            return recognises
        }

        func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration {
            asked.update { $0.append("configure \(name)") }
            return try OAuth2Configuration(
                clientID: name, authentication: .basic(secret: "s"), tokenEndpoint: "https://auth.example.com/token",
                grant: .clientCredentials)
        }
    }

    /// Serves a server according to a directory's answer.
    private struct Asking: AsyncOAuth2ServerSupport {
        let base: Support
        let answer: Bool
        var name: String { base.name }
        var tokenOrigins: Set<Origin> { base.tokenOrigins }

        func isSupportedEndpoint(_ url: TargetURL) -> Bool { base.isSupportedEndpoint(url) }

        func isSupportedEndpoint(_ url: TargetURL, in context: ConversationContext) async throws -> Bool {
            await Task.yield()
            base.asked.update { $0.append("directory \(name)") }
            return answer
        }

        func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration {
            try await base.config(forChallenge: challenge)
        }
    }

    /// Sends a GET with these supports; returns the names under which tokens are stored afterwards.
    private func get(_ server: TokenServer, _ supports: [any OAuth2ServerSupport]) async throws -> [String] {
        let storage = InMemoryTokenStorage()
        var configurator = CommonAuthenticationConfigurator()
        configurator.tokenStorage = storage
        for support in supports { configurator.add(oauth2: support) }
        let manager = HttpConversationManager(transport: server.transport(), configurator)
        #expect(try await manager.get(TokenServer.api).text == "item for access-1")
        var stored: [String] = []
        let root = try TargetURL("https://api.example.com/")
        for support in supports {
            let key = OAuth2TokenKey(storageURL: root, supportName: support.name)
            if await storage.tokens(for: key) != nil { stored.append(support.name) }
        }
        return stored
    }

    /// With a Bearer challenge, and with one that only a support can recognise.
    @Test(arguments: [HTTPResponse.Status.unauthorized, .forbidden], [["a", "b"], ["b", "a"]])
    func theFirstThatRecognisesTheChallengeWins(status: HTTPResponse.Status, order: [String]) async throws {
        let server = TokenServer()
        server.update { $0.challenge = .init(status, status == .unauthorized ? [.wwwAuthenticate: "Bearer"] : [:]) }
        let asked = Box<[String]>([])
        let supports = try order.map { try Support($0, asked) }
        #expect(try await get(server, supports) == [order[0]])
        #expect(!asked.value.isEmpty)
        #expect(!asked.value.contains { $0.hasSuffix(order[1]) })
    }

    @Test(arguments: [true, false], [true, false])
    func aSupportMayAskWhetherItKnowsTheServer(claims: Bool, answer: Bool) async throws {
        let asked = Box<[String]>([])
        let asking = Asking(base: try Support("a", claims: claims, asked), answer: answer)
        let stored = try await get(TokenServer(), [asking, try Support("b", asked)])
        #expect(stored == [claims && answer ? "a" : "b"])
        // The directory is not asked if the synchronous check refuses.
        #expect(asked.value.contains("directory a") == claims)
    }

    @Test func whoClaimsNothingOrRecognisesNothingIsSkipped() async throws {
        let asked = Box<[String]>([])
        let supports = [
            try Support("elsewhere", claims: false, asked), try Support("blind", recognises: false, asked),
            try Support("right", asked), try Support("late", asked),
        ]
        #expect(try await get(TokenServer(), supports) == ["right"])
        #expect(asked.value == ["recognise blind", "recognise right", "configure right"])
    }
}
