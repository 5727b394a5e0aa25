import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite(.timeLimit(.minutes(1))) struct ClosureCredentialTests {
    private typealias Answer = ScriptedTransport.Answer

    private struct Signer: ChallengeFilter {
        let handles: Set = [AuthenticationMethod("x-sign", strength: 30)]
        var servers: [String] = []
        var secret = "right"

        func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) throws -> ChallengeAnswer {
            guard !servers.isEmpty else {
                return .authorization(for: challenge) { request in "X-Sign \(secret) \(request.target.path)" }
            }
            return .use(
                try ClosureCredential(for: challenge, at: servers) { request, _ in
                    "X-Sign \(secret) \(request.target.path)"
                }, .session)
        }
    }

    /// A server that demands a signature of the path below `/in`, and redirects `/to?URL` to the URL.
    private static func server() -> ScriptedTransport {
        ScriptedTransport { request, _ in
            if request.target.path == "/to", let location = request.target.query {
                return Answer(.found, [.location: String(location)])
            }
            guard request.target.path.hasPrefix("/in") else { return Answer(.ok) }
            return request.headerFields[.authorization] == "X-Sign right \(request.target.path)"
                ? Answer(.ok) : Answer(.unauthorized, [.wwwAuthenticate: "X-Sign realm=r"])
        }
    }

    private static func lines(_ transport: ScriptedTransport) -> [String] {
        transport.requests.map { "\($0.target.origin.host)\($0.target.path) \($0.headerFields[.authorization] ?? "-")" }
    }

    @Test func itIsComputedForEachExchangeAndSentAheadWithinItsSpace() async throws {
        let transport = Self.server()
        let manager = testManager(transport) { $0.add(Signer()) }
        for path in ["/in/1", "/in/2", "/out", "/in/../out"] { _ = try await manager.get("https://a\(path)") }
        #expect(
            Self.lines(transport) == [
                "a/in/1 -", "a/in/1 X-Sign right /in/1", "a/in/2 X-Sign right /in/2", "a/out -", "a/in/../out -",
                "a/in/../out X-Sign right /in/../out",
            ])
    }

    /// S7: the credential goes to no other server, neither by a redirect nor because the realm is the same.
    @Test func onlyTheCallersOwnServerGetsIt() async throws {
        let transport = Self.server()
        let manager = testManager(transport) { $0.add(Signer()) }
        _ = try await manager.get("https://a/in/1")
        for url in ["https://a/to?https://b/in/1", "https://a/to?http://a:81/in/1"] {
            manager.update { $0.redirects.allowsDowngrade = true }
            #expect(try await manager.get(url).status == .unauthorized)
        }
        let others = Self.lines(transport).filter { !$0.hasPrefix("a/to") }.dropFirst(2)
        #expect(others == ["b/in/1 -", "a/in/1 -"])
    }

    @Test func onlyNamedOriginsGetIt() async throws {
        let transport = Self.server()
        let manager = testManager(transport) { $0.add(Signer(servers: ["https://b/any"])) }
        #expect(try await manager.get("https://a/to?https://b/in/1").status == .ok)
        #expect(try await manager.get("https://a/in/1").status == .unauthorized)
        #expect(Self.lines(transport).suffix(1) == ["a/in/1 -"])
    }

    @Test func plainHTTPCarriesItOnlyToTheCallersOrigin() async throws {
        let transport = Self.server()
        let manager = testManager(transport) { $0.add(Signer(servers: ["http://b.example"])) }
        #expect(try await manager.get("http://a.example/to?http://b.example/in/1").status == .unauthorized)
        #expect(Self.lines(transport).last == "b.example/in/1 -")
        #expect(try await manager.get("http://b.example/in/1").status == .ok)
    }

    @Test func refusedCredentialsAreNotTriedAgain() async throws {
        let transport = Self.server()
        let manager = testManager(transport) { $0.add(Signer(secret: "wrong")) }
        #expect(try await manager.get("https://a/in/1").status == .unauthorized)
        #expect(transport.requests.count == 2)
    }

    /// The closure gets the latest challenge, with its nonce.
    @Test func aNewNonceIsUsed() async throws {
        struct Noncer: ChallengeFilter {
            let handles: Set = [AuthenticationMethod("x-sign", strength: 30)]
            func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) -> ChallengeAnswer {
                .use(
                    ClosureCredential(for: challenge) { _, offered in
                        "X-Sign \(offered.parameter("nonce") ?? "-")"
                    }, .session)
            }
        }
        let transport = ScriptedTransport { request, index in
            let nonce = index < 3 ? "n1" : "n2"
            guard request.headerFields[.authorization] == "X-Sign \(nonce)" else {
                let isStale = request.headerFields[.authorization] != nil
                return Answer(
                    .unauthorized, [.wwwAuthenticate: "X-Sign realm=r, nonce=\(nonce)\(isStale ? ", stale=true" : "")"])
            }
            return Answer(.ok)
        }
        let manager = testManager(transport) { $0.add(Noncer()) }
        for _ in 0..<3 { #expect(try await manager.get("https://a/x").status == .ok) }
        #expect(
            transport.requests.map { $0.headerFields[.authorization] }
                == [nil, "X-Sign n1", "X-Sign n1", "X-Sign n1", "X-Sign n2"])
    }

    @Test func itsDescriptionHidesTheSecret() async throws {
        let challenge = AuthenticationChallenge(
            space: ProtectionSpace(origin: try Origin(scheme: .https, host: "a"), method: .init("x-sign"), realm: "r"),
            offered: OfferedChallenge(scheme: "X-Sign", realm: "r"), target: try TargetURL("https://a/"),
            response: HTTPResponse(status: .unauthorized), context: try testContext())
        let secret = "canary"
        let credential = ClosureCredential(for: challenge, identity: secret) { _, _ in secret }
        var dumped = ""
        dump(credential, to: &dumped)
        #expect(!"\(credential) \(dumped)".contains(secret))
        #expect("\(credential)" == "x-sign, computed, at https://a")
    }
}
