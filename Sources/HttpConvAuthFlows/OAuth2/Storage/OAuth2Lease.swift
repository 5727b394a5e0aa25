/// The right to renew the tokens under one key, for a limited time, against everybody who shares the storage.
///
/// It is a lease and not a lock: a holder that was stopped loses it by the passing of time, and one that crashed does so
/// at the latest. The fence makes that safe: a storage refuses writes under a lease that somebody else has taken since.
public struct OAuth2Lease: Hashable, Sendable {
    /// What is leased.
    public let key: OAuth2TokenKey
    /// Grows with every lease on the key; the storage compares it with the latest.
    public let fence: UInt64
    /// How long the lease lasts, from when it was given or extended.
    public let duration: Duration

    /// Describes a lease; storages use this.
    public init(key: OAuth2TokenKey, fence: UInt64, duration: Duration) {
        self.key = key
        self.fence = fence
        self.duration = duration
    }
}

/// What a storage answers to the wish for a lease.
public enum OAuth2LeaseAnswer: Sendable {
    /// It is yours.
    case granted(OAuth2Lease)
    /// Somebody else has it: look again after this time.
    case busy(Duration)
    /// This storage is not shared; go ahead without.
    case notNeeded
}
