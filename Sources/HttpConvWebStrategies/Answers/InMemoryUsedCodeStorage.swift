import Synchronization

/// Remembers used one-time codes for as long as the process runs. The default.
public final class InMemoryUsedCodeStorage: UsedCodeStorage {
    /// One for the whole process.
    public static let shared = InMemoryUsedCodeStorage()

    private let lastUsed = Mutex<[String: UInt64]>([:])

    /// One of its own; two of them know nothing of each other's codes.
    public init() {}

    public func note(_ step: UInt64, of secret: String, unlessLastIn taken: ClosedRange<UInt64>) async -> UInt64? {
        lastUsed.withLock { lastUsed in
            if let last = lastUsed[secret], taken.contains(last) { return last }
            lastUsed[secret] = step
            return nil
        }
    }
}
