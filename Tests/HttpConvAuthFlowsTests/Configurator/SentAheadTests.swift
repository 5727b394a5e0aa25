import Foundation
import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConversation

/// A password for servers that never ask (security rules S7, S10 and S11).
@Suite(.timeLimit(.minutes(1))) struct SentAheadTests {
    private typealias Answer = ScriptedTransport.Answer
    private static let value = "Basic " + Data("alice:wonder".utf8).base64EncodedString()

    private static func login(_ urls: String..., password: String = "wonder") -> CommonAuthenticationConfigurator {
        urls.count == 2
            ? .password("alice", password, for: urls[0], urls[1], sentAhead: true)
            : .password("alice", password, for: urls[0], sentAhead: true)
    }

    private static func authorizations(_ transport: ScriptedTransport) -> [String?] {
        transport.requests.map { $0.headerFields[.authorization] }
    }

    @Test(arguments: ["https://a.example", "http://127.0.0.1:8080", "http://localhost"])
    func itGoesAlongUnasked(_ server: String) async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let manager = HttpConversationManager(transport: transport, Self.login(server))
        _ = try await manager.get(server + "/x")
        _ = try await manager.post(server + "/y", .text("b"))
        #expect(Self.authorizations(transport) == [Self.value, Self.value])
    }

    /// It needs no provider beside it.
    @Test func itNeedsNoProvider() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        var login = CommonAuthenticationConfigurator()
        login.add(
            try SentAheadPassword(
                UsernamePassword(username: "alice", password: "wonder"), for: TargetURL("https://a.example").origin))
        let manager = HttpConversationManager(transport: transport, login)
        _ = try await manager.get("https://a.example/x")
        #expect(Self.authorizations(transport) == [Self.value])
        manager.update { $0.remove(id: FlowID.usernamePassword) }
        _ = try await manager.get("https://a.example/y")
        #expect(Self.authorizations(transport) == [Self.value, nil])
    }

    /// Never to another origin: not by a redirect, nor by another port or scheme. It is sent again when the chain
    /// returns.
    @Test func itGoesToItsOriginOnly() async throws {
        let transport = ScriptedTransport { request, _ in
            guard request.target.path == "/to", let location = request.target.query else { return Answer(.ok) }
            return Answer(.found, [.location: String(location)])
        }
        let manager = HttpConversationManager(transport: transport, Self.login("https://a.example"))
        manager.update { $0.redirects.allowsDowngrade = true }
        for url in [
            "https://b.example/", "https://a.example:8443/", "http://a.example/", "https://sub.a.example/",
            "http://127.0.0.1/",
        ] {
            _ = try await manager.get("https://a.example/to?\(url)")
            _ = try await manager.get(url)
        }
        _ = try await manager.get("https://b.example/to?https://a.example/back")
        for request in transport.requests {
            let isOwn = "\(request.target.origin)" == "https://a.example"
            #expect(request.headerFields[.authorization] == (isOwn ? Self.value : nil), "\(request.target)")
        }
        #expect(transport.requests.count == 17)
    }

    @Test func theCallersOwnStays() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let manager = HttpConversationManager(transport: transport, Self.login("https://a.example"))
        _ = try await manager.get("https://a.example/", fields: [.authorization: "Bearer mine"])
        #expect(Self.authorizations(transport) == ["Bearer mine"])
    }

    @Test func removingPasswordsEndsIt() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let manager = HttpConversationManager(transport: transport, Self.login("https://a.example"))
        _ = try await manager.get("https://a.example/")
        manager.update { $0.remove(id: FlowID.usernamePassword) }
        _ = try await manager.get("https://a.example/")
        #expect(Self.authorizations(transport) == [Self.value, nil])
    }

    /// A wrong password costs one failed login.
    @Test func whatIsRefusedIsNotSentTwice() async throws {
        let transport = ScriptedTransport { request, _ in
            request.headerFields[.authorization] == Self.value
                ? Answer(.ok) : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
        }
        let manager = HttpConversationManager(
            transport: transport, Self.login("https://a.example", password: "wrong"))
        #expect(try await manager.get("https://a.example/").status == .unauthorized)
        #expect(transport.requests.count == 1)
    }

    /// Nor for the next URL: each attempt brings the account closer to being locked.
    @Test(arguments: [["Basic realm=r"], []]) func whatIsRefusedIsNotSentForTheNextURL(challenges: [String])
        async throws
    {
        let transport = ScriptedTransport { _, _ in
            Answer(.unauthorized, HTTPFields(challenges.map { HTTPField(name: .wwwAuthenticate, value: $0) }))
        }
        let manager = HttpConversationManager(
            transport: transport, Self.login("https://a.example", "https://b.example", password: "wrong"))
        for number in 0..<3 {
            #expect(try await manager.get("https://a.example/\(number)").status == .unauthorized)
        }
        #expect(Self.authorizations(transport).compactMap(\.self).count == 1)
        #expect(transport.requests.count == 3)
        // Another server is another account.
        #expect(try await manager.get("https://b.example/").status == .unauthorized)
        #expect(Self.authorizations(transport).compactMap(\.self).count == 2)
    }

    /// A page with many resources is one attempt, too.
    @Test func requestsAtOnceSendARefusedPasswordOnce() async throws {
        let transport = ScriptedTransport { request, _ in
            Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
        }
        let manager = HttpConversationManager(
            transport: transport, Self.login("https://a.example", password: "wrong"))
        let results = await manager.getAll((0..<20).map { "https://a.example/\($0)" })
        #expect(try results.map { try $0.get().status.code } == Array(repeating: 401, count: 20))
        #expect(Self.authorizations(transport).compactMap(\.self).count == 1)
        #expect(transport.requests.count == 20)
    }

    /// Not for longer than five seconds.
    @Test func aSlowAnswerDoesNotHoldUpOthers() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let clock = TestClock()
        let transport = ScriptedTransport { request, _ in
            if request.target.path == "/slow" { for await _ in gate.stream {} }
            return Answer(.ok)
        }
        let manager = HttpConversationManager(transport: transport, Self.login("https://a.example"))
        manager.update { $0.clock = clock }
        async let slow = manager.get("https://a.example/slow").status
        while transport.requests.isEmpty { await Task.yield() }
        async let quick = manager.get("https://a.example/quick").status
        while !clock.slept.contains(.seconds(5)) { await Task.yield() }
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(5))
        #expect(try await quick == .ok)
        // It was accepted, so nobody waits any more.
        #expect(try await manager.get("https://a.example/next").status == .ok)
        gate.continuation.finish()
        #expect(try await slow == .ok)
        #expect(Self.authorizations(transport) == Array(repeating: Self.value, count: 3))
    }

    /// A server that forbids has known the person; one that is overloaded has not looked, and a lost answer says
    /// nothing.
    @Test(arguments: [403, 404, 500, 503, 429, 421, 408, 407, 0]) func onlyA401Refuses(status: Int) async throws {
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            guard request.target.path == "/first" else { return Answer(.ok) }
            guard status > 0 else { throw ConversationError(.connectionFailed, "lost") }
            return Answer(.init(code: status))
        }
        let manager = HttpConversationManager(transport: transport, Self.login("https://a.example"))
        _ = try? await manager.get("https://a.example/first")
        #expect(try await manager.get("https://a.example/second").status == .ok)
        #expect(Self.authorizations(transport) == [Self.value, Self.value])
    }

    private static let otherRefusals: [(challenge: String?, paths: [String])] = [
        ("Bearer realm=x", ["/b", "/a"]), ("Bearer realm=x", ["/a", "/b", "/a"]),
        (nil, ["/a", "/b", "/a", "/b", "/a"]),
    ]

    /// A resource may have another kind of login, and a server may fail for a moment.
    @Test(arguments: otherRefusals) func aRefusalElsewhereDoesNotWithholdIt(challenge: String?, paths: [String])
        async throws
    {
        let transport = ScriptedTransport { request, _ in
            guard request.target.path == "/b" else {
                return request.headerFields[.authorization] == Self.value
                    ? Answer(.ok) : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
            }
            return Answer(.unauthorized, challenge.map { [.wwwAuthenticate: $0] } ?? [:])
        }
        let manager = HttpConversationManager(transport: transport, Self.login("https://a.example"))
        for path in paths {
            #expect(try await manager.get("https://a.example\(path)").status == (path == "/a" ? .ok : .unauthorized))
        }
        #expect(Self.authorizations(transport) == paths.map { _ in Self.value })
    }

    /// Without the observer nothing is learned, and nobody waits.
    @Test func withoutItsObserverItIsSentToo() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.unauthorized) }
        let manager = HttpConversationManager(transport: transport, Self.login("https://a.example"))
        manager.update { $0.observers = FilterList() }
        for _ in 0..<2 { #expect(try await manager.get("https://a.example/").status == .unauthorized) }
        #expect(Self.authorizations(transport) == [Self.value, Self.value])
    }

    /// RFC 7617 §2.1: a password that fails in one encoding may succeed in the other.
    @Test func theOtherEncodingIsTriedOnce() async throws {
        let utf8 = "Basic " + Data("alice:pässwörd".utf8).base64EncodedString()
        let transport = ScriptedTransport { request, _ in
            request.headerFields[.authorization] == utf8
                ? Answer(.ok) : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
        }
        let manager = HttpConversationManager(
            transport: transport, Self.login("https://a.example", password: "pässwörd"))
        #expect(try await manager.get("https://a.example/").status == .ok)
        #expect(transport.requests.count == 2)
    }

    /// S10: an origin that has offered Digest gets no password by Basic any more; the challenge is answered.
    @Test func notAfterDigest() async throws {
        let transport = ScriptedTransport { request, _ in
            request.headerFields[.authorization]?.hasPrefix("Digest ") == true
                ? Answer(.ok)
                : Answer(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=n, qop=auth, algorithm=SHA-256"])
        }
        let manager = HttpConversationManager(transport: transport, Self.login("https://a.example"))
        #expect(try await manager.get("https://a.example/").status == .ok)
        _ = try await manager.get("https://a.example/2")
        let sent = Self.authorizations(transport).map { $0?.split(separator: " ").first ?? "-" }
        #expect(sent == ["Basic", "Digest", "Digest"])
    }

    @Test func aRequestOfAFilterCarriesNone() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        struct Child: ResponseFilter {
            func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict
            {
                _ = try await context.start(HTTPRequest(.get, "https://a.example/child"))
                return .proceed
            }
        }
        let manager = HttpConversationManager(transport: transport, Self.login("https://a.example"))
        manager.update { $0.add(Child()) }
        _ = try await manager.get("https://a.example/")
        #expect(Self.authorizations(transport) == [Self.value, nil])
    }

    @Test func itIsDescribedWithoutThePassword() throws {
        let login = Self.login("https://a.example", password: "geheim-canary")
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(login)
        var shown = "\(login) \(configuration.filters(of: SentAheadFilter.self))"
        dump(login, to: &shown)
        dump(configuration.filters(of: SentAheadFilter.self), to: &shown)
        dump(try #require(configuration.filters(of: SentAheadFilter.self).first).passwords, to: &shown)
        #expect(!shown.contains("canary"))
        #expect(!shown.contains(Data("alice:geheim-canary".utf8).base64EncodedString()))
    }
}
