import HTTPTypes
package import HttpConvConcurrency
import HttpConvPlatform
import Synchronization

/// The cookies of one identity (RFC 6265, with the name prefixes of its successor; security rule S15).
///
/// Thread-safe. Cookies have no port: `http://host:1` and `http://host:2` share them.
public final class CookieStore: Sendable {
    /// The contents of a store at one moment, for a file or another process. Contains secrets.
    public struct Snapshot: Sendable, Codable, Hashable {
        /// The cookies in order of creation.
        public var cookies: [Cookie]

        /// A snapshot from cookies.
        public init(cookies: [Cookie] = []) { self.cookies = cookies }
    }

    struct State {
        /// Cookies by domain, so that a request checks only those of its host and the host's parents.
        var byDomain: [String: [Cookie]] = [:]
        var count = 0
        /// Cookies that a web login handed over, with the epoch of the hand-over.
        var handedOver: [CookieIdentity: UInt64] = [:]
        /// The cookies that requests carried and their responses replaced, the last of each identity: a response that is
        /// a challenge is undone.
        var replaced: [CookieIdentity: Cookie] = [:]
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        var readers: [Int: AsyncStream<Snapshot>.Continuation] = [:]
        var nextObserver = 0
        var lastCreation = Date.distantPast
        /// The number of changes.
        var version = 0
        /// The field of the last request, for further requests to the same URL; nil after a change.
        var last: (target: TargetURL, field: HTTPField)?

        /// A time later than that of every earlier cookie: a response sets several at the same time, and files have no
        /// order.
        mutating func nextCreation(at date: Date) -> Date {
            lastCreation = max(date, lastCreation.addingTimeInterval(0.000_001))
            return lastCreation
        }

        /// Removes a cookie of a domain, without a look at those of other domains.
        mutating func take(_ identity: CookieIdentity, of domain: String) -> Cookie? {
            guard let index = byDomain[domain]?.firstIndex(where: { CookieIdentity($0) == identity }) else {
                return nil
            }
            count -= 1
            guard byDomain[domain]?.count != 1 else { return byDomain.removeValue(forKey: domain)?.first }
            return byDomain[domain]?.remove(at: index)
        }
    }

    let state: Mutex<State>
    /// Whether the store is empty. While it is true, a request costs one atomic load.
    let isEmptyHint: Atomic<Bool>
    let suffixes: PublicSuffixList?
    let clock: any WallClock
    static let maximumPerDomain = 180
    static let maximum = 3000

    /// Creates a store, empty or filled from a snapshot. Drops cookies of the snapshot that no server could have set.
    ///
    /// - Parameters:
    ///   - snapshot: the initial cookies
    ///   - suffixes: the public suffix list; nil: the list of the conversation that receives a cookie. Without any, a
    ///     cookie is host-only, whatever its `Domain` says
    public convenience init(_ snapshot: Snapshot = Snapshot(), suffixes: PublicSuffixList? = nil) {
        self.init(snapshot, suffixes: suffixes, clock: SystemClock())
    }

    /// Creates a store with another clock; for tests.
    package init(_ snapshot: Snapshot = Snapshot(), suffixes: PublicSuffixList? = nil, clock: any WallClock) {
        self.suffixes = suffixes
        self.clock = clock
        state = Mutex(State())
        isEmptyHint = Atomic(true)
        replaceAll(with: snapshot)
    }

    deinit {
        state.withLock { state in
            for observer in state.observers.values { observer.finish() }
            for reader in state.readers.values { reader.finish() }
        }
    }

    /// An empty store with the same suffix list and clock.
    package func emptied() -> CookieStore { CookieStore(suffixes: suffixes, clock: clock) }

    /// The contents of the store, without expired cookies.
    public var snapshot: Snapshot {
        let date = clock.date
        return state.withLock { Self.snapshot(of: $0, at: date) }
    }

    private static func snapshot(of state: State, at date: Date) -> Snapshot {
        Snapshot(cookies: state.byDomain.values.joined().filter { !$0.hasExpired(at: date) }.sorted(by: isOlder))
    }

    /// Sorts by age; the other criteria only make the order of simultaneous cookies deterministic.
    private static func isOlder(_ left: Cookie, _ right: Cookie) -> Bool {
        (left.created, left.domain, left.path, left.name) < (right.created, right.domain, right.path, right.name)
    }

    /// Replaces the whole contents with a snapshot.
    public func replaceAll(with snapshot: Snapshot) {
        state.withLock { state in
            let cookies = snapshot.cookies.compactMap(admitted)
            state.byDomain = Dictionary(grouping: cookies, by: \.domain)
            state.count = cookies.count
            state.handedOver = [:]
            state.replaced = [:]
            changed(&state)
        }
    }

    /// Removes every cookie.
    public func removeAll() { replaceAll(with: Snapshot()) }

    /// Removes the cookies that would be sent to `target`.
    public func removeCookies(for target: TargetURL) {
        for cookie in cookies(for: target) {
            state.withLock { state in
                remove(&state) { CookieIdentity($0) == CookieIdentity(cookie) }
                changed(&state)
            }
        }
    }

    /// Yields an element for each change, while it is iterated; quick changes may be combined. Ends with the store.
    public var changes: AsyncStream<Void> { stream(\.observers) }

    /// Yields the contents after each change, while it is iterated; quick changes may be combined. Ends with the store,
    /// after its last change.
    package var snapshots: AsyncStream<Snapshot> { stream(\.readers) }

    private func stream<Element: Sendable>(
        _ listeners: any WritableKeyPath<State, [Int: AsyncStream<Element>.Continuation]> & Sendable
    ) -> AsyncStream<Element> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = state.withLock { state in
                state.nextObserver += 1
                state[keyPath: listeners][state.nextObserver] = continuation
                return state.nextObserver
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0[keyPath: listeners][id] = nil }
            }
        }
    }

    /// Checks a cookie from elsewhere.
    func admitted(_ cookie: Cookie) -> Cookie? {
        suffixes == nil ? CookieRules.checked(cookie) : CookieRules.checked(cookie, readBackWith: suffixes)
    }

    /// Removes the cookies that fulfil a condition.
    func remove(_ state: inout State, where condition: (Cookie) -> Bool) {
        state.replaced = state.replaced.filter { !condition($0.value) }
        for domain in state.byDomain.keys {
            state.byDomain[domain]?.removeAll(where: condition)
            if state.byDomain[domain]?.isEmpty == true { state.byDomain[domain] = nil }
        }
        state.count = state.byDomain.values.reduce(0) { $0 + $1.count }
    }

    /// Records a change of the cookies, and reports it to observers and readers.
    func changed(_ state: inout State) {
        state.version += 1
        state.last = nil
        isEmptyHint.store(state.count == 0, ordering: .releasing)
        for observer in state.observers.values { observer.yield() }
        guard !state.readers.isEmpty else { return }
        let snapshot = Self.snapshot(of: state, at: clock.date)
        for reader in state.readers.values { reader.yield(snapshot) }
    }
}
