import HTTPTypes
import HttpConversationTesting
import TestSupport
import Testing

@testable import HttpConversation

/// Secrets that are in no field of a request, and those that a server puts into the name of another one (security rule
/// S20).
@Suite(.timeLimit(.minutes(1))) struct NotedSecretTests {
    private typealias Answer = ScriptedTransport.Answer

    private static let secret = "hunter2secret"

    // MARK: Secrets of flows

    /// A flow that sends a secret in a body: servers repeat it to its own request and to the application's later ones.
    @Test(arguments: [true, false]) func secretsOfBodies(isObserved: Bool) async throws {
        let reason = HTTPResponse.Status(code: 403, reasonPhrase: "no \(Self.secret)")
        let transport = ScriptedTransport { _, _ in Answer(reason, [.server: "x \(Self.secret)"]) }
        let observer = RecordingObserver()
        let inner = Box<ConversationResponse?>(nil)
        let manager = testManager(transport) {
            if isObserved { $0.observers.add(observer) }
            $0.requestFilters.add(
                TestFilter(onAuthorize: { _, context in
                    context.note(secrets: [Self.secret, "short"])
                    let response = try await context.start(HTTPRequest(.post, "http://127.0.0.1/login"))
                    inner.update { $0 = response }
                }))
        }
        let response = try await manager.get("http://127.0.0.1/")
        #expect(transport.requests.count == 2, "nothing was tested")
        for phrase in [response.status.reasonPhrase, inner.value?.status.reasonPhrase] { #expect(phrase == "no …") }
        #expect(response.context.hidingSecrets(in: "a \(Self.secret) short") == "a … short")
        #expect(!observer.events.contains { $0.description.contains(Self.secret) })
        let shown = observer.events.compactMap(\.response).flatMap(\.shownFields).map(\.value)
        #expect(shown.allSatisfy { $0 == "x …" } && shown.isEmpty == !isObserved)
    }

    // MARK: Proxies

    private struct Login: ChallengeFilter {
        /// A login by a field that each tunnel gets anew, such as that of Digest.
        struct Changing: Credential {
            var description: String { "changing" }

            func authorization(for request: ConversationRequest) async throws -> String {
                "Digest \(NotedSecretTests.secret)"
            }
            func hasSameSecret(as other: any Credential) -> Bool { other is Changing }
            func answering(_ challenge: AuthenticationChallenge) -> (any Credential)? { nil }
            func covers(_ target: TargetURL) -> Bool { true }
        }

        struct Password: ConstantCredential {
            // alice:hunter2secret
            let authorization = Redacted(HTTPField(name: .authorization, value: "Basic YWxpY2U6aHVudGVyMnNlY3JldA=="))
            var description: String { "password" }

            func authorization(for request: ConversationRequest) async throws -> String { authorization.value.value }
            func hasSameSecret(as other: any Credential) -> Bool { other is Password }
            func answering(_ challenge: AuthenticationChallenge) -> (any Credential)? { self }
            func covers(_ target: TargetURL) -> Bool { true }
        }

        let handles: Set<AuthenticationMethod> = [.basic]
        let isForProxies = true
        let isConstant: Bool

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer {
            guard challenge.previousFailureCount == 0 else { return .notHandled }
            return .use(isConstant ? Password() : Changing(), .session)
        }
    }

    /// Computes the login for each tunnel, as transports do.
    private struct TunnellingTransport: HTTPTransport {
        let base: ScriptedTransport

        var capabilities: TransportCapabilities { base.capabilities }

        func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
            do { _ = try await request.options.proxy?.authorization?.authorization(for: request.target.origin) } catch {
                throw ConversationError(.authenticationFailed, "The login for the tunnel cannot be sent.")
            }
            return try await base.send(request)
        }

        func shutdown() async { await base.shutdown() }
    }

    /// In front of a tunnel the transport sends the login. A proxy that refuses the tunnel may repeat it.
    @Test(
        arguments: [
            Answer(HTTPResponse.Status(code: 403, reasonPhrase: "REPEAT \(secret)"), [.server: "x \(secret)"]),
            Answer(
                HTTPResponse.Status(code: 407, reasonPhrase: "REPEAT \(secret)"),
                [.proxyAuthenticate: "Basic realm=\"REPEAT \(secret)\""]),
        ],
        [
            (true, true), (false, true), (true, false), (false, false),
        ])
    private func proxies(refusal: Answer, kind: (Bool, Bool)) async throws {
        let (isObserved, isConstant) = kind
        let transport = ScriptedTransport(capabilities: .proxies) { request, _ in
            let isFirst = request.options.proxy?.authorization == nil
            let question = Answer(.proxyAuthenticationRequired, [.proxyAuthenticate: "Basic realm=P"])
            return (isFirst ? question : refusal).fromProxy()
        }
        let observer = RecordingObserver()
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .always(try .testing())
        configuration.challengeFilters.add(Login(isConstant: isConstant))
        if isObserved { configuration.observers.add(observer) }
        let manager = HttpConversationManager(
            transport: TunnellingTransport(base: transport), configuration: configuration)
        let error = await #expect(throws: ConversationError.self) { try await manager.get("https://h/") }
        // Another realm is asked for once more.
        #expect(error?.code == .proxyRefused && transport.requests.count >= 2)
        #expect(error?.message.contains("REPEAT …") == true, "\(String(describing: error))")
        #expect(error?.challenge.map { "\($0.space)".contains(Self.secret) } != true)
        #expect(!observer.events.contains { $0.description.contains(Self.secret) })
    }

    // MARK: Names of servers

    /// A redirect may put what was sent into the name of the next server, which errors have. A flow may have noted another
    /// secret before.
    @Test(arguments: ["https", "http"], [(true, false), (false, false), (false, true)])
    func namesOfServers(scheme: String, kind: (Bool, Bool)) async throws {
        let (isObserved, hasNoted) = kind
        let transport = ScriptedTransport { request, _ in
            guard request.target.origin.host != "a.example" else {
                return Answer(.found, [.location: "\(scheme)://x-\(Self.secret).example/b"])
            }
            return .failure(
                ConversationError(.connectionFailed, "No connection to \(request.target.origin) could be made."))
        }
        let observer = RecordingObserver()
        let manager = testManager(transport) {
            if isObserved { $0.observers.add(observer) }
            if hasNoted {
                $0.requestFilters.add(TestFilter(onAuthorize: { _, context in context.note(secrets: ["another one"]) }))
            }
        }
        let error = await #expect(throws: ConversationError.self) {
            try await manager.get("https://a.example/", fields: [.authorization: "Bearer \(Self.secret)"])
        }
        #expect(error?.code == (scheme == "https" ? .connectionFailed : .redirectRefused))
        #expect(error?.message.contains("://x-….example") == true, "\(String(describing: error))")
        #expect(!observer.events.contains { $0.description.contains(Self.secret) })
    }

    /// The space of a challenge by such a server has the real name, and shows another one.
    @Test func spacesAtSuchServers() async throws {
        let transport = ScriptedTransport { request, _ in
            request.target.origin.host == "a.example"
                ? Answer(.found, [.location: "https://x-\(Self.secret).example/b"])
                : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
        }
        let space = Box<ProtectionSpace?>(nil)
        let manager = testManager(transport) {
            $0.challengeFilters.add(
                TestFilter(onChallenge: { challenge, _ in
                    space.update { $0 = challenge.space }
                    return .notHandled
                }))
        }
        _ = try await manager.get("https://a.example/", fields: [.authorization: "Bearer \(Self.secret)"])
        #expect(space.value?.origin.host == "x-\(Self.secret).example")
        #expect(space.value?.description == "basic \"r\" at https://x-….example")
    }

    /// Words of a message that are no name of a server stay, although they are a password.
    @Test func wordsOfMessages() async throws {
        let transport = ScriptedTransport { _, _ in .failure(ConversationError(.connectionFailed, "No connection.")) }
        let error = await #expect(throws: ConversationError.self) {
            try await testManager(transport).get(
                "https://a.example/", fields: [.authorization: "Bearer connection"])
        }
        #expect(error?.message == "No connection.")
    }
}
