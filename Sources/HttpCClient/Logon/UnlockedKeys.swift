import HttpC

/// The store for keys of unlocked vaults between two processes (security rule S26): memory that expires by itself.
protocol UnlockedKeys: Sendable {
    /// The key of an unlocked vault. Each use renews its time.
    ///
    /// - Parameter time: the time that the key stays without use, from now on
    /// - Returns: nil if there is none, or if keys cannot be kept
    func key(of vault: String, renewedFor time: Duration) -> Redacted<[UInt8]>?

    /// Stores a key, and replaces another one of the same vault.
    ///
    /// - Returns: whether it is stored; if not, each process asks
    func keep(_ key: Redacted<[UInt8]>, of vault: String, for time: Duration) -> Bool

    /// Removes a key at once, for other processes as well.
    func forget(_ vault: String)
}

/// The store for systems without such memory: each process asks.
struct NoUnlockedKeys: UnlockedKeys {
    func key(of vault: String, renewedFor time: Duration) -> Redacted<[UInt8]>? { nil }
    func keep(_ key: Redacted<[UInt8]>, of vault: String, for time: Duration) -> Bool { false }
    func forget(_ vault: String) {}
}
