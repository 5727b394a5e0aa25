/// The exclusive right to renew the tokens under one key, for a limited time, among all users of the storage.
///
/// It is a lease, not a lock: a holder that is suspended or has crashed loses it when it expires. The fence makes that
/// safe: a storage refuses writes under a lease that another holder has taken since.
public struct OAuth2Lease: Hashable, Sendable {
    /// The key of the leased tokens.
    public let key: OAuth2TokenKey
    /// Grows with every lease on the key; the storage compares it with the latest.
    public let fence: UInt64
    /// The duration of the lease, from when it was granted or extended.
    public let duration: Duration

    /// Creates a lease; storages use this.
    public init(key: OAuth2TokenKey, fence: UInt64, duration: Duration) {
        self.key = key
        self.fence = fence
        self.duration = duration
    }
}

/// A storage's answer to a lease request.
public enum OAuth2LeaseAnswer: Sendable {
    /// The lease is granted.
    case granted(OAuth2Lease)
    /// Another holder has it: retry after this time.
    case busy(Duration)
    /// This storage is not shared; proceed without a lease.
    case notNeeded
}
