import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite(.timeLimit(.minutes(1))) struct ChallengeHandlingTests {
    private typealias Answer = ScriptedTransport.Answer

    private static func manager(
        _ transport: ScriptedTransport,
        _ answer: @escaping @Sendable (AuthenticationChallenge, ConversationContext) async throws -> ChallengeAnswer
    ) -> HttpConversationManager {
        testManager(transport) { $0.challengeFilters.add(TestFilter(onChallenge: answer)) }
    }

    /// Accepts `Basic right` below /a, for realm R.
    private static func server(_ accepts: Set<String> = ["Basic right"]) -> ScriptedTransport {
        ScriptedTransport { request, _ in
            guard request.target.path.hasPrefix("/a") else { return Answer(.ok, body: "public") }
            return accepts.contains(request.authorization ?? "")
                ? Answer(.ok, body: "welcome")
                : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"], body: "go away")
        }
    }

    @Test func anAnswerIsSentAheadInItsSpaceOnly() async throws {
        let transport = Self.server()
        let manager = Self.manager(transport) { _, _ in
            .use(TokenCredential(token: "right", directory: "/a/"), .session)
        }
        for path in ["/a/1", "/a/2", "/b", "/a"] {
            _ = try await manager.data(for: HTTPRequest(.get, "http://h\(path)"))
        }
        _ = try await manager.data(for: HTTPRequest(.get, "http://other/a/1"))
        let lines = transport.requests.map { "\($0.target.origin.host)\($0.target.path) \($0.authorization ?? "-")" }
        #expect(
            lines == [
                "h/a/1 -", "h/a/1 Basic right", "h/a/2 Basic right", "h/b -", "h/a -", "h/a Basic right",
                "other/a/1 -", "other/a/1 Basic right",
            ])
    }

    @Test func conversationCredentialsAreNotKept() async throws {
        let transport = Self.server()
        let manager = Self.manager(transport) { _, _ in .use(TokenCredential(token: "right"), .conversation) }
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/a"))
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/a"))
        #expect(transport.requests.map(\.authorization) == [nil, "Basic right", nil, "Basic right"])
    }

    @Test func aRepeatedWrongAnswerIsIgnored() async throws {
        let asked = Box<[Int]>([])
        let transport = Self.server()
        let manager = Self.manager(transport) { challenge, _ in
            asked.update { $0.append(challenge.previousFailureCount) }
            return .use(TokenCredential(token: "wrong"), .session)
        }
        let response = try await manager.data(for: HTTPRequest(.get, "http://h/a"))
        #expect(response.status == .unauthorized)
        #expect(response.text == "go away")
        #expect(asked.value == [0, 1])
        #expect(transport.requests.map(\.authorization) == [nil, "Basic wrong"])
    }

    @Test func aSecondAnswerIsTried() async throws {
        let transport = Self.server()
        let manager = Self.manager(transport) { challenge, _ in
            #expect((challenge.sent != nil) == (challenge.previousFailureCount > 0))
            return .use(
                TokenCredential(token: ["typo", "oops", "right"][challenge.previousFailureCount]), .session)
        }
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/a")).status == .ok)
        #expect(transport.requests.count == 4)
    }

    @Test func aChangedPasswordIsEvictedAndAskedForAgain() async throws {
        let accepts = Box<Set<String>>(["Basic old"])
        let transport = ScriptedTransport { request, _ in
            accepts.value.contains(request.authorization ?? "")
                ? Answer(.ok) : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
        }
        let manager = Self.manager(transport) { challenge, _ in
            .use(TokenCredential(token: challenge.sent == nil ? "old" : "new"), .session)
        }
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/a"))
        accepts.update { $0 = ["Basic new"] }
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/a")).status == .ok)
        #expect(transport.requests.map(\.authorization) == [nil, "Basic old", "Basic old", "Basic new"])
    }

    @Test func cancelEndsTheConversation() async throws {
        let transport = Self.server()
        let manager = Self.manager(transport) { _, _ in .cancel }
        #expect(await failureCode { try await manager.data(for: HTTPRequest(.get, "http://h/a")) } == .cancelled)
    }

    @Test func retryRepeatsTheExchange() async throws {
        let transport = ScriptedTransport { _, index in
            index == 0 ? Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"]) : Answer(.ok)
        }
        let manager = Self.manager(transport) { _, _ in .retry }
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/a")).status == .ok)
    }

    @Test func basicIsNotAnsweredWhereDigestWasOffered() async throws {
        let offers = Box(["Basic realm=R, Digest realm=R, nonce=n"])
        let transport = ScriptedTransport { _, _ in Answer(.unauthorized, [.wwwAuthenticate: offers.value[0]]) }
        let asked = Box(0)
        let manager = Self.manager(transport) { _, _ in
            asked.update { $0 += 1 }
            return .use(TokenCredential(token: "secret"), .session)
        }
        for offer in ["Basic realm=R, Digest realm=R, nonce=n", "Basic realm=R"] {
            offers.update { $0 = [offer] }
            #expect(try await manager.data(for: HTTPRequest(.get, "http://h/a")).status == .unauthorized)
        }
        // The same holds for another realm.
        offers.update { $0 = ["Basic realm=Other"] }
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/a"))
        #expect(asked.value == 0)
        #expect(transport.requests.count == 3)
        #expect(transport.requests.allSatisfy { $0.authorization == nil })
        _ = try await manager.data(for: HTTPRequest(.get, "http://other/a"))
        #expect(asked.value > 0)
    }

    /// Digest seen by any manager counts for the whole session: here the second manager has no filter at all.
    @Test(arguments: [false, true])
    func afterDigestAnOriginGetsNoBasicInThatSession(_ isAllowed: Bool) async throws {
        let transport = ScriptedTransport { request, _ in
            if request.authorization != nil { return Answer(.ok) }
            let value = request.target.path == "/digest" ? "Digest realm=A, nonce=n" : "Basic realm=B"
            return Answer(.unauthorized, [.wwwAuthenticate: value])
        }
        let session = HttpSession()
        let plain = HttpConversationManager(transport: transport, configuration: .init(session: session))
        let manager = testManager(transport) { configuration in
            configuration.session = session
            configuration.allowsBasicAfterDigest = isAllowed
            configuration.challengeFilters.add(
                TestFilter(onChallenge: { _, _ in
                    .use(TokenCredential(token: "t", directory: "/basic"), .session)
                }))
        }
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/basic")).status == .ok)
        #expect(try await plain.data(for: HTTPRequest(.get, "http://h/digest")).status == .unauthorized)
        // Neither the accepted credential nor a new one is sent.
        let second = try await manager.data(for: HTTPRequest(.get, "http://h/basic"))
        #expect(second.status == (isAllowed ? .ok : .unauthorized))
        session.removeCredentials()
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/basic"))
        let sent = transport.requests.map { $0.authorization != nil }
        #expect(sent == (isAllowed ? [false, true, false, true, false, true] : [false, true, false, false, false]))
    }

    /// The credential is chosen already when another conversation learns that the origin offers Digest.
    @Test func aPreparedBasicAnswerIsDroppedAfterDigest() async throws {
        let transport = ScriptedTransport { request, index in
            Answer(.unauthorized, [.wwwAuthenticate: request.target.path == "/d" ? "Digest realm=A" : "Basic realm=B"])
        }
        let session = HttpSession()
        let plain = HttpConversationManager(transport: transport, configuration: .init(session: session))
        let manager = testManager(transport) { configuration in
            configuration.session = session
            configuration.challengeFilters.add(
                TestFilter(onChallenge: { _, _ in
                    _ = try await plain.data(for: HTTPRequest(.get, "http://h/d"))
                    return .use(TokenCredential(token: "t"), .session)
                }))
        }
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/b")).status == .unauthorized)
        #expect(transport.requests.map(\.target.path) == ["/b", "/d", "/b"])
        #expect(transport.requests.allSatisfy { $0.authorization == nil })
    }

    /// An application's own credential decides where it may go; an accepted one is asked again before each use.
    @Test func aCredentialIsSentOnlyWhereItIsAllowed() async throws {
        struct Bound: Credential {
            let description = "bound"
            func hasSameSecret(as other: any Credential) -> Bool { other is Bound }
            func answering(_ challenge: AuthenticationChallenge) -> (any Credential)? { self }
            func covers(_ target: TargetURL) -> Bool { true }
            func isAllowed(to destination: CredentialDestination) -> Bool { destination.target.path.hasPrefix("/a") }
            func authorization(for request: ConversationRequest) async throws -> String { "Basic right" }
        }
        let transport = ScriptedTransport { request, _ in
            if request.target.path == "/a/away" { return Answer(.found, [.location: "/b/redirected"]) }
            return request.authorization == nil
                ? Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"]) : Answer(.ok)
        }
        let manager = Self.manager(transport) { _, _ in .use(Bound(), .session) }
        for path in ["/a/1", "/b/2", "/a/3", "/a/away"] {
            _ = try await manager.data(for: HTTPRequest(.get, "http://h\(path)"))
        }
        let lines = transport.requests.map { "\($0.target.path) \($0.authorization ?? "-")" }
        #expect(
            lines == [
                "/a/1 -", "/a/1 Basic right", "/b/2 -", "/a/3 Basic right", "/a/away Basic right", "/b/redirected -",
            ])
    }

    @Test func aProxysChallengeFromAnOriginIsIgnored() async throws {
        let transport = ScriptedTransport { _, _ in
            Answer(
                .proxyAuthenticationRequired, [.proxyAuthenticate: "Basic realm=R", .wwwAuthenticate: "Basic realm=R"])
        }
        let manager = Self.manager(transport) { _, _ in
            Issue.record("asked")
            return .notHandled
        }
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/a")).status == .proxyAuthenticationRequired)
    }

    @Test(arguments: ["", "Basic realm=\"unclosed", "\u{1}", "Unheard-Of x=y"])
    func unreadableChallengesAreDelivered(value: String) async throws {
        let transport = ScriptedTransport { _, _ in Answer(.unauthorized, [.wwwAuthenticate: value], body: "page") }
        let manager = Self.manager(transport) { _, _ in .use(TokenCredential(token: "t"), .session) }
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/a")).text == "page")
    }

    /// One conversation tries a credential, and the others wait; a wrong one reaches the server once.
    @Test(arguments: ["right", "wrong"])
    func oneConversationTriesACredential(token: String) async throws {
        let count = 200
        let challenged = Box(0)
        let sent = Box(0)
        let gate = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport { request, _ in
            guard let authorization = request.authorization else {
                challenged.update { $0 += 1 }
                if challenged.value == count { gate.continuation.finish() }
                return Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
            }
            sent.update { $0 += 1 }
            return authorization == "Basic right"
                ? Answer(.ok) : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
        }
        let manager = Self.manager(transport) { _, _ in
            for await _ in gate.stream {}
            return .use(TokenCredential(token: token), .session)
        }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count {
                group.addTask { try await manager.data(for: HTTPRequest(.get, "http://h/a")).status.code }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(statuses == [token == "right" ? 200 : 401])
        #expect(sent.value == (token == "right" ? count : 1))
        #expect(challenged.value == count)
    }

    @Test func ifTheProberEndsAnotherOneTries() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let attempts = Box(0)
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            guard request.authorization != nil else {
                return Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
            }
            attempts.update { $0 += 1 }
            if attempts.value == 1 {
                for await _ in gate.stream {}
                throw ConversationError(.receiveFailed, "the network went away")
            }
            return Answer(.ok)
        }
        let manager = Self.manager(transport) { _, _ in .use(TokenCredential(token: "t"), .session) }
        let first = Task { try await manager.data(for: HTTPRequest(.get, "http://h/a")).status }
        while attempts.value == 0 { await Task.yield() }
        let second = Task { try await manager.data(for: HTTPRequest(.get, "http://h/a")).status }
        let third = Task { try await manager.data(for: HTTPRequest(.get, "http://h/a")).status }
        let space = ProtectionSpace(origin: try Origin(scheme: .http, host: "h"), method: .basic, realm: "R")
        let store = manager.configuration.session.credentials
        while store.waiterCount(on: space) < 2 { await Task.yield() }
        // They waited before they sent anything: their requests would only have been challenged, too.
        #expect(transport.requests.count == 2)
        third.cancel()
        await #expect(throws: ConversationError.self) { try await third.value }
        gate.continuation.finish()
        await #expect(throws: ConversationError.self) { try await first.value }
        #expect(try await second.value == .ok)
    }

    /// The first request with the credential gets no answer. After a while another one tries the credential, too.
    @Test(arguments: [CredentialPersistence.session, .conversation]) func aSlowAnswerDoesNotHoldUpOthers(
        persistence: CredentialPersistence
    ) async throws {
        let gate = AsyncStream<Void>.makeStream()
        let asked = Box(0)
        let clock = TestClock()
        let transport = ScriptedTransport { request, _ in
            guard request.authorization != nil else {
                return Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
            }
            if request.target.path == "/slow" { for await _ in gate.stream {} }
            return Answer(.ok)
        }
        let manager = testManager(transport) {
            $0.clock = clock
            $0.challengeFilters.add(
                TestFilter(onChallenge: { _, _ in
                    asked.update { $0 += 1 }
                    return .use(TokenCredential(token: "t"), persistence)
                }))
        }
        let slow = Task { try await manager.data(for: HTTPRequest(.get, "http://h/slow")).status }
        while transport.requests.count < 2 { await Task.yield() }
        let fast = Task { try await manager.data(for: HTTPRequest(.get, "http://h/fast")).status }
        await clock.waitForSleepers()
        #expect(transport.requests.count == 2)
        clock.advance(by: .seconds(5))
        #expect(try await fast.value == .ok)
        #expect(transport.requests.map(\.authorization) == [nil, "Basic t", nil, "Basic t"])
        gate.continuation.finish()
        #expect(try await slow.value == .ok)
        #expect(asked.value == 1)
    }

    /// The second request with the credential gets no answer either. After a minute one more tries it, and no second one
    /// with it.
    @Test func twoSlowAnswersDoNotHoldUpOthers() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let clock = TestClock()
        let tried = Box(0)
        let transport = ScriptedTransport { request, _ in
            guard request.authorization != nil else {
                return Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
            }
            tried.update { $0 += 1 }
            for await _ in gate.stream {}
            return Answer(.ok)
        }
        let manager = testManager(transport) {
            $0.clock = clock
            $0.challengeFilters.add(
                TestFilter(onChallenge: { _, _ in .use(TokenCredential(token: "t"), .session) }))
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<5 {
                group.addTask { try await manager.data(for: HTTPRequest(.get, "http://h/a")).status.code }
            }
            // The waits of all that are left: of four, then of three, then of two more.
            for (number, limit, waits) in [(1, 5, 4), (2, 60, 3), (3, 60, 5)] {
                let limit = Duration.seconds(limit)
                while tried.value < number || clock.slept.count(where: { $0 == limit }) < waits { await Task.yield() }
                #expect(tried.value == number)
                clock.advance(by: limit)
            }
            while tried.value < 4 { await Task.yield() }
            gate.continuation.finish()
            for try await status in group { #expect(status == 200) }
        }
    }

    /// However many wait for it, a wrong credential is tried twice at most within a minute.
    @Test func aWrongCredentialIsTriedTwiceAtMost() async throws {
        let gate = AsyncStream<Void>.makeStream()
        let tried = Box(0)
        let clock = TestClock()
        let transport = ScriptedTransport { request, _ in
            if request.authorization != nil {
                tried.update { $0 += 1 }
                for await _ in gate.stream {}
            }
            return Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
        }
        let manager = testManager(transport) {
            $0.clock = clock
            $0.challengeFilters.add(
                TestFilter(onChallenge: { _, _ in .use(TokenCredential(token: "wrong"), .session) }))
        }
        let space = ProtectionSpace(origin: try Origin(scheme: .http, host: "h"), method: .basic, realm: "R")
        let store = manager.configuration.session.credentials
        let count = 10
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count {
                group.addTask { try await manager.data(for: HTTPRequest(.get, "http://h/a")).status.code }
            }
            while tried.value < 1 || store.waiterCount(on: space) < count - 1 { await Task.yield() }
            await clock.waitForSleepers(count - 1)
            #expect(tried.value == 1)
            clock.advance(by: .seconds(5))
            while tried.value < 2 || store.waiterCount(on: space) < count - 2 { await Task.yield() }
            gate.continuation.finish()
            for try await status in group { #expect(status == 401) }
        }
        #expect(tried.value == 2)
    }

    @Test func sessionsShareNothing() async throws {
        let transport = ScriptedTransport { request, _ in
            switch request.authorization {
            case "Basic alice": Answer(.ok, [.setCookie: "sid=alice"], body: "alice's")
            case "Basic bob": Answer(.ok, [.setCookie: "sid=bob"], body: "bob's")
            default: Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
            }
        }
        let managers = ["alice", "bob"].map { name in
            Self.manager(transport) { _, _ in .use(TokenCredential(token: name), .session) }
        }
        for _ in 0..<3 {
            for (manager, name) in zip(managers, ["alice", "bob"]) {
                #expect(try await manager.data(for: HTTPRequest(.get, "http://h/")).text == "\(name)'s")
                #expect(manager.configuration.session.cookies.snapshot.cookies.map(\.value) == [name])
            }
        }
        #expect(transport.requests.count == 8)
    }

    @Test func removedCredentialsAreGone() async throws {
        let transport = Self.server()
        let manager = Self.manager(transport) { _, _ in .use(TokenCredential(token: "right"), .session) }
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/a"))
        manager.configuration.session.removeCredentials()
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/a"))
        #expect(transport.requests.map(\.authorization) == [nil, "Basic right", nil, "Basic right"])
    }
}
