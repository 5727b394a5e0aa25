import HTTPTypes
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConversation

/// A service's users each have a session, within limits (security rule S2).
@Suite(.timeLimit(.minutes(1))) struct UserSessionsTests {
    private let clock = TestClock()
    private let transport = ScriptedTransport { _, _ in
        .init(.ok, [.setCookie: "seen=yes"], body: "hello")
    }

    private func users(
        limits change: (inout UserSessions<String>.Limits) -> Void = { _ in },
        making make: @escaping @Sendable (String) async throws -> HttpConversationManager.Configuration = { _ in
            HttpConversationManager.Configuration()
        }
    ) -> UserSessions<String> {
        var limits = UserSessions<String>.Limits()
        change(&limits)
        return UserSessions(transport: transport, limits: limits, clock: clock, make: make)
    }

    @Test("Each user has one manager, whose cookies no other user has")
    func apart() async throws {
        let users = users()
        let alice = try await users.manager(of: "alice")
        let bob = try await users.manager(of: "bob")
        _ = try await alice.get("https://example.com/")
        #expect(alice.configuration.session.cookies.snapshot.cookies.count == 1)
        #expect(bob.configuration.session.cookies.snapshot.cookies.isEmpty)
        #expect(try await users.manager(of: "alice") === alice)
        #expect(users.existingManager(of: "bob") === bob)
        #expect(users.existingManager(of: "carol") == nil)
        #expect(users.count == 2)
    }

    @Test("Users whose names have other bytes have two sessions, also if Swift counts the names as equal")
    func equalTexts() async throws {
        let users = users()
        let (composed, decomposed) = ("ren\u{e9}", "rene\u{301}")
        #expect(composed == decomposed)
        let one = try await users.manager(of: composed)
        #expect(users.existingManager(of: decomposed) == nil)
        let other = try await users.manager(of: decomposed)
        #expect(one !== other && one.configuration.session !== other.configuration.session)
        #expect(try await users.manager(of: composed) === one)
        #expect(users.remove(composed) === one)
        #expect(users.existingManager(of: decomposed) === other)
        #expect(users.count == 1)
        let parts = UserSessions<Substring>(transport: transport) { _ in .init() }
        #expect(try await parts.manager(of: composed[...]) !== parts.manager(of: decomposed[...]))
    }

    @Test("A session of one user is refused for another whose name Swift counts as equal")
    func sessionOfAnEqualText() async throws {
        let session = HttpSession()
        let users = users(making: { _ in
            var configuration = HttpConversationManager.Configuration()
            configuration.session = session
            return configuration
        })
        _ = try await users.manager(of: "ren\u{e9}")
        let error = await #expect(throws: ConversationError.self) { try await users.manager(of: "rene\u{301}") }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("Each user has a screen of their own, unless the service chose one")
    func screens() async throws {
        let chosen = UserInteractionMultiplexer()
        let users = users(making: { user in
            var configuration = HttpConversationManager.Configuration()
            if user == "carol" { configuration.multiplexer = chosen }
            return configuration
        })
        let screens = try await [users.manager(of: "alice"), users.manager(of: "bob"), users.manager(of: "carol")]
            .map(\.configuration.multiplexer)
        #expect(screens.allSatisfy { $0 !== UserInteractionMultiplexer.shared })
        #expect(screens[0] !== screens[1])
        #expect(screens[2] === chosen)
    }

    @Test("Above the limit, the least recently used session is removed")
    func leastRecentlyUsed() async throws {
        let users = users(limits: { $0.maximumUsers = 3 })
        for user in ["alice", "bob", "carol"] { _ = try await users.manager(of: user) }
        _ = users.existingManager(of: "alice")
        _ = try await users.manager(of: "dave")
        #expect(users.existingManager(of: "bob") == nil)
        for user in ["alice", "carol", "dave"] { #expect(users.existingManager(of: user) != nil, "\(user)") }
        _ = try await users.manager(of: "erin")
        #expect(users.existingManager(of: "alice") == nil)
        #expect(users.count == 3)
    }

    @Test("A session without use leaves, and one that is used stays until its maximum age")
    func ages() async throws {
        let users = users(limits: {
            $0.idleTime = .seconds(60)
            $0.maximumAge = .seconds(150)
        })
        let alice = try await users.manager(of: "alice")
        _ = try await users.manager(of: "bob")
        clock.advance(by: .seconds(59))
        #expect(try await users.manager(of: "alice") === alice)
        clock.advance(by: .seconds(1))
        #expect(users.existingManager(of: "bob") == nil)
        #expect(users.count == 1)
        clock.advance(by: .seconds(50))
        #expect(users.existingManager(of: "alice") === alice)
        clock.advance(by: .seconds(40))
        let new = try await users.manager(of: "alice")
        #expect(new !== alice)
        #expect(new.configuration.session !== alice.configuration.session)
    }

    @Test("With 5,000 users in turn, there are as many managers as the limit allows")
    func bounded() async throws {
        let users = users(limits: { $0.maximumUsers = 100 })
        let all = WeakManagers()
        for number in 0..<5000 { all.add(try await users.manager(of: "user \(number)")) }
        #expect(users.count == 100)
        // The task that made the last one may still hold it, and the one that had to leave.
        try await until { all.living == 100 }
        users.removeAll()
        try await until { all.living == 0 }
    }

    @Test("Simultaneous calls for a user make one manager")
    func once() async throws {
        let gate = Gate()
        let count = Mutex(0)
        let users = users(making: { _ in
            count.withLock { $0 += 1 }
            try await gate.wait()
            return HttpConversationManager.Configuration()
        })
        let managers = try await withThrowingTaskGroup(of: HttpConversationManager.self) { group in
            for _ in 0..<20 { group.addTask { try await users.manager(of: "alice") } }
            gate.open()
            return try await group.reduce(into: [ObjectIdentifier: HttpConversationManager]()) {
                $0[ObjectIdentifier($1)] = $1
            }
        }
        #expect(managers.count == 1)
        #expect(count.withLock { $0 } == 1)
    }

    /// Each call reads whose turn it is to make the manager, and joins a moment later: the run may have ended in
    /// between.
    @Test("Calls that come while a manager is being kept get that manager")
    func onceWhileItEnds() async throws {
        let count = Mutex(0)
        let users = users(making: { _ in
            count.withLock { $0 += 1 }
            return HttpConversationManager.Configuration()
        })
        let rounds = 4000
        for round in 1...rounds {
            users.remove("alice")
            let managers = try await withThrowingTaskGroup(of: HttpConversationManager.self) { group in
                for _ in 0..<8 { group.addTask { try await users.manager(of: "alice") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try #require(Set(managers.map(ObjectIdentifier.init)).count == 1, "in round \(round)")
        }
        #expect(count.withLock { $0 } == rounds)
    }

    @Test("A manager that was being made while its user logged out is not kept")
    func removedMeanwhile() async throws {
        let gate = Gate()
        let arrived = Mutex(false)
        let users = users(making: { _ in
            arrived.withLock { $0 = true }
            try await gate.wait()
            return HttpConversationManager.Configuration()
        })
        async let first = users.manager(of: "alice")
        try await until { arrived.withLock { $0 } }
        users.remove("alice")
        async let second = users.manager(of: "alice")
        gate.open()
        let managers = try await (first, second)
        #expect(managers.0 !== managers.1)
        #expect(users.existingManager(of: "alice") === managers.1)
    }

    @Test("A call after one that was cancelled gets a manager that is kept")
    func cancelledMeanwhile() async throws {
        let gate = Gate()
        let calls = Mutex(0)
        let users = users(making: { _ in
            calls.withLock { $0 += 1 }
            try await gate.wait()
            return HttpConversationManager.Configuration()
        })
        let first = Task { try await users.manager(of: "alice") }
        try await until { calls.withLock { $0 } == 1 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await users.manager(of: "alice") }
        gate.open()
        let manager = try await second.value
        #expect(users.existingManager(of: "alice") === manager)
        #expect(calls.withLock { $0 } == 1)
    }

    @Test("A failure is the caller's, and the next call tries again")
    func failure() async throws {
        struct Unknown: Error {}
        let tries = Mutex(0)
        let users = users(making: { _ in
            if tries.withLock({
                $0 += 1
                return $0
            }) == 1 {
                throw Unknown()
            }
            return HttpConversationManager.Configuration()
        })
        await #expect(throws: Unknown.self) { _ = try await users.manager(of: "alice") }
        #expect(users.count == 0)
        _ = try await users.manager(of: "alice")
        #expect(users.count == 1)
    }

    @Test("Two users with one session are a mistake of the service, and the second gets none")
    func sharedSession() async throws {
        let session = HttpSession()
        let users = users(making: { _ in HttpConversationManager.Configuration(session: session) })
        _ = try await users.manager(of: "alice")
        let error = await #expect(throws: ConversationError.self) { _ = try await users.manager(of: "bob") }
        #expect(error?.code == .invalidConfiguration)
        #expect(users.existingManager(of: "bob") == nil)
        // A user may come back with the session that they had.
        #expect(users.remove("alice")?.configuration.session === session)
        #expect(try await users.manager(of: "alice").configuration.session === session)
    }

    @Test("No user gets the session of one who has left", arguments: ["remove", "removeAll", "idle", "age", "making"])
    func sessionOfOneWhoLeft(way: String) async throws {
        let session = HttpSession()
        let registry = Mutex<UserSessions<String>?>(nil)
        let users = users(limits: { $0.maximumAge = .seconds(7200) }) { user in
            if way == "making", user == "alice" { registry.withLock { $0 }?.remove(user) }
            return HttpConversationManager.Configuration(session: session)
        }
        registry.withLock { $0 = users }
        _ = try await users.manager(of: "alice")
        switch way {
        case "remove": users.remove("alice")
        case "removeAll": users.removeAll()
        case "idle": clock.advance(by: .seconds(1801))
        case "age": clock.advance(by: .seconds(7201))
        default: break
        }
        #expect(users.existingManager(of: "alice") == nil)
        let error = await #expect(throws: ConversationError.self) { _ = try await users.manager(of: "bob") }
        #expect(error?.code == .invalidConfiguration)
        #expect(users.existingManager(of: "bob") == nil)
        registry.withLock { $0 = nil }
    }

    @Test("A removed user's running conversation ends as it would have")
    func runningConversation() async throws {
        let gate = Gate()
        let arrived = Mutex(false)
        let transport = ScriptedTransport { _, _ in
            arrived.withLock { $0 = true }
            try? await gate.wait()
            return .init(.ok, body: "late")
        }
        let users = UserSessions<Int>(transport: transport) { _ in HttpConversationManager.Configuration() }
        async let text = users.manager(of: 1).get("https://example.com/").text
        try await until { arrived.withLock { $0 } }
        users.removeAll()
        gate.open()
        #expect(try await text == "late")
    }

    @Test func theDescriptionNamesNobody() async throws {
        let users = users()
        _ = try await users.manager(of: "alice")
        #expect("\(users)" == "UserSessions of 1 users")
    }
}

private final class WeakManagers {
    private struct Box { weak var manager: HttpConversationManager? }
    private var boxes: [Box] = []
    func add(_ manager: HttpConversationManager) { boxes.append(Box(manager: manager)) }
    var living: Int { boxes.filter { $0.manager != nil }.count }
}
