package import HttpConvConcurrency
import HttpConvFormats
import Synchronization

/// The sessions of a service's users: one manager for each user. They share the transport and nothing else (security
/// rule S2).
///
/// ```swift
/// let users = UserSessions<UUID> { id in                     // with `import HttpC`: the platform's transport
///     let login = try await database.login(of: id)
///     return .init(applying: [.password(login.name, login.password, for: backend)])
/// }
/// let text = try await users.manager(of: id).get("\(backend)/orders").successful().text
/// ```
/// Users that are texts are compared by their bytes, as the accounts of most services are: `é`, and `e` with a combining
/// accent, are two users. A type of your own with texts in it, and a `==` that Swift made, counts these as equal: give it
/// a `==` and a `hash(into:)` that compare the bytes.
///
/// The number of users is limited, and so is the time that a session is kept (``Limits``). A removed session continues
/// until its running conversations have ended. The user's next request creates a new one.
public final class UserSessions<User: Hashable & Sendable>: Sendable {
    /// Limits in number and age.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of sessions, at least 1. Above it, the session that was not used for the longest time
        /// leaves.
        public var maximumUsers = 10_000
        /// The time without use after which a session leaves.
        public var idleTime: Duration = .seconds(1800)
        /// The time after which a session leaves even if it is used. Nil: no limit.
        public var maximumAge: Duration?

        /// The default limits: 10,000 users, and half an hour without use.
        public init() {}
    }

    /// A user, by the bytes if it is a text.
    private struct Key: Hashable {
        let user: User

        init(_ user: User) { self.user = user }

        static func == (one: Key, other: Key) -> Bool {
            guard one.user == other.user else { return false }
            guard let text = one.user as? any StringProtocol, let other = other.user as? any StringProtocol else {
                return true
            }
            return text.hasSameBytes(as: other)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(user) }
    }

    private struct Entry {
        let manager: HttpConversationManager
        let created: Duration
        var used: Duration
        /// The neighbours in the order of use.
        var older: Key?
        var newer: Key?
    }

    private struct Owner {
        let user: Key
        /// Nil once the session was released; another session may then have its identifier.
        weak var session: HttpSession?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var oldest: Key?
        var newest: Key?
        /// The users of the sessions, also of those that have left: no session may ever have two.
        var owners: [ObjectIdentifier: Owner] = [:]
        /// The number of owners at which those of sessions that are gone are dropped.
        var mostOwners = 16
        /// The sessions that are being made, by number.
        var making: [Key: UInt64] = [:]
        var lastNumber: UInt64 = 0

        /// Inserts an entry as the last that was used.
        mutating func insert(_ entry: Entry, for user: Key) {
            var entry = entry
            entry.older = newest
            entry.newer = nil
            entries[user] = entry
            if let newest { entries[newest]?.newer = user } else { oldest = user }
            newest = user
        }

        @discardableResult
        mutating func remove(_ user: Key) -> Entry? {
            guard let entry = entries.removeValue(forKey: user) else { return nil }
            if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
            if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
            return entry
        }

        /// Notes the user of a session. Returns false if it has another one.
        mutating func own(_ session: HttpSession, by user: Key) -> Bool {
            let id = ObjectIdentifier(session)
            if let owner = owners[id], owner.session === session { return owner.user == user }
            if owners.count >= mostOwners {
                owners = owners.filter { $0.value.session != nil }
                mostOwners = max(16, 2 * owners.count)
            }
            owners[id] = Owner(user: user, session: session)
            return true
        }

        /// Removes the entries that were last used at a moment or before.
        mutating func removeIdle(since moment: Duration) {
            while let oldest, let entry = entries[oldest], entry.used <= moment { remove(oldest) }
        }
    }

    private struct Making: Hashable {
        let user: Key
        let number: UInt64
    }

    /// Performs the exchanges of all users. Connections carry nobody's login.
    public let transport: any HTTPTransport
    /// The limits.
    public let limits: Limits
    private let make: @Sendable (User) async throws -> HttpConversationManager.Configuration
    private let clock: any WallClock
    private let state = Mutex(State())
    /// The outcome is nil if the run began after an earlier one of the same number had ended.
    private let flights = SingleFlight<Making, HttpConversationManager?>()

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - transport: the transport of all managers
    ///   - limits: how many sessions are kept, and for how long
    ///   - make: makes the configuration of one user's manager: when the user is first met, and when their session has
    ///     left. Runs once for simultaneous calls, and to its end even if these are cancelled. The configurators and
    ///     the storage of tokens have to be this user's alone, even after their session has left. A configuration with
    ///     the shared multiplexer gets a multiplexer of its own
    public convenience init(
        transport: any HTTPTransport, limits: Limits = Limits(),
        make: @escaping @Sendable (User) async throws -> HttpConversationManager.Configuration
    ) {
        self.init(transport: transport, limits: limits, clock: SystemClock(), make: make)
    }

    /// Creates an empty registry with another clock; for tests.
    package init(
        transport: any HTTPTransport, limits: Limits, clock: any WallClock,
        make: @escaping @Sendable (User) async throws -> HttpConversationManager.Configuration
    ) {
        self.transport = transport
        self.limits = limits
        self.clock = clock
        self.make = make
    }

    /// The manager of a user, made if there is none. Counts as a use of the session.
    ///
    /// - Throws: the error of `make`; ``ConversationError/Code/invalidConfiguration`` if it returned a session that
    ///   another user has or had; `CancellationError` if the task is cancelled
    public func manager(of user: User) async throws -> HttpConversationManager {
        let user = Key(user)
        while true {
            let now = clock.uptime
            let known = state.withLock { state -> (HttpConversationManager?, UInt64) in
                if let manager = use(user, at: now, in: &state) { return (manager, 0) }
                if let number = state.making[user] { return (nil, number) }
                state.lastNumber += 1
                state.making[user] = state.lastNumber
                return (nil, state.lastNumber)
            }
            if let manager = known.0 { return manager }
            let making = Making(user: user, number: known.1)
            if let manager = try await flights.join(
                making, runsToCompletion: true, operation: { try await self.create(making) })
            {
                return manager
            }
        }
    }

    /// The manager of a user if there is one. Counts as a use of the session.
    public func existingManager(of user: User) -> HttpConversationManager? {
        let now = clock.uptime
        return state.withLock { use(Key(user), at: now, in: &$0) }
    }

    /// Removes the session of a user, as when they log out. Running conversations continue.
    ///
    /// - Returns: the user's manager, for example to save its cookies; nil if there was none
    @discardableResult
    public func remove(_ user: User) -> HttpConversationManager? {
        state.withLock { state in
            let user = Key(user)
            state.making[user] = nil
            return state.remove(user)?.manager
        }
    }

    /// Removes all sessions.
    public func removeAll() {
        state.withLock { state in
            let former = state
            state = State()
            (state.owners, state.mostOwners) = (former.owners, former.mostOwners)
            state.lastNumber = former.lastNumber
        }
    }

    /// The number of sessions.
    public var count: Int {
        let now = clock.uptime
        return state.withLock { state in
            state.removeIdle(since: now - limits.idleTime)
            return state.entries.count
        }
    }

    // MARK: Making

    /// Makes a manager; nil if the number is no longer the user's. Between reading it and joining its run, the run may
    /// have ended, or the user may have been removed.
    private func create(_ making: Making) async throws -> HttpConversationManager? {
        guard state.withLock({ $0.making[making.user] == making.number }) else { return nil }
        do {
            var configuration = try await make(making.user.user)
            if configuration.multiplexer === UserInteractionMultiplexer.shared {
                configuration.multiplexer = UserInteractionMultiplexer()
            }
            let manager = HttpConversationManager(transport: transport, configuration: configuration)
            try keep(manager, of: making)
            return manager
        } catch {
            state.withLock { if $0.making[making.user] == making.number { $0.making[making.user] = nil } }
            throw error
        }
    }

    /// Keeps a new manager, unless the user was removed meanwhile: then only the waiting callers get it.
    private func keep(_ manager: HttpConversationManager, of making: Making) throws(ConversationError) {
        let now = clock.uptime
        let session = manager.configuration.session
        let isOthers = state.withLock { state in
            guard state.own(session, by: making.user) else { return true }
            guard state.making[making.user] == making.number else { return false }
            state.making[making.user] = nil
            state.removeIdle(since: now - limits.idleTime)
            while state.entries.count >= max(1, limits.maximumUsers), let oldest = state.oldest {
                state.remove(oldest)
            }
            state.insert(Entry(manager: manager, created: now, used: now), for: making.user)
            return false
        }
        guard !isOthers else {
            throw ConversationError(
                .invalidConfiguration,
                "The configuration that was made for a user has the session of another user. Make a configurator, and so a session, for each user."
            )
        }
    }

    // MARK: Using

    private func use(_ user: Key, at now: Duration, in state: inout State) -> HttpConversationManager? {
        state.removeIdle(since: now - limits.idleTime)
        guard var entry = state.remove(user) else { return nil }
        if let maximumAge = limits.maximumAge, now - entry.created >= maximumAge { return nil }
        entry.used = now
        state.insert(entry, for: user)
        return entry.manager
    }
}

extension UserSessions: CustomStringConvertible, CustomReflectable {
    /// The number of sessions.
    public var description: String { "UserSessions of \(state.withLock { $0.entries.count }) users" }
    public var customMirror: Mirror { Mirror(self, children: ["sessions": description]) }
}
