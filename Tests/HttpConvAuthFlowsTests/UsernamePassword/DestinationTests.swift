import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// The servers that a password is for (security rule S7).
@Suite("Whom a password is for", .timeLimit(.minutes(1)))
struct DestinationTests {
    enum Scheme: String, CaseIterable, Sendable { case basic, digest }

    /// `/to?URL` redirects to the URL; everything else asks for a login.
    private static func world(_ scheme: Scheme = .basic) -> ScriptedTransport {
        let challenge = scheme == .basic ? "Basic realm=\"r\"" : "Digest realm=\"r\", nonce=\"n\", qop=auth"
        return ScriptedTransport { request, _ in
            if request.target.path == "/to", let location = request.target.query {
                return .init(.found, [.location: String(location)])
            }
            return request.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: challenge]) : .init(.ok)
        }
    }

    private static func origin(_ text: String) throws -> Origin { try TargetURL(text).origin }

    /// For each request to a URL, whether it carried a password.
    private static func arrived(_ transport: ScriptedTransport, at url: String) -> [Bool] {
        transport.requests.filter { $0.target.absoluteString == url }.map { $0.headerFields[.authorization] != nil }
    }

    private static let alice = StaticCredentialProvider(username: "alice", password: "wonder")

    // MARK: Redirects

    @Test(
        arguments: [
            ("https://a.example", "https://a.example", true), ("http://127.0.0.1:80", "http://127.0.0.1:80", true),
            ("http://a.example", "https://a.example", true), ("http://a.example:8080", "https://a.example:8443", true),
            ("https://a.example", "https://b.example", false), ("https://a.example", "https://a.example:444", false),
            ("http://a.example", "http://a.example:81", false), ("http://127.0.0.1:1", "http://127.0.0.1:2", false),
            ("https://a.example", "https://b.a.example", false),
        ], Scheme.allCases)
    func whatARedirectLedToGetsNothing(_ hop: (from: String, to: String, isSent: Bool), _ scheme: Scheme) async throws {
        for isOwn in [false, true] {
            let transport = Self.world(scheme)
            let provider = CountingProvider("alice", "wonder")
            let manager =
                isOwn
                ? HttpConversationManager.with(transport, provider)
                : HttpConversationManager.with(transport, Self.alice)
            let place = try TargetURL("\(hop.to)/private").absoluteString
            let response = try await manager.get("\(hop.from)/to?\(place)")
            #expect(response.status == (hop.isSent ? .ok : .unauthorized))
            #expect(Self.arrived(transport, at: place) == (hop.isSent ? [false, true] : [false]))
            if isOwn { #expect(provider.count == (hop.isSent ? 1 : 0)) }
        }
    }

    @Test(arguments: Scheme.allCases) func aProviderAnswersTheOriginsItWasMadeFor(_ scheme: Scheme) async throws {
        let transport = Self.world(scheme)
        let provider = try StaticCredentialProvider(
            username: "alice", password: "wonder",
            for: [try Self.origin("https://b.example"), try Self.origin("http://127.0.0.1:8080")])
        let manager = HttpConversationManager.with(transport, provider)
        for (url, isSent) in [
            ("https://b.example/x", true), ("https://127.0.0.1/x", true), ("https://c.example/x", false),
            ("http://b.example/x", false),
        ] {
            manager.configuration.session.removeCredentials()
            manager.update { $0.redirects.allowsDowngrade = true }
            _ = try await manager.get("https://a.example/to?\(url)")
            #expect(Self.arrived(transport, at: url) == (isSent ? [false, true] : [false]), "\(url)")
        }
        // Not even the caller's own server gets a password for others.
        #expect(try await manager.get("https://a.example/x").status == .unauthorized)
        #expect(Self.arrived(transport, at: "https://a.example/x") == [false])
    }

    @Test func aProviderMaySayThatItServesOthers() async throws {
        struct Vault: UsernamePasswordProvider {
            func serves(_ destination: CredentialDestination) -> Bool { destination.target.origin.host != "c.example" }
            func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
                .credential(UsernamePassword(username: "alice", password: "wonder"), persistence: .session)
            }
        }
        let transport = Self.world()
        let manager = HttpConversationManager.with(transport, Vault())
        #expect(try await manager.get("https://a.example/to?https://b.example/x").status == .ok)
        #expect(try await manager.get("https://a.example/to?https://c.example/x").status == .unauthorized)
        #expect(Self.arrived(transport, at: "https://c.example/x") == [false])
    }

    @Test func onlyThoseAreAskedWhoServeIt() async throws {
        let (own, second) = (CountingProvider("alice", "wonder"), CountingProvider("alice", "wonder"))
        let named = try StaticCredentialProvider(
            username: "bob", password: "builder", for: [try Self.origin("https://b.example")])
        let transport = Self.world()
        let manager = HttpConversationManager.with(transport, own, named, second)
        #expect(try await manager.get("https://a.example/to?https://b.example/x").status == .ok)
        #expect((own.count, second.count) == (0, 0))
        #expect(transport.requests.last?.headerFields[.authorization] == "Basic Ym9iOmJ1aWxkZXI=")
    }

    // MARK: Known credentials

    /// A person logged in at b.example; a redirect from elsewhere does not use that login.
    @Test(arguments: Scheme.allCases) func whatWasAcceptedBeforeObeysTheSameRule(_ scheme: Scheme) async throws {
        let transport = Self.world(scheme)
        let observer = RecordingObserver()
        let manager = HttpConversationManager.with(transport, Self.alice)
        manager.update { $0.observers.add(observer) }
        let place = "https://b.example/x"
        #expect(try await manager.get(place).status == .ok)
        #expect(try await manager.get("https://a.example/to?\(place)").status == .unauthorized)
        #expect(try await manager.get(place).status == .ok)
        #expect(Self.arrived(transport, at: place) == [false, true, false, true])
        let space = ProtectionSpace(
            origin: try Self.origin(place), method: scheme == .basic ? .basic : .digest, realm: "r")
        #expect(observer.logins == [.passwordWithheld(space, reason: .otherServer)])
        #expect(observer.violations.isEmpty)
    }

    /// Two conversations ask at the same time: one was started for the server, the other was redirected there.
    @Test func anAnswerIsNotSharedWithThoseItIsNotFor() async throws {
        let (transport, gate) = (Self.world(), Gate())
        let provider = CountingProvider { _, _ in
            await gate.pass()
            return .credential(UsernamePassword(username: "alice", password: "wonder"), persistence: .session)
        }
        let manager = HttpConversationManager.with(transport, provider)
        let filter = try #require(manager.passwordFilter)
        let place = "https://b.example/x"
        let space = ProtectionSpace(origin: try Self.origin(place), method: .basic, realm: "r")
        async let own = manager.get(place)
        await manager.configuration.session.steps.waitForWaiters(1, of: filter.question(in: space))
        #expect(try await manager.get("https://a.example/to?\(place)").status == .unauthorized)
        gate.open()
        #expect(try await own.status == .ok)
        #expect(Self.arrived(transport, at: place) == [false, false, true])
    }

    /// A wrong password for the caller's own server does not count for conversations that would not get it, and nothing
    /// loops.
    @Test func aVerdictIsForThoseOnlyWhoWouldGetTheAnswer() async throws {
        struct Second: UsernamePasswordProvider {
            func serves(_ destination: CredentialDestination) -> Bool { !destination.isCallersOwn }
            func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
                .credential(UsernamePassword(username: "bob", password: "builder"), persistence: .session)
            }
        }
        let (held, started) = (Gate(), Gate())
        let transport = ScriptedTransport { request, _ in
            if request.target.path == "/to", let location = request.target.query {
                return .init(.found, [.location: String(location)])
            }
            let sent = request.headerFields[.authorization]
            if sent == "Basic Ym9iOmJ1aWxkZXI=" { return .init(.ok) }
            if sent == nil, request.target.query == "led" {
                started.open()
                await held.pass()
            }
            return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
        }
        let manager = HttpConversationManager.with(transport, Self.alice, Second())
        async let led = manager.get("https://a.example/to?https://b.example/x?led")
        await started.pass()
        #expect(try await manager.get("https://b.example/x").status == .unauthorized)
        held.open()
        #expect(try await led.status == .ok)
    }

    // MARK: Plain http

    @Test(arguments: [
        (Scheme.basic, "http://b.example/x", false), (.digest, "http://b.example/x", true),
        (.basic, "https://b.example/x", true), (.basic, "http://127.0.0.1/x", true), (.basic, "http://[::1]/x", true),
    ])
    func basicGoesOverPlainHTTPToTheCallersOwnOnly(_ scheme: Scheme, _ url: String, _ isSent: Bool) async throws {
        let transport = Self.world(scheme)
        let observer = RecordingObserver()
        let provider = try StaticCredentialProvider(username: "alice", password: "wonder", for: [try Self.origin(url)])
        let manager = HttpConversationManager.with(transport, provider)
        manager.update { $0.observers.add(observer) }
        _ = try await manager.get("http://a.example/to?\(url)")
        #expect(Self.arrived(transport, at: url) == (isSent ? [false, true] : [false]))
        let withheld = observer.logins.filter { if case .passwordWithheld(_, .plainHTTP) = $0 { true } else { false } }
        #expect(withheld.count == (isSent ? 0 : 1))
        // The caller's own URL gets it. That is no permission for conversations that are redirected there.
        #expect(try await manager.get(url).status == .ok)
        _ = try await manager.get("http://a.example/to?\(url)")
        #expect(Self.arrived(transport, at: url).suffix(1) == [isSent])
    }

    // MARK: Children and web views

    /// A flow's own conversations are not the application's: their URL is not a permission.
    @Test func aChildAsksForWhatItsRootMay() async throws {
        struct Chain: ResponseFilter {
            let url: String
            func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict
            {
                let filters = context.configuration.challengeFilters
                _ = try await context.start(try HTTPRequest(.get, url)) { $0.challengeFilters = filters }
                return .proceed
            }
        }
        for (url, isSent) in [("https://a.example/page", true), ("https://idp.example/page", false)] {
            let transport = Self.world()
            let manager = HttpConversationManager.with(transport, Self.alice)
            manager.update { $0.responseFilters.add(Chain(url: url)) }
            #expect(try await manager.get("https://a.example/x").status == .ok)
            #expect(Self.arrived(transport, at: url) == (isSent ? [false, true] : [false]))
        }
    }

    @Test func aWebViewIsToldWhatItsConversationMay() async throws {
        let idp = try Self.origin("https://idp.example")
        let named = try StaticCredentialProvider(username: "alice", password: "wonder", for: [idp])
        for (provider, url, isGiven) in [
            (Self.alice, "https://sp.example/login", true), (Self.alice, "https://idp.example/login", false),
            (named, "https://idp.example/login", true), (named, "https://other.example/", false),
        ] {
            let context = try Challenges.context(for: "https://sp.example/x", providers: [provider])
            let challenge = WebViewChallenge(target: try TargetURL(url), method: .basic, realm: "r")
            let answer = try await context.answer(to: challenge, previousFailures: 0)
            if case .credential = answer { #expect(isGiven, "\(url)") } else { #expect(!isGiven, "\(url)") }
        }
    }

    /// Digest in a web view counts for the session, too (security rule S10).
    @Test func aWebViewGetsNoPasswordForBasicOnceDigestWasOffered() async throws {
        let context = try Challenges.context(for: "https://sp.example/x", providers: [Self.alice])
        for (method, isGiven) in [
            (AuthenticationMethod.basic, true), (.digest, true), (.basic, false), (.digest, true),
        ] {
            let challenge = WebViewChallenge(
                target: try TargetURL("https://sp.example/\(method)"), method: method, realm: "\(method)")
            let answer = try await context.answer(to: challenge, previousFailures: 0)
            if case .credential = answer { #expect(isGiven) } else { #expect(!isGiven) }
        }
    }
}
