import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

@Suite("Digest flow", .timeLimit(.minutes(1)))
struct DigestFlowTests {
    private static let host = "http://127.0.0.1"

    private func authorizations(_ transport: ScriptedTransport) -> [[String: String]] {
        transport.requests.map { DigestServer.fields(of: $0.headerFields[.authorization] ?? "Digest ") }
    }

    /// The answer hashes the bytes of the realm, which are lost if they are not UTF-8. So no password is spent.
    @Test func aRealmThatIsNotUTF8IsNotAnswered() async throws {
        let value = Array("Digest realm=\"Gesch".utf8) + [0xFC] + Array("tzt\", nonce=\"n\", qop=\"auth\"".utf8)
        let field = HTTPField(name: .wwwAuthenticate, lenientValue: value)
        let transport = ScriptedTransport { _, _ in .init(.unauthorized, HTTPFields([field])) }
        let provider = CountingProvider { _, _ in
            .credential(UsernamePassword(username: "alice", password: "wonder"), persistence: .session)
        }
        let response = try await HttpConversationManager.with(transport, provider).get("http://127.0.0.1/")
        #expect(response.status == .unauthorized)
        #expect((provider.count, transport.requests.count) == (0, 1))
    }

    @Test(arguments: ["MD5", "MD5-sess", "SHA-256", "sha-256-sess"], ["auth", "auth-int", "auth-int,auth", nil])
    func aStrictServerIsContent(_ algorithm: String, _ quality: String?) async throws {
        let server = DigestServer("al\"ice", "wönder", .init(algorithm: algorithm, quality: quality))
        let transport = server.transport()
        let manager = HttpConversationManager.with(transport, CountingProvider("al\"ice", "wönder"))
        for index in 0..<3 {
            let response = try await manager.data(
                for: try HTTPRequest(.put, "\(Self.host)/a?b=\(index)"), body: .text("body \(index)"))
            #expect(response.status == .ok)
        }
        #expect((server.account.accepted, server.account.unauthenticated) == (3, 1))
        #expect((server.account.failedLogins, server.account.replays) == (0, 0))
        if quality != nil {
            #expect(authorizations(transport).map { $0["nc"] } == [nil, "00000001", "00000002", "00000003"])
        }
    }

    @Test func theWholeOriginIsCoveredUnlessDomainSaysLess() async throws {
        for (extra, unauthenticated) in [("", 1), (", domain=\"/a\"", 2)] {
            let server = DigestServer("alice", "wonder", .init(extra: extra))
            let manager = HttpConversationManager.with(server.transport(), CountingProvider("alice", "wonder"))
            for path in ["/a/x", "/a/y", "/b"] {
                #expect(try await manager.get("\(Self.host)\(path)").status == .ok)
            }
            #expect(server.account.unauthenticated == unauthenticated)
        }
    }

    @Test func theStrongestIsAnswered() async throws {
        let algorithms = ["SHA-512-256", "SHA-256", "MD5"]
        for count in 1...3 {
            // Weakest first, so that the server's order cannot decide.
            let offered = algorithms.suffix(count).reversed()
            var fields = HTTPFields([.init(name: .wwwAuthenticate, value: "Basic realm=\"r\"")])
            for algorithm in offered {
                fields.append(
                    .init(
                        name: .wwwAuthenticate,
                        value: "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=\(algorithm)"))
            }
            let challenge = fields
            let transport = ScriptedTransport { _, index in .init(index == 0 ? .unauthorized : .ok, challenge) }
            let manager = HttpConversationManager.with(transport, CountingProvider("alice", "wonder"))
            #expect(try await manager.get("\(Self.host)/x").status == .ok)
            #expect(authorizations(transport).last?["algorithm"] == algorithms.suffix(count).first)
        }
    }

    @Test func anUnknownAlgorithmIsPassedOver() async throws {
        let challenge: HTTPFields = [
            .wwwAuthenticate: "Digest realm=\"r\", nonce=\"n\", algorithm=SHA3-512, Digest realm=\"r\", nonce=\"m\""
        ]
        let transport = ScriptedTransport { _, index in .init(index == 0 ? .unauthorized : .ok, challenge) }
        let provider = CountingProvider("alice", "wonder")
        let manager = HttpConversationManager.with(transport, provider)
        #expect(try await manager.get("\(Self.host)/x").status == .ok)
        #expect(authorizations(transport).last?["nonce"] == "m")
        #expect(provider.count == 1)
    }

    // MARK: No fall-back

    @Test func noBasicWhereDigestWasOffered() async throws {
        let both: HTTPFields = [.wwwAuthenticate: "Basic realm=\"r\", Digest realm=\"r\", nonce=\"n\", algorithm=X"]
        let onlyBasic: HTTPFields = [.wwwAuthenticate: "Basic realm=\"r\""]
        let transport = ScriptedTransport { _, index in .init(.unauthorized, index == 0 ? both : onlyBasic) }
        let provider = CountingProvider("alice", "wonder")
        let manager = HttpConversationManager.with(transport, provider)
        for _ in 0..<2 { #expect(try await manager.get("\(Self.host)/x").status == .unauthorized) }
        #expect((provider.count, transport.requests.count) == (0, 2))
        #expect(transport.requests.allSatisfy { $0.headerFields[.authorization] == nil })
    }

    /// An attacker on the way removes the Digest challenge, and changes the realm.
    @Test(arguments: [false, true]) func noBasicForAnotherRealmEither(_ isAllowed: Bool) async throws {
        let digest: HTTPFields = [.wwwAuthenticate: "Digest realm=\"A\", nonce=\"n\", qop=auth"]
        let basic: HTTPFields = [.wwwAuthenticate: "Basic realm=\"B\""]
        let transport = ScriptedTransport { request, index in
            let isBasic = request.headerFields[.authorization]?.hasPrefix("Basic ") == true
            return .init(isBasic ? .ok : .unauthorized, index == 0 ? digest : basic)
        }
        let provider = CountingProvider("alice", "wonder")
        let manager = HttpConversationManager.with(transport, provider)
        manager.update { $0.allowsBasicAfterDigest = isAllowed }
        for _ in 0..<2 {
            #expect(try await manager.get("\(Self.host)/x").status == (isAllowed ? .ok : .unauthorized))
        }
        let schemes = transport.requests.map {
            ($0.headerFields[.authorization] ?? "").split(separator: " ").first ?? ""
        }
        #expect(schemes == (isAllowed ? ["", "Digest", "Basic", "Basic"] : ["", "Digest", ""]))
    }

    @Test func basicThatWasAcceptedIsNotSentAheadOnceTheRealmOffersDigest() async throws {
        let basic: HTTPFields = [.wwwAuthenticate: "Basic realm=\"r\""]
        let digest: HTTPFields = [.wwwAuthenticate: "Digest realm=\"r\", nonce=\"n\", qop=auth"]
        let transport = ScriptedTransport { request, index in
            let sent = request.headerFields[.authorization] ?? ""
            if index < 2 { return .init(sent.isEmpty ? .unauthorized : .ok, basic) }
            return .init(sent.hasPrefix("Digest") ? .ok : .unauthorized, digest)
        }
        let provider = CountingProvider("alice", "wonder")
        let manager = HttpConversationManager.with(transport, provider)
        for path in ["/a/x", "/b/x", "/a/x", "/a/x"] {
            #expect(try await manager.get("\(Self.host)\(path)").status == .ok)
        }
        let schemes = transport.requests.map {
            ($0.headerFields[.authorization] ?? "").split(separator: " ").first ?? ""
        }
        #expect(schemes == ["", "Basic", "", "Digest", "", "Digest", "Digest"])
    }

    // MARK: Nonces

    @Test func staleIsAnsweredWithoutAskingAnybody() async throws {
        let server = DigestServer("alice", "wonder", .init(usesPerNonce: 2))
        let provider = CountingProvider("alice", "wonder")
        let manager = HttpConversationManager.with(server.transport(), provider)
        for _ in 0..<7 { #expect(try await manager.get("\(Self.host)/x").status == .ok) }
        #expect((provider.count, server.account.failedLogins, server.account.stale) == (1, 0, 3))
    }

    @Test func atMostTwoStaleInARow() async throws {
        let server = DigestServer("alice", "wonder", .init(isAlwaysStale: true))
        let provider = CountingProvider("alice", "wonder")
        let transport = server.transport()
        let response = try await HttpConversationManager.with(transport, provider).get("\(Self.host)/x")
        #expect(response.status == .unauthorized)
        // The first without a credential, the first answer, and one for each of two new nonces.
        #expect((transport.requests.count, server.account.stale, provider.count) == (4, 3, 1))
    }

    @Test func nextNonceIsUsed() async throws {
        let server = DigestServer("alice", "wonder", .init(usesPerNonce: 1, sendsNextNonce: true))
        let transport = server.transport()
        let manager = HttpConversationManager.with(transport, CountingProvider("alice", "wonder"))
        for _ in 0..<5 { #expect(try await manager.get("\(Self.host)/x").status == .ok) }
        #expect((server.account.stale, server.account.unauthenticated, server.account.accepted) == (0, 1, 5))
        #expect(authorizations(transport).dropFirst().allSatisfy { $0["nc"] == "00000001" })
    }

    @Test func aWrongPasswordCostsOneFailedLogin() async throws {
        let server = DigestServer("alice", "wonder")
        let provider = CountingProvider("alice", "wrong")
        let response = try await HttpConversationManager.with(server.transport(), provider).get("\(Self.host)/x")
        #expect(response.status == .unauthorized)
        #expect((provider.count, server.account.failedLogins) == (2, 1))
    }

    @Test func aOneShotBodyThatWouldHaveToBeHashedIsAClearError() async throws {
        let server = DigestServer("alice", "wonder", .init(quality: "auth-int"))
        let provider = CountingProvider("alice", "wonder")
        let manager = HttpConversationManager.with(server.transport(), provider)
        // A small request first, so that the upload carries the credential.
        #expect(try await manager.get("\(Self.host)/x").status == .ok)
        let error = await #expect(throws: ConversationError.self) {
            try await manager.upload(
                for: try HTTPRequest(.put, "\(Self.host)/x"), from: .oneShot(RequestBodyStream { nil }))
        }
        #expect(error?.code == .bodyNotReplayable)
        #expect(error?.message.contains("auth-int") == true)
    }

    // MARK: Several realms of one origin

    @Test func eachRealmGetsItsOwnAheadThoughBothClaimTheWholeOrigin() async throws {
        let servers = [
            "a": DigestServer("alice", "wonder", .init(realm: "a")),
            "b": DigestServer("bob", "builder", .init(realm: "b")),
        ]
        let transport = ScriptedTransport { request, _ in
            servers[String(request.target.path.dropFirst().prefix(1))]?.answer(request) ?? .init(.notFound)
        }
        let provider = CountingProvider { challenge, _ in
            let login = challenge.realm == "a" ? ("alice", "wonder") : ("bob", "builder")
            return .credential(UsernamePassword(username: login.0, password: login.1), persistence: .session)
        }
        let manager = HttpConversationManager.with(transport, provider)
        for index in 0..<5 {
            for realm in ["a", "b"] {
                #expect(try await manager.get("\(Self.host)/\(realm)/x/\(index)").status == .ok)
            }
        }
        let (first, second) = (try #require(servers["a"]?.account), try #require(servers["b"]?.account))
        #expect((first.unauthenticated, first.failedLogins, first.accepted) == (1, 0, 5))
        // Before the second realm was known, the first one's answer was sent there once.
        #expect((second.unauthenticated, second.failedLogins, second.accepted) == (0, 1, 5))
    }

    /// The flag is about a nonce of the other realm, for which there is no login yet.
    @Test func staleInAnotherRealmIsAChallengeThere() async throws {
        let servers = [
            "a": DigestServer("alice", "wonder", .init(realm: "a")),
            "b": DigestServer("alice", "wonder", .init(realm: "b", callsOtherRealmsStale: true)),
        ]
        let transport = ScriptedTransport { request, _ in
            servers[String(request.target.path.dropFirst().prefix(1))]?.answer(request) ?? .init(.notFound)
        }
        let provider = CountingProvider("alice", "wonder")
        let manager = HttpConversationManager.with(transport, provider)
        for path in ["/a/1", "/b/1", "/b/2"] { #expect(try await manager.get("\(Self.host)\(path)").status == .ok) }
        let account = try #require(servers["b"]?.account)
        #expect((account.stale, account.failedLogins, account.accepted, provider.count) == (1, 0, 2, 2))
    }

    @Test func backAndForthBetweenTwoRealmsSettles() async throws {
        let realms = [
            "/a": DigestServer("alice", "wonder", .init(realm: "a")),
            "/b": DigestServer("bob", "builder", .init(realm: "b")),
        ]
        let next = ["/a/1": "/b/2", "/b/2": "/a/3", "/a/3": "/b/4"]
        let transport = ScriptedTransport { request, _ in
            let path = request.target.requestTarget
            guard let server = realms[String(path.prefix(2))] else { return .init(.notFound) }
            let accepted = server.account.accepted
            let answer = server.answer(request)
            guard server.account.accepted > accepted, let target = next[path] else { return answer }
            return .init(.found, [.location: target])
        }
        let provider = CountingProvider { challenge, _ in
            let login = challenge.realm == "a" ? ("alice", "wonder") : ("bob", "builder")
            return .credential(UsernamePassword(username: login.0, password: login.1), persistence: .session)
        }
        let response = try await HttpConversationManager.with(transport, provider).get("\(Self.host)/a/1")
        #expect(response.text == "for bob: /b/4")
        #expect(provider.count == 2)
    }
}
