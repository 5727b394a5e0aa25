#if PostgreSQL
internal import HttpConvAuthFlows
internal import HttpConvFormats
internal import Synchronization

/// The tokens of one storage key as this process knows them, and the highest version of its row that was seen.
final class TokenEntry: Sendable {
    /// The row's content.
    struct Known: Sendable {
        var tokens: OAuth2Tokens?
        var version: Int64
        /// The fence of the latest lease when the row was read.
        var fence: Int64
    }

    private struct State {
        var known: Known?
        /// The listener's session in which the row was read.
        var session = 0
        /// The highest version of a notification. Anybody with access to the database could send one.
        var announced: Int64 = 0
        /// The highest version of a row that was read or written here.
        var highest: Int64 = 0
        var isRolledBack = false
        /// Counts notifications.
        var changes = 0
        /// The number of notifications before the row was read.
        var changesRead = 0
    }

    /// The hash of the storage key: the row's key.
    let name: [UInt8]
    /// The storage key as text, sealed with the tokens.
    let key: String
    private let state = Mutex(State())

    init(name: [UInt8], key: String) { (self.name, self.key) = (name, key) }

    /// A name as notifications have it.
    static func text(of name: [UInt8]) -> String { Hexadecimal.text(name) }

    /// The row's present content, as far as the listener's session tells; nil if it must be read.
    func current(in session: Int) -> Known? {
        state.withLock { state in
            guard session > 0, state.session == session, let known = state.known,
                state.announced <= known.version || state.changes == state.changesRead
            else { return nil }
            return known
        }
    }

    /// The row's content when it was last read; newer tokens may be stored.
    var latest: Known? { state.withLock { $0.known } }

    /// The highest version of a row that this process has read or written.
    var highest: Int64 { state.withLock { $0.highest } }

    /// The number of notifications so far.
    var changes: Int { state.withLock { $0.changes } }

    /// Keeps what was read or written, unless something newer is known.
    ///
    /// - Parameters:
    ///   - session: the listener's session before the row was read
    ///   - changes: the number of notifications before the row was read
    func keep(_ known: Known, session: Int, changes: Int) {
        state.withLock { state in
            guard known.version >= state.highest else { return }
            state.highest = known.version
            state.known = known
            state.session = session
            state.changesRead = changes
            state.isRolledBack = false
        }
    }

    /// Notes that the row has changed.
    func announce(_ version: Int64) {
        state.withLock { state in
            state.announced = max(state.announced, version)
            state.changes += 1
        }
    }

    /// Whether the row was older than one that this process had read, and was not replaced since.
    var isRolledBack: Bool { state.withLock { $0.isRolledBack } }

    /// Notes that the row is older than one that this process has read.
    func noteRollback() { state.withLock { $0.isRolledBack = true } }

    /// Forgets the content, and keeps the version.
    func forget() {
        state.withLock { state in
            state.known = nil
            state.session = 0
        }
    }
}
#endif
