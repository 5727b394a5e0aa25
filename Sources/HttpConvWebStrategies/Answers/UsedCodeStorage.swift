/// Remembers used one-time codes, so that none is sent twice: a server accepts a code only once.
///
/// ``InMemoryUsedCodeStorage`` is enough if one process makes all codes of a secret. Processes that share a secret need
/// a shared storage:
///
/// ```swift
/// struct UsedCodesInDatabase: UsedCodeStorage {
///     func note(_ step: UInt64, of secret: String, unlessLastIn taken: ClosedRange<UInt64>) async throws -> UInt64? {
///         try await database.transaction { rows in
///             if let last = rows[secret], taken.contains(last) { return last }
///             rows[secret] = step
///             return nil
///         }
///     }
/// }
/// ```
public protocol UsedCodeStorage: Sendable {
    /// Marks the code of a time step as used, unless the last marked step is within `taken`.
    ///
    /// Checking and marking are atomic: of several concurrent callers only one gets nil.
    ///
    /// - Parameters:
    ///   - step: the number of the time step (T of RFC 6238 §4.2)
    ///   - secret: a hash that identifies the secret without revealing it
    ///   - taken: the range of last marked steps that forbids this one
    /// - Returns: nil if the caller may use the step, else the last marked step
    func note(_ step: UInt64, of secret: String, unlessLastIn taken: ClosedRange<UInt64>) async throws -> UInt64?
}
