import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// The memory of refused logins. Each attempt brings an account closer to being locked.
@Suite(.timeLimit(.minutes(1))) struct PasswordAttemptsTests {
    private typealias Attempts = PasswordAttempts<String>

    private let clock = TestClock()
    private let attempts: Attempts

    init() { attempts = Attempts(clock: clock) }

    private static func login(_ password: String, _ name: String = "alice") -> UsernamePassword {
        UsernamePassword(username: name, password: password)
    }

    private func attempt(_ login: UsernamePassword = login("a"), at place: String = "place") -> Attempts.Attempt? {
        guard case .send(let attempt) = attempts.decide(login, at: place) else { return nil }
        return attempt
    }

    @Test func aRefusedLoginIsTriedAgainAfterTenMinutes() throws {
        attempts.settle(try #require(attempt()), .refused)
        clock.advance(by: .seconds(599))
        #expect(attempt() == nil && attempts.isRefused(Self.login("a"), at: "place"))
        clock.advance(by: .seconds(1))
        attempts.settle(try #require(attempt()), .refused)
        #expect(attempt() == nil)
    }

    /// Two requests try it, and one of them gets no answer: no third one joins.
    @Test func oneWithoutAnAnswerLeavesTheOther() throws {
        let first = try #require(attempt())
        guard case .send(let second) = attempts.decide(Self.login("a"), at: "place", awaited: 1) else {
            Issue.record("It was not allowed.")
            return
        }
        attempts.settle(second, .unknown)
        #expect(attempt() == nil)
        attempts.settle(first, .accepted)
        #expect(attempt() != nil)
    }

    @Test func anotherPasswordUserOrPlaceIsAnotherLogin() throws {
        attempts.settle(try #require(attempt()), .refused)
        #expect(
            attempt(Self.login("b")) != nil && attempt(Self.login("a", "bob")) != nil && attempt(at: "other") != nil)
    }

    /// A server compares the bytes of a password.
    @Test func aTextThatSwiftCountsAsEqualIsAnotherLogin() throws {
        attempts.settle(try #require(attempt(Self.login("p\u{e4}ss"))), .refused)
        #expect(attempt(Self.login("p\u{e4}ss")) == nil)
        attempts.settle(try #require(attempt(Self.login("pa\u{308}ss"))), .accepted)
        attempts.settle(try #require(attempt(Self.login("x", "ren\u{e9}"))), .refused)
        #expect(attempt(Self.login("x", "rene\u{301}")) != nil)
    }

    @Test func aRefusedLoginIsSentAgainOnRequest() throws {
        attempts.settle(try #require(attempt()), .refused)
        guard case .send = attempts.decide(Self.login("a"), at: "place", again: true) else {
            Issue.record("It was not allowed.")
            return
        }
    }

    /// It was sent before the password was changed.
    @Test func aLateAcceptanceDoesNotCount() throws {
        attempts.settle(try #require(attempt()), .accepted)
        let (first, second) = (try #require(attempt()), try #require(attempt()))
        attempts.settle(first, .refused)
        attempts.settle(try #require(attempt()), .refused)
        attempts.settle(second, .accepted)
        #expect(attempt() == nil)
    }

    /// The server may have failed: the next request tries the login, and its outcome counts.
    @Test(arguments: [true, false]) func oneRefusalOfAnAcceptedLoginEndsItsAcceptance(isAcceptedAgain: Bool) throws {
        attempts.settle(try #require(attempt()), .accepted)
        let (first, late) = (try #require(attempt()), try #require(attempt()))
        attempts.settle(first, .refused)
        #expect(!attempts.isRefused(Self.login("a"), at: "place"))
        let second = try #require(attempt())
        #expect(attempt() == nil, "another request is trying it")
        attempts.settle(late, .refused)
        attempts.settle(second, isAcceptedAgain ? .accepted : .refused)
        #expect((attempt() != nil) == isAcceptedAgain)
    }

    @Test(arguments: [PasswordAttempts<String>.Outcome.accepted, .refused, .unknown])
    func othersWaitForTheOutcome(_ outcome: PasswordAttempts<String>.Outcome) async throws {
        let first = try #require(attempt())
        let (attempts, login) = (attempts, Self.login("a"))
        let sent = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    guard let attempt = try await attempts.permission(for: login, at: "place") else { return false }
                    attempts.settle(attempt, outcome)
                    return true
                }
            }
            attempts.settle(first, outcome)
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(sent == (outcome == .refused ? 0 : 20))
    }

    @Test func aWaiterCanBeCancelled() async throws {
        _ = try #require(attempt())
        let (attempts, login) = (attempts, Self.login("a"))
        let waiter = Task { try await attempts.permission(for: login, at: "place") }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    /// The oldest is forgotten, but none that is being tried.
    @Test func theLoginsAreBounded() throws {
        let running = try #require(attempt(at: "running"))
        for number in 0...PasswordAttempts<String>.maximumLogins {
            attempts.settle(try #require(attempt(at: "\(number)")), .refused)
            clock.advance(by: .milliseconds(1))
        }
        #expect(!attempts.isRefused(Self.login("a"), at: "0") && attempts.isRefused(Self.login("a"), at: "2"))
        attempts.settle(running, .refused)
        #expect(attempts.isRefused(Self.login("a"), at: "running"))
    }

    @Test func itIsDescribedWithoutThePassword() throws {
        attempts.settle(try #require(attempt(Self.login("geheim-canary"))), .refused)
        var shown = "\(attempts)"
        dump(attempts, to: &shown)
        #expect(!shown.contains("canary"))
    }
}
