import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// The memory of refused logins. Each attempt brings an account closer to being locked.
@Suite(.timeLimit(.minutes(1))) struct LoginTrialsTests {
    private let clock = TestClock()
    private let trials: LoginTrials<String>

    init() { trials = LoginTrials(clock: clock) }

    private static func login(_ password: String, _ name: String = "alice") -> UsernamePassword {
        UsernamePassword(username: name, password: password)
    }

    private func trial(_ login: UsernamePassword = login("a"), at place: String = "place") -> LoginTrials<String>.Trial?
    {
        guard case .send(let trial) = trials.decide(login, at: place) else { return nil }
        return trial
    }

    @Test func aRefusedLoginIsTriedAgainAfterTenMinutes() throws {
        trials.settle(try #require(trial()), .refused)
        clock.advance(by: .seconds(599))
        #expect(trial() == nil && trials.isRefused(Self.login("a"), at: "place"))
        clock.advance(by: .seconds(1))
        trials.settle(try #require(trial()), .refused)
        #expect(trial() == nil)
    }

    @Test func anotherPasswordUserOrPlaceIsAnotherLogin() throws {
        trials.settle(try #require(trial()), .refused)
        #expect(trial(Self.login("b")) != nil && trial(Self.login("a", "bob")) != nil && trial(at: "other") != nil)
    }

    /// A server compares the bytes of a password.
    @Test func aTextThatSwiftCountsAsEqualIsAnotherLogin() throws {
        trials.settle(try #require(trial(Self.login("p\u{e4}ss"))), .refused)
        #expect(trial(Self.login("p\u{e4}ss")) == nil)
        trials.settle(try #require(trial(Self.login("pa\u{308}ss"))), .accepted)
        trials.settle(try #require(trial(Self.login("x", "ren\u{e9}"))), .refused)
        #expect(trial(Self.login("x", "rene\u{301}")) != nil)
    }

    @Test func aRefusedLoginIsSentAgainOnRequest() throws {
        trials.settle(try #require(trial()), .refused)
        guard case .send = trials.decide(Self.login("a"), at: "place", again: true) else {
            Issue.record("It was not allowed.")
            return
        }
    }

    /// It was sent before the password was changed.
    @Test func aLateAcceptanceDoesNotCount() throws {
        trials.settle(try #require(trial()), .accepted)
        let (first, second) = (try #require(trial()), try #require(trial()))
        trials.settle(first, .refused)
        trials.settle(try #require(trial()), .refused)
        trials.settle(second, .accepted)
        #expect(trial() == nil)
    }

    /// The server may have failed: the next request tries the login, and its outcome counts.
    @Test(arguments: [true, false]) func oneRefusalOfAnAcceptedLoginEndsItsAcceptance(isAcceptedAgain: Bool) throws {
        trials.settle(try #require(trial()), .accepted)
        let (first, late) = (try #require(trial()), try #require(trial()))
        trials.settle(first, .refused)
        #expect(!trials.isRefused(Self.login("a"), at: "place"))
        let second = try #require(trial())
        #expect(trial() == nil, "another request is trying it")
        trials.settle(late, .refused)
        trials.settle(second, isAcceptedAgain ? .accepted : .refused)
        #expect((trial() != nil) == isAcceptedAgain)
    }

    @Test(arguments: [LoginTrials<String>.Outcome.accepted, .refused, .unknown])
    func othersWaitForTheOutcome(_ outcome: LoginTrials<String>.Outcome) async throws {
        let first = try #require(trial())
        let (trials, login) = (trials, Self.login("a"))
        let sent = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    guard let trial = try await trials.permission(for: login, at: "place") else { return false }
                    trials.settle(trial, outcome)
                    return true
                }
            }
            trials.settle(first, outcome)
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(sent == (outcome == .refused ? 0 : 20))
    }

    @Test func aWaiterCanBeCancelled() async throws {
        _ = try #require(trial())
        let (trials, login) = (trials, Self.login("a"))
        let waiter = Task { try await trials.permission(for: login, at: "place") }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    /// The oldest is forgotten, but none that is being tried.
    @Test func theLoginsAreBounded() throws {
        let running = try #require(trial(at: "running"))
        for number in 0...LoginTrials<String>.maximumLogins {
            trials.settle(try #require(trial(at: "\(number)")), .refused)
            clock.advance(by: .milliseconds(1))
        }
        #expect(!trials.isRefused(Self.login("a"), at: "0") && trials.isRefused(Self.login("a"), at: "2"))
        trials.settle(running, .refused)
        #expect(trials.isRefused(Self.login("a"), at: "running"))
    }

    @Test func itIsDescribedWithoutThePassword() throws {
        trials.settle(try #require(trial(Self.login("geheim-canary"))), .refused)
        var shown = "\(trials)"
        dump(trials, to: &shown)
        #expect(!shown.contains("canary"))
    }
}
