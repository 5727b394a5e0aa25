/// The exclusive right to renew the tokens under one key, for a limited time, among all users of the storage.
///
/// It is a lease, not a lock: a holder that is suspended or has crashed loses it when it expires. The fence makes that
/// safe: a storage refuses writes under a lease that another holder has taken since.
public struct OAuth2Lease: Hashable, Sendable {
    /// The key of the leased tokens.
    public let key: OAuth2TokenKey
    /// Grows with every lease on the key; the storage compares it with the latest.
    public let fence: UInt64

    /// Creates a lease; storages use this.
    public init(key: OAuth2TokenKey, fence: UInt64) {
        self.key = key
        self.fence = fence
    }
}
