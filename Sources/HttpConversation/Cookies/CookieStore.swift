import HTTPTypes
package import HttpConvConcurrency
import HttpConvFormats
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

    private struct State {
        /// Cookies by domain, so that a request checks only those of its host and the host's parents.
        var byDomain: [String: [Cookie]] = [:]
        var count = 0
        /// Cookies that a web login handed over, with the epoch of the hand-over.
        var handedOver: [CookieIdentity: UInt64] = [:]
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

    private let state: Mutex<State>
    /// Makes a request without cookies cost one atomic load.
    private let isEmptyHint: Atomic<Bool>
    private let suffixes: PublicSuffixList?
    private let clock: any WallClock
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

    // MARK: Sending

    /// The cookies for `target`, in the order of RFC 6265 §5.4: longer paths first, then older ones.
    public func cookies(for target: TargetURL) -> [Cookie] {
        if isEmptyHint.load(ordering: .acquiring) { return [] }
        let origin = target.origin
        let candidates = state.withLock { state in
            let own = state.byDomain[origin.host] ?? []
            let hasOthers = state.byDomain.count > (own.isEmpty ? 0 : 1)
            if !hasOthers || origin.isIPLiteral { return own }
            return own + Self.parents(of: origin.host).flatMap { state.byDomain[$0] ?? [] }
        }
        guard !candidates.isEmpty else { return [] }
        let date = candidates.contains { $0.expires != nil } ? clock.date : nil
        let path = target.path
        let matching = candidates.filter { cookie in
            (!cookie.isHostOnly || cookie.domain == origin.host) && (!cookie.isSecure || origin.scheme == .https)
                && CookiePath.matches(path, cookie.path) && !(date.map { cookie.hasExpired(at: $0) } ?? false)
        }
        guard matching.count > 1 else { return matching }
        return matching.sorted { ($0.path.utf8.count, $1.created) > ($1.path.utf8.count, $0.created) }
    }

    /// The `Cookie` field for `target`; nil if there is nothing to send. Known at once for the URL of the last request, unless
    /// the store has changed or a cookie may have expired since.
    func field(for target: TargetURL) -> HTTPField? {
        if isEmptyHint.load(ordering: .acquiring) { return nil }
        let (known, version) = state.withLock { state in
            (state.last.flatMap { $0.target == target ? $0.field : nil }, state.version)
        }
        if let known { return known }
        let cookies = cookies(for: target)
        guard !cookies.isEmpty else { return nil }
        let field = HTTPField(name: .cookie, value: Self.header(cookies))
        if cookies.allSatisfy({ $0.expires == nil }) {
            state.withLock { state in
                if state.version == version { state.last = (target, field) }
            }
        }
        return field
    }

    private static func header(_ cookies: [Cookie]) -> String {
        var header = ""
        for (index, cookie) in cookies.enumerated() {
            if index > 0 { header += "; " }
            if !cookie.name.isEmpty {
                header += cookie.name
                header += "="
            }
            header += cookie.value
        }
        return header
    }

    /// The parent domains of a host.
    private static func parents(of host: String) -> [String] {
        var result: [String] = []
        var rest = Substring(host)
        while let parent = rest.cut(atASCII: ".")?.after {
            rest = parent
            result.append(String(rest))
        }
        return result
    }

    // MARK: Receiving

    /// Stores the cookies that a response of `target` set; invalid cookies are ignored, as the standard requires.
    public func store(setCookie values: [String], from target: TargetURL) {
        store(setCookie: values, from: target, sentUnder: .max)
    }

    /// Stores the cookies of an exchange; cookies that a later login handed over stay unchanged.
    ///
    /// - Parameter fallback: the list to use if the store has none
    func store(
        setCookie values: [String], from target: TargetURL, sentUnder stamp: UInt64,
        suffixes fallback: PublicSuffixList? = nil
    ) {
        let date = clock.date
        let cookies = parse(values, from: target, at: date, suffixes: fallback)
        guard !cookies.isEmpty else { return }
        state.withLock { state in
            for cookie in cookies where (state.handedOver[CookieIdentity(cookie)] ?? 0) <= stamp {
                insert(
                    cookie.created(at: state.nextCreation(at: date)),
                    overSecureOrigin: target.origin.scheme == .https, at: date, in: &state)
            }
            changed(&state)
        }
    }

    /// Removes the cookies that a response of `target` set, if they still have these values.
    ///
    /// Relying parties give each request that needs a login a cookie of its own. If many conversations share a login,
    /// the cookies of all but one would stay, and make later requests larger than servers accept.
    ///
    /// - Parameter fallback: the list to use if the store has none: the one that the cookies were stored with
    package func withdraw(
        setCookie values: [String], from target: TargetURL, suffixes fallback: PublicSuffixList? = nil
    ) {
        let cookies = parse(values, from: target, at: clock.date, suffixes: fallback)
        guard !cookies.isEmpty else { return }
        state.withLock { state in
            remove(&state) { stored in
                cookies.contains { CookieIdentity($0) == CookieIdentity(stored) && $0.value == stored.value }
            }
            changed(&state)
        }
    }

    private func parse(
        _ values: [String], from target: TargetURL, at date: Date, suffixes fallback: PublicSuffixList?
    ) -> [Cookie] {
        let parser = SetCookieParser(target: target, suffixes: suffixes ?? fallback, now: date)
        return values.compactMap { parser.parse($0) }
    }

    /// Stores a cookie from elsewhere, such as a web view; ignores one that no server could have set.
    public func insert(_ cookie: Cookie) {
        guard let cookie = admitted(cookie) else { return }
        let date = clock.date
        state.withLock { state in
            insert(cookie, overSecureOrigin: true, at: date, in: &state)
            changed(&state)
        }
    }

    /// Stores the cookies that another process has kept. One that is not Secure may be from http, and replaces or shadows
    /// no Secure one.
    package func insert(kept cookies: [Cookie]) {
        let date = clock.date
        let cookies = cookies.compactMap(admitted)
        state.withLock { state in
            for cookie in cookies { insert(cookie, overSecureOrigin: cookie.isSecure, at: date, in: &state) }
            changed(&state)
        }
    }

    /// Stores the cookies of a web login. Exchanges that were sent before do not change these cookies any more.
    ///
    /// - Parameters:
    ///   - targets: URLs of the servers that the login is for; a cookie for none over https was set over http. Nil: all
    ///     cookies count as set over https
    ///   - advance: advances the epoch once the cookies are stored, so that readers of the new epoch see them
    /// - Returns: the epoch of this hand-over; exchanges with a lower one were sent without these cookies
    @discardableResult
    package func handOver(
        _ cookies: [Cookie], from targets: [TargetURL]? = nil, advancing advance: () -> UInt64
    ) -> UInt64 {
        let date = clock.date
        let secure = targets.map { targets in Set(targets.map(\.origin).filter { $0.scheme == .https }) }
        let cookies = cookies.compactMap(admitted)
        return state.withLock { state in
            let stored = cookies.filter { cookie in
                let isOverSecureOrigin = secure.map { $0.contains { cookie.concerns($0) } } ?? true
                return insert(cookie, overSecureOrigin: isOverSecureOrigin, at: date, in: &state)
            }
            let stamp = advance()
            // Drop entries of removed cookies: they would pile up over a long session.
            let present = Set(state.byDomain.values.joined().map(CookieIdentity.init))
            state.handedOver = state.handedOver.filter { present.contains($0.key) }
            for cookie in stored { state.handedOver[CookieIdentity(cookie)] = stamp }
            changed(&state)
            return stamp
        }
    }

    /// The epoch of the last hand-over of a cookie for `target`; 0 if there was none.
    package func lastHandOver(for target: TargetURL) -> UInt64 {
        let identities = cookies(for: target).map(CookieIdentity.init)
        return state.withLock { state in identities.compactMap { state.handedOver[$0] }.max() ?? 0 }
    }

    /// Checks a cookie from elsewhere.
    private func admitted(_ cookie: Cookie) -> Cookie? {
        suffixes == nil ? CookieRules.checked(cookie) : CookieRules.checked(cookie, readBackWith: suffixes)
    }

    /// - Returns: false if the cookie would replace or shadow a Secure one from http
    @discardableResult
    private func insert(_ cookie: Cookie, overSecureOrigin: Bool, at date: Date, in state: inout State) -> Bool {
        if !overSecureOrigin, shadowsSecure(cookie, at: date, in: state) { return false }
        var cookie = cookie
        let identity = CookieIdentity(cookie)
        if let old = state.take(identity, of: cookie.domain), !old.hasExpired(at: date) {
            cookie = cookie.created(at: old.created)
        }
        guard !cookie.hasExpired(at: date) else { return true }
        state.byDomain[cookie.domain, default: []].append(cookie)
        state.count += 1
        evict(in: &state, domain: cookie.domain, at: date, mayEvictSecure: overSecureOrigin)
        return true
    }

    /// Whether a cookie from http would replace a Secure one of the same name (RFC 6265bis §5.7).
    private func shadowsSecure(_ cookie: Cookie, at date: Date, in state: State) -> Bool {
        state.byDomain.values.joined().contains { !$0.hasExpired(at: date) && cookie.wouldShadow($0) }
    }

    /// Removes expired cookies first, then the oldest. A cookie from http never evicts a Secure one.
    private func evict(in state: inout State, domain: String, at date: Date, mayEvictSecure: Bool) {
        guard (state.byDomain[domain]?.count ?? 0) > Self.maximumPerDomain || state.count > Self.maximum else { return }
        remove(&state) { $0.hasExpired(at: date) }
        while (state.byDomain[domain]?.count ?? 0) > Self.maximumPerDomain {
            guard removeOldest(of: state.byDomain[domain] ?? [], in: &state, mayEvictSecure: mayEvictSecure) else {
                break
            }
        }
        while state.count > Self.maximum {
            guard removeOldest(of: Array(state.byDomain.values.joined()), in: &state, mayEvictSecure: mayEvictSecure)
            else {
                break
            }
        }
    }

    private func removeOldest(of cookies: [Cookie], in state: inout State, mayEvictSecure: Bool) -> Bool {
        let oldest =
            cookies.filter { !$0.isSecure }.min { $0.created < $1.created }
            ?? (mayEvictSecure ? cookies.min { $0.created < $1.created } : nil)
        guard let victim = oldest ?? cookies.max(by: { $0.created < $1.created }) else { return false }
        remove(&state) { $0 == victim }
        return true
    }

    private func remove(_ state: inout State, where condition: (Cookie) -> Bool) {
        for domain in state.byDomain.keys {
            state.byDomain[domain]?.removeAll(where: condition)
            if state.byDomain[domain]?.isEmpty == true { state.byDomain[domain] = nil }
        }
        state.count = state.byDomain.values.reduce(0) { $0 + $1.count }
    }

    private func changed(_ state: inout State) {
        state.version += 1
        state.last = nil
        isEmptyHint.store(state.count == 0, ordering: .releasing)
        for observer in state.observers.values { observer.yield() }
        guard !state.readers.isEmpty else { return }
        let snapshot = Self.snapshot(of: state, at: clock.date)
        for reader in state.readers.values { reader.yield(snapshot) }
    }
}

/// The same functions for URLs of all types, which throw if the URL is invalid.
extension CookieStore {
    /// The cookies that a request to a URL would carry.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public func cookies(for url: some TargetURLConvertible) throws(ConversationError) -> [Cookie] {
        cookies(for: try url.targetURL())
    }

    /// Removes the cookies that a request to a URL would carry.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public func removeCookies(for url: some TargetURLConvertible) throws(ConversationError) {
        removeCookies(for: try url.targetURL())
    }

    /// Stores the values of `Set-Cookie` fields in the response from a URL.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public func store(setCookie values: [String], from url: some TargetURLConvertible) throws(ConversationError) {
        store(setCookie: values, from: try url.targetURL())
    }
}
