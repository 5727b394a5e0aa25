import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

/// Sequential conversations: the questions, the requests, and the caller's results.
@Suite("User name and password flow", .timeLimit(.minutes(1)))
struct UsernamePasswordFlowTests {
    private static let host = "http://127.0.0.1"

    private func staff(parameters: String = "", path: String = "/staff/") -> BasicServer {
        BasicServer(.init(name: "staff", path: path, octets: Array("alice:wonder".utf8), parameters: parameters))
    }

    // MARK: Providers

    @Test func theFirstProviderThatYieldsWins() async throws {
        let server = staff()
        let (first, second) = (CountingProvider(.none), CountingProvider("alice", "wonder"))
        let third = CountingProvider("bob", "other")
        let manager = HttpConversationManager.with(server.transport(), first, second, third)
        let response = try await manager.get("\(Self.host)/staff/x")
        #expect(response.text == "staff /staff/x")
        #expect(response.attempts.map(\.reason) == ["first", "challenge answered"])
        #expect((first.count, second.count, third.count) == (1, 1, 0))
        let challenge = try #require(second.asked.first)
        #expect((challenge.realm, challenge.previousFailureCount) == ("staff", 0))
        #expect(challenge.target.requestTarget == "/staff/x")
    }

    @Test func withoutAnAnswerTheCallerGetsThe401() async throws {
        let server = staff()
        let provider = CountingProvider(.none)
        let transport = server.transport()
        let response = try await HttpConversationManager.with(transport, provider).get("\(Self.host)/staff/x")
        #expect((response.status, response.text) == (.unauthorized, "no"))
        #expect((provider.count, transport.requests.count) == (1, 1))
        #expect(server.failedLogins.isEmpty)
    }

    @Test func withoutProvidersThereIsNoFilter() async throws {
        let server = staff()
        let manager = HttpConversationManager.with(server.transport())
        #expect(manager.configuration.challengeFilters.ids == [FlowID.proxyLogin])
        #expect(try await manager.get("\(Self.host)/staff/x").status == .unauthorized)
    }

    @Test func cancelEndsTheConversation() async throws {
        let (first, second) = (CountingProvider(.cancel), CountingProvider("alice", "wonder"))
        let manager = HttpConversationManager.with(staff().transport(), first, second)
        #expect(await failureCode { try await manager.get("\(Self.host)/staff/x") } == .cancelled)
        #expect(second.count == 0)
    }

    @Test func aFailingProviderFailsTheConversationWithItsError() async throws {
        let provider = CountingProvider { _, _ in throw ProviderFailure(text: "vault is locked") }
        let manager = HttpConversationManager.with(staff().transport(), provider)
        let error = await #expect(throws: ConversationError.self) { try await manager.get("\(Self.host)/staff/x") }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.underlyingError as? ProviderFailure == ProviderFailure(text: "vault is locked"))
        #expect(error?.challenge?.realm == "staff")
        // The failure is not remembered.
        _ = await #expect(throws: ConversationError.self) { try await manager.get("\(Self.host)/staff/x") }
        #expect(provider.count == 2)
    }

    @Test func aProvidersConversationErrorIsNotTakenForOnesOwn() async throws {
        let provider = CountingProvider { _, _ in throw ConversationError(.hostNotResolved, "the vault has no address")
        }
        let manager = HttpConversationManager.with(staff().transport(), provider)
        let error = await #expect(throws: ConversationError.self) { try await manager.get("\(Self.host)/staff/x") }
        #expect(error?.code == .authenticationFailed)
        #expect((error?.underlyingError as? ConversationError)?.code == .hostNotResolved)
    }

    @Test func aColonInTheUserNameIsAnErrorAndNothingIsSent() async throws {
        let transport = staff().transport()
        let manager = HttpConversationManager.with(transport, CountingProvider("al:ice", "wonder"))
        let error = await #expect(throws: ConversationError.self) { try await manager.get("\(Self.host)/staff/x") }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.message.contains("colon") == true)
        #expect(transport.requests.count == 1)
    }

    // MARK: Configurator

    @Test func configuringTwiceIsHarmlessAndTheFilterCanBeRemoved() async throws {
        let provider = CountingProvider("alice", "wrong")
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(provider)
        let manager = HttpConversationManager(transport: staff().transport())
        manager.update { configuration in
            configuration.apply(configurator)
            configuration.apply(configurator)
        }
        #expect(
            manager.configuration.challengeFilters.ids == [
                FlowID.proxyLogin, FlowID.usernamePassword, FlowID.proxyPassword,
            ])
        #expect(manager.configuration.session === configurator.session)
        _ = try await manager.get("\(Self.host)/staff/x")
        #expect(provider.count == 2)
        manager.update { $0.challengeFilters.remove(id: FlowID.usernamePassword) }
        #expect(try await manager.get("\(Self.host)/staff/x").status == .unauthorized)
        #expect(provider.count == 2)
    }

    @Test func managersOfOneConfiguratorAreOnePerson() async throws {
        let provider = CountingProvider("alice", "wonder")
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(provider)
        let server = staff()
        for _ in 0..<2 {
            let manager = HttpConversationManager(transport: server.transport())
            manager.update { $0.apply(configurator) }
            #expect(try await manager.get("\(Self.host)/staff/x").status == .ok)
        }
        #expect((provider.count, server.challengeCount) == (1, 1))
    }

    // MARK: Wrong passwords

    @Test func theSameWrongPasswordCostsOneFailedLogin() async throws {
        let server = staff()
        let provider = CountingProvider("alice", "wrong")
        let transport = server.transport()
        let response = try await HttpConversationManager.with(transport, provider).get("\(Self.host)/staff/x")
        #expect((response.status, response.text) == (.unauthorized, "no"))
        #expect(provider.asked.map(\.previousFailureCount) == [0, 1])
        #expect(server.failedLogins == [Array("alice:wrong".utf8)])
        #expect(transport.requests.count == 2)
    }

    @Test func anotherPasswordIsTried() async throws {
        let server = staff()
        let provider = CountingProvider { challenge, _ in
            let password = challenge.previousFailureCount == 0 ? "wrong" : "wonder"
            return .credential(UsernamePassword(username: "alice", password: password), persistence: .session)
        }
        let manager = HttpConversationManager.with(server.transport(), provider)
        #expect(try await manager.get("\(Self.host)/staff/x").status == .ok)
        #expect(try await manager.get("\(Self.host)/staff/y").status == .ok)
        #expect((provider.count, server.failedLogins.count) == (2, 1))
    }

    @Test func everDifferentWrongPasswordsEndInTooManyAttempts() async throws {
        let provider = CountingProvider { _, index in
            .credential(UsernamePassword(username: "alice", password: "wrong \(index)"), persistence: .session)
        }
        let manager = HttpConversationManager.with(staff().transport(), provider)
        let error = await #expect(throws: ConversationError.self) { try await manager.get("\(Self.host)/staff/x") }
        #expect(error?.code == .tooManyAttempts)
        #expect(error?.attempts.count == 10)
    }

    @Test func aPasswordThatChangedIsAskedForAgain() async throws {
        let (before, after) = (staff(), BasicServer(.init(name: "staff", path: "/", octets: Array("alice:new".utf8))))
        let transport = ScriptedTransport { request, index in (index < 2 ? before : after).answer(request) }
        let provider = CountingProvider { challenge, index in
            .credential(
                UsernamePassword(username: "alice", password: ["wonder", "new"][min(index, 1)]), persistence: .session)
        }
        let manager = HttpConversationManager.with(transport, provider)
        #expect(try await manager.get("\(Self.host)/staff/x").status == .ok)
        #expect(try await manager.get("\(Self.host)/staff/x").status == .ok)
        #expect(provider.asked.map(\.previousFailureCount) == [0, 1])
        #expect(after.failedLogins == [Array("alice:wonder".utf8)])
    }

    // MARK: Encodings

    @Test func aServerThatMeansUTF8WithoutSayingSoGetsItAtTheSecondTry() async throws {
        let server = BasicServer(.init(name: "staff", path: "/", octets: Array("jürgen:pässword".utf8)))
        let provider = CountingProvider("jürgen", "pässword")
        let manager = HttpConversationManager.with(server.transport(), provider)
        #expect(try await manager.get("\(Self.host)/x").status == .ok)
        #expect(try await manager.get("\(Self.host)/y").status == .ok)
        #expect((provider.count, server.failedLogins.count, server.challengeCount) == (1, 1, 2))
    }

    @Test func aServerThatAsksForUTF8GetsItAtOnce() async throws {
        let server = BasicServer(
            .init(name: "staff", path: "/", octets: Array("jürgen:p".utf8), parameters: ", charset=\"UTF-8\""))
        let manager = HttpConversationManager.with(server.transport(), CountingProvider("jürgen", "p"))
        #expect(try await manager.get("\(Self.host)/x").status == .ok)
        #expect(server.failedLogins.isEmpty)
    }

    @Test func aWrongPasswordBeyondASCIICostsTwoFailedLoginsAndNoMore() async throws {
        let server = staff()
        let provider = CountingProvider("alice", "wröng")
        let response = try await HttpConversationManager.with(server.transport(), provider).get("\(Self.host)/staff/x")
        #expect(response.status == .unauthorized)
        #expect(server.failedLogins == [Array("alice:wr".utf8) + [0xF6] + Array("ng".utf8), Array("alice:wröng".utf8)])
        #expect(provider.asked.map(\.previousFailureCount) == [0, 2])
    }

    // MARK: Sending ahead

    @Test func afterSuccessItIsSentAheadWithinItsSpaceOnly() async throws {
        let server = staff(path: "/staff/")
        let transport = server.transport()
        let manager = HttpConversationManager.with(transport, CountingProvider("alice", "wonder"))
        _ = try await manager.get("\(Self.host)/staff/a/x")
        for path in ["/staff/a/y", "/staff/a/b/c", "/staff/ab", "/open", "/staff/a/../../open"] {
            _ = try await manager.get("\(Self.host)\(path)")
        }
        _ = try await manager.get("http://127.0.0.2/staff/a/x")
        let sent = transport.requests.map { ("\($0.target.requestTarget)", $0.headerFields[.authorization] != nil) }
        let expected = [
            ("/staff/a/x", false), ("/staff/a/x", true), ("/staff/a/y", true), ("/staff/a/b/c", true),
            // Not below the learned directory: challenged first, then learned.
            ("/staff/ab", false), ("/staff/ab", true),
            // The other paths and the other origin get their requests without the credential.
            ("/open", false), ("/staff/a/../../open", false), ("/staff/a/../../open", true),
            ("/staff/a/x", false), ("/staff/a/x", true),
        ]
        #expect(sent.map(\.0) == expected.map(\.0))
        #expect(sent.map(\.1) == expected.map(\.1))
    }

    @Test func aSecondDirectoryOfTheRealmIsLearned() async throws {
        let server = staff(path: "/")
        let provider = CountingProvider("alice", "wonder")
        let manager = HttpConversationManager.with(server.transport(), provider)
        for path in ["/a/x", "/b/x", "/a/y", "/b/y"] { _ = try await manager.get("\(Self.host)\(path)") }
        #expect((server.challengeCount, provider.count) == (2, 1))
    }

    @Test func forTheConversationOnlyMeansThat() async throws {
        let server = staff()
        let provider = CountingProvider("alice", "wonder", .conversation)
        let manager = HttpConversationManager.with(server.transport(), provider)
        for _ in 0..<2 { #expect(try await manager.get("\(Self.host)/staff/x").status == .ok) }
        #expect((provider.count, server.challengeCount) == (2, 2))
    }

    @Test func nothingCrossesSessions() async throws {
        let server = staff()
        let transport = server.transport()
        let (first, second) = (CountingProvider("alice", "wonder"), CountingProvider(.none))
        _ = try await HttpConversationManager.with(transport, first).get("\(Self.host)/staff/x")
        let other = try await HttpConversationManager.with(transport, second).get("\(Self.host)/staff/x")
        #expect((other.status, second.count) == (.unauthorized, 1))
        #expect(transport.requests.last?.headerFields[.authorization] == nil)
    }

    @Test func aChainOverTwoOriginsLogsInAtTheHopThatAsked() async throws {
        let first = staff()
        let second = DigestServer("alice", "wonder", .init(realm: "archive"))
        let transport = ScriptedTransport { request, _ in
            if request.target.origin.host == "127.0.0.2" { return second.answer(request) }
            let failures = first.challengeCount
            let answer = first.answer(request)
            return first.challengeCount > failures
                ? answer : .init(.temporaryRedirect, [.location: "http://127.0.0.2/staff/doc"])
        }
        let provider = CountingProvider(servesAll: true) { _, _ in
            .credential(UsernamePassword(username: "alice", password: "wonder"), persistence: .session)
        }
        let response = try await HttpConversationManager.with(transport, provider).get("\(Self.host)/staff/x")
        #expect(response.text == "for alice: /staff/doc")
        #expect(provider.asked.map(\.realm) == ["staff", "archive"])
        let sent = transport.requests.map { request in
            let scheme = request.headerFields[.authorization]?.split(separator: " ").first
            return "\(request.target.origin.host) \(scheme ?? "-")"
        }
        #expect(sent == ["127.0.0.1 -", "127.0.0.1 Basic", "127.0.0.2 -", "127.0.0.2 Digest"])
    }

    // MARK: In the clear

    @Test(arguments: [
        ("http://intranet.example", true), ("https://intranet.example", false), ("http://127.0.0.1", false),
        ("http://localhost:8080", false), ("http://[::1]", false), ("http://127.0.0.1.example", true),
    ])
    func basicInTheClearIsWarnedAbout(_ origin: String, _ isWarned: Bool) async throws {
        let observer = RecordingObserver()
        let manager = HttpConversationManager.with(staff().transport(), CountingProvider("alice", "wonder"))
        manager.update { $0.observers.add(observer) }
        #expect(try await manager.get("\(origin)/staff/x").status == .ok)
        let warnings = observer.logins.compactMap { if case .passwordInTheClear(let space) = $0 { space } else { nil } }
        #expect(warnings.map(\.realm) == (isWarned ? ["staff"] : []))
        #expect(observer.violations.isEmpty)
    }
}
