import Synchronization

/// Remembers used one-time codes in memory, until the process ends. The default.
public final class InMemoryUsedCodeStorage: UsedCodeStorage {
    /// The storage that is shared by the whole process.
    public static let shared = InMemoryUsedCodeStorage()

    private let lastUsed = Mutex<[String: UInt64]>([:])

    /// Creates a separate storage; it does not see the codes of others.
    public init() {}

    public func note(_ step: UInt64, of secret: String, unlessLastIn taken: ClosedRange<UInt64>) async -> UInt64? {
        lastUsed.withLock { lastUsed in
            if let last = lastUsed[secret], taken.contains(last) { return last }
            lastUsed[secret] = step
            return nil
        }
    }
}
