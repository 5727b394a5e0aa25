import HttpC

/// Where the keys of unlocked vaults are between two processes (security rule S26): memory that ends by itself.
protocol UnlockedKeys: Sendable {
    /// The key of a vault, while it is unlocked; using it renews the time.
    ///
    /// - Parameter time: how long it stays without being used, from now on
    /// - Returns: nil where there is none, or where none can be kept
    func key(of vault: String, renewedFor time: Duration) -> Redacted<[UInt8]>?

    /// Keeps a key, in the place of another one of the same vault.
    ///
    /// - Returns: whether it is kept; where not, each process asks
    func keep(_ key: Redacted<[UInt8]>, of vault: String, for time: Duration) -> Bool

    /// Forgets a key at once, also in other processes that would read it from here.
    func forget(_ vault: String)
}

/// Where there is no such memory: each process asks.
struct NoUnlockedKeys: UnlockedKeys {
    func key(of vault: String, renewedFor time: Duration) -> Redacted<[UInt8]>? { nil }
    func keep(_ key: Redacted<[UInt8]>, of vault: String, for time: Duration) -> Bool { false }
    func forget(_ vault: String) {}
}
