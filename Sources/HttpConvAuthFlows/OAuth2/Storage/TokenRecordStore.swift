package import HttpConvPlatform

/// Entries of bytes that several processes share, such as the keychain's. Each entry has a version, so that a process
/// that read an old one changes nothing.
package protocol TokenRecordStore: Sendable {
    /// An entry; nil without one.
    func read(_ name: String) async throws -> StoredTokenRecord?
    /// Replaces an entry if it has not changed since, in one step that no other process interrupts.
    ///
    /// - Parameters:
    ///   - old: the entry that was read; nil: there was none
    ///   - new: the entry, with a version that was never used before
    /// - Returns: false if another process has changed, added or removed it meanwhile
    func replace(_ name: String, _ old: StoredTokenRecord?, with new: StoredTokenRecord) async throws -> Bool
    /// Removes all entries.
    func removeAll() async throws
}

/// An entry of a ``TokenRecordStore``.
package struct StoredTokenRecord: Hashable, Sendable {
    package let data: Data
    /// Changes with the entry; nil for one that an older version of this library wrote.
    package let version: String?

    package init(data: Data, version: String?) {
        self.data = data
        self.version = version
    }
}

/// The tokens under a key with the lease on them, in one entry: so a late holder cannot write after a check of its
/// lease.
struct TokenRecord: Codable, Hashable {
    var tokens: OAuth2Tokens?
    /// The newest lease; nil: there was none.
    var lease: Lease?

    struct Lease: Codable, Hashable {
        var fence: UInt64
        /// The end of the lease; nil: it was released.
        var until: Date?
        /// The duration of the lease, in seconds.
        var duration: Double

        /// Whether the lease keeps others out. A clock that was set back does not make it longer.
        func isHeld(at date: Date) -> Bool {
            guard let until else { return false }
            return until > date && until.timeIntervalSince(date) <= duration
        }
    }

    /// Requests the lease; nil if it is held.
    ///
    /// - Parameter first: the fence of the first lease. It is random, so that an entry that was removed and added again
    ///   never grants the fence of a late holder
    mutating func request(_ duration: Double, at date: Date, first: UInt64) -> UInt64? {
        if let lease, lease.isHeld(at: date) { return nil }
        let fence = lease.map { $0.fence &+ 1 } ?? first
        lease = Lease(fence: fence, until: date + duration, duration: duration)
        return fence
    }

    /// Extends a lease. Returns false if it was lost or released.
    mutating func extend(_ fence: UInt64, by duration: Double, at date: Date) -> Bool {
        guard lease?.fence == fence, lease?.until != nil else { return false }
        lease?.until = date + duration
        lease?.duration = duration
        return true
    }

    /// Releases a lease. Returns false if it was lost.
    mutating func release(_ fence: UInt64) -> Bool {
        guard lease?.fence == fence else { return false }
        lease?.until = nil
        return true
    }
}
