import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// Questions for passwords share the screen with other interactions, and see the caller's values in the context.
@Suite("Turns of password questions", .timeLimit(.minutes(1)))
struct QuestionTurnTests {
    private static func login() -> ProvidedCredential {
        .credential(UsernamePassword(username: "alice", password: "wonder"), persistence: .session)
    }

    /// Asks for a login for each realm, which is the path.
    private static func server() -> ScriptedTransport {
        ScriptedTransport { request, _ in
            request.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"\(request.target.path)\""]) : .init(.ok)
        }
    }

    private static func manager(
        _ multiplexer: UserInteractionMultiplexer, _ provider: some UsernamePasswordProvider
    ) -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        configurator.multiplexer = multiplexer
        configurator.add(provider)
        return HttpConversationManager(transport: server(), configurator)
    }

    @Test func aQuestionWaitsForTheLoginOnScreen() async throws {
        let (multiplexer, gate) = (UserInteractionMultiplexer(), Gate())
        let provider = CountingProvider { _, _ in Self.login() }
        let manager = Self.manager(multiplexer, provider)
        async let login: Void = multiplexer.perform("a web login") { await gate.pass() }
        while await multiplexer.waiterCount("a web login", Void.self) == 0 { await Task.yield() }
        async let response = manager.get("https://a.example/x")
        while await multiplexer.queueLength == 0 { await Task.yield() }
        #expect(provider.count == 0)
        gate.open()
        #expect(try await response.status == .ok)
        try await login
        #expect(provider.count == 1)
    }

    @Test func twoQuestionsAreAskedOneAfterTheOther() async throws {
        let (multiplexer, gate) = (UserInteractionMultiplexer(), Gate())
        let provider = CountingProvider { _, _ in
            await gate.pass()
            return Self.login()
        }
        let manager = Self.manager(multiplexer, provider)
        async let responses = manager.getAll((0..<5).map { "https://a.example/\($0)/x" })
        while await multiplexer.queueLength < 4 { await Task.yield() }
        while provider.count == 0 { await Task.yield() }
        #expect(provider.count == 1)
        gate.open()
        #expect(try await responses.allSatisfy { try $0.get().status == .ok })
        #expect((provider.count, provider.peak) == (5, 1))
    }

    /// A provider that asks nobody does not wait for the screen.
    @Test func whatIsKnownBeforehandDoesNotWait() async throws {
        let (multiplexer, gate) = (UserInteractionMultiplexer(), Gate())
        let manager = Self.manager(multiplexer, StaticCredentialProvider(username: "alice", password: "wonder"))
        async let login: Void = multiplexer.perform("a web login") { await gate.pass() }
        while await multiplexer.waiterCount("a web login", Void.self) == 0 { await Task.yield() }
        #expect(try await manager.get("https://a.example/x").status == .ok)
        gate.open()
        try await login
    }

    /// A page of the login on screen asks for a password, while the same question waits for the screen.
    @Test func aPageOfTheLoginOnScreenIsAnswered() async throws {
        let (multiplexer, gate) = (UserInteractionMultiplexer(), Gate())
        let provider = CountingProvider { _, _ in Self.login() }
        let manager = Self.manager(multiplexer, provider)
        async let login = multiplexer.perform("a web login") {
            await gate.pass()
            return try await manager.get("https://a.example/x").status
        }
        while await multiplexer.waiterCount("a web login", HTTPResponse.Status.self) == 0 { await Task.yield() }
        async let response = manager.get("https://a.example/x")
        while await multiplexer.queueLength == 0 { await Task.yield() }
        gate.open()
        #expect(try await login == .ok)
        #expect(try await response.status == .ok)
    }

    // MARK: The context

    private enum Window: ConversationContextKey { typealias Value = String }

    @Test func providersFindWhatTheCallerPutIn() async throws {
        let provider = CountingProvider { challenge, _ in
            #expect(challenge.context[Window.self] == "main")
            return Self.login()
        }
        let manager = Self.manager(UserInteractionMultiplexer(), provider)
        let response = try await manager.data(for: HTTPRequest(.get, "https://a.example/x")) {
            $0[Window.self] = "main"
        }
        #expect(response.status == .ok)
        #expect(provider.count == 1)
    }

    @Test func providersOfConfigurationsFindItToo() async throws {
        struct Provider: SAML2ConfigProvider, OTPConfigProvider {
            let seen: Box<Set<String>>

            func saml2Config(for target: TargetURL) async throws -> SAML2Config? { nil }
            func otpConfig(for target: TargetURL) async throws -> OTPConfig? { nil }
            func saml2Config(for target: TargetURL, in context: ConversationContext) async throws -> SAML2Config? {
                seen.update { $0.insert("saml2 \(context[Window.self] ?? "nothing")") }
                return nil
            }
            func otpConfig(for target: TargetURL, in context: ConversationContext) async throws -> OTPConfig? {
                seen.update { $0.insert("otp \(context[Window.self] ?? "nothing")") }
                return nil
            }
        }
        let seen = Box<Set<String>>([])
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(saml2: Provider(seen: seen))
        configurator.add(otp: Provider(seen: seen))
        let transport = ScriptedTransport { _, index in index == 0 ? .init(.found, [.location: "/x"]) : .init(.ok) }
        let manager = HttpConversationManager(transport: transport)
        manager.update { $0.apply(configurator) }
        _ = try await manager.data(for: HTTPRequest(.get, "https://a.example/")) { $0[Window.self] = "main" }
        #expect(seen.value == ["saml2 main", "otp main"])
    }
}
