import HttpConvConcurrency
import HttpConversation
import Synchronization

/// Remembers which logins were refused, so that none is sent again soon: each attempt brings an account closer to being
/// locked. Another password, or another user name, is another login.
///
/// A login that was not accepted yet is tried once, while other requests with it wait for the outcome. A request with a
/// limit for its wait then tries it, too: one at a time.
final class PasswordAttempts<Place: Hashable & Sendable>: Sendable {
    /// The outcome of sending a login.
    enum Outcome: Sendable {
        case accepted, refused
        /// There was no answer, or one that says nothing about the login.
        case unknown
    }

    /// A login that may be sent; its outcome has to be reported.
    struct Attempt: Sendable {
        fileprivate let key: Key
        /// Whether others wait for its outcome.
        fileprivate let isAwaited: Bool
    }

    /// The decision about a login.
    enum Decision: Sendable {
        case send(Attempt)
        /// Another request is trying it.
        case wait
        case refused
    }

    fileprivate struct Key: Hashable, Sendable {
        let place: Place
        let login: UsernamePassword
    }

    private struct Entry {
        var isAccepted = false
        /// The time of its refusal.
        var refusal: Duration?
        /// The number of requests that try it.
        var tries = 0
        /// The time of the last decision or outcome.
        var use: Duration
    }

    /// The time after which a refused login may be tried again: a few times an hour, below the limits that lock
    /// accounts.
    static var refusalLifetime: Duration { .seconds(10 * 60) }
    /// The number of logins that are remembered.
    static var maximumLogins: Int { 100 }

    private let clock: any WallClock
    private let state = Mutex<[Key: Entry]>([:])
    /// Wakes those that wait for the outcome of a login.
    private let outcomes = ConditionVariable<Key>()

    init(clock: any WallClock = SystemClock()) { self.clock = clock }

    // MARK: Before a login is sent

    /// Decides whether a login may be sent now.
    ///
    /// - Parameters:
    ///   - again: whether a refused one may be sent, too
    ///   - awaited: the number of requests that have tried it for too long: if they still do, it is sent, too
    func decide(
        _ login: UsernamePassword, at place: Place, again: Bool = false, awaited: Int? = nil
    ) -> Decision {
        let key = Key(place: place, login: login)
        let now = clock.uptime
        return state.withLock { entries in
            var entry = entries[key] ?? Entry(use: now)
            if entry.tries > 0, entry.tries != awaited { return .wait }
            if !again, Self.isRefused(entry, at: now) { return .refused }
            entry.use = now
            if !entry.isAccepted { entry.tries += 1 }
            Self.store(entry, under: key, in: &entries)
            return .send(Attempt(key: key, isAwaited: !entry.isAccepted))
        }
    }

    /// Waits until a login may be sent, or was refused.
    ///
    /// - Parameter clock: limits each wait until it is sent although another request is still trying it; nil for no
    ///   limit
    /// - Returns: nil if it was refused
    /// - Throws: `CancellationError`
    func permission(
        for login: UsernamePassword, at place: Place, again: Bool = false, clock: (any Clock<Duration>)? = nil
    ) async throws -> Attempt? {
        var awaited: Int?
        while true {
            try Task.checkCancellation()
            switch decide(login, at: place, again: again, awaited: awaited) {
            case .send(let attempt): return attempt
            case .refused: return nil
            case .wait: awaited = await waitForOutcome(of: Key(place: place, login: login), clock: clock)
            }
        }
    }

    /// Whether a login was refused a short time ago.
    func isRefused(_ login: UsernamePassword, at place: Place) -> Bool {
        let now = clock.uptime
        return state.withLock { entries in
            entries[Key(place: place, login: login)].map { Self.isRefused($0, at: now) } ?? false
        }
    }

    private static func isRefused(_ entry: Entry, at now: Duration) -> Bool {
        entry.refusal.map { now < $0 + refusalLifetime } ?? false
    }

    /// - Returns: the number of requests that try the login, if the limit has passed
    private func waitForOutcome(of key: Key, clock: (any Clock<Duration>)?) async -> Int? {
        let tries = tries(of: key)
        return await Waiting.during("for the login that another request is trying") {
            let wait: @Sendable () async -> Void = {
                await self.outcomes.wait(for: key) { self.tries(of: key) == 0 }
            }
            guard let clock else {
                await wait()
                return nil
            }
            let limit = CredentialStore.longestWait(probers: tries)
            return await Deadline.race(limit, clock: clock, wait) == nil ? tries : nil
        }
    }

    private func tries(of key: Key) -> Int { state.withLock { $0[key]?.tries ?? 0 } }

    // MARK: Outcomes

    /// Records the outcome of a login that was sent.
    ///
    /// The refusal of an accepted login only ends its acceptance, because it may be a failure of the server: one more
    /// request tries the login, and its outcome counts. A late acceptance does not count.
    func settle(_ attempt: Attempt, _ outcome: Outcome) {
        if attempt.isAwaited {
            settle(attempt.key, outcome, endsAttempt: true)
        } else if outcome == .refused {
            state.withLock { $0[attempt.key]?.isAccepted = false }
        }
    }

    /// Records the refusal of a login that was sent without asking here.
    func refuse(_ login: UsernamePassword, at place: Place) {
        settle(Key(place: place, login: login), .refused, endsAttempt: false)
    }

    private func settle(_ key: Key, _ outcome: Outcome, endsAttempt: Bool) {
        let now = clock.uptime
        state.withLock { entries in
            var entry = entries[key] ?? Entry(use: now)
            if outcome != .unknown {
                entry.isAccepted = outcome == .accepted
                entry.refusal = outcome == .refused ? now : nil
            }
            // Without an answer, the other requests that try it go on.
            if endsAttempt { entry.tries = outcome == .unknown ? max(0, entry.tries - 1) : 0 }
            entry.use = now
            Self.store(entry, under: key, in: &entries)
        }
        if endsAttempt { outcomes.notify(key) }
    }

    private static func store(_ entry: Entry, under key: Key, in entries: inout [Key: Entry]) {
        if entries[key] == nil, entries.count >= maximumLogins,
            let oldest = entries.filter({ $0.value.tries == 0 }).min(by: { $0.value.use < $1.value.use })
        {
            entries[oldest.key] = nil
        }
        entries[key] = entry
    }
}

extension PasswordAttempts: CustomStringConvertible, CustomReflectable {
    /// The number of logins.
    var description: String { "PasswordAttempts of \(state.withLock { $0.count }) logins" }
    var customMirror: Mirror { Mirror(self, children: ["logins": description]) }
}
