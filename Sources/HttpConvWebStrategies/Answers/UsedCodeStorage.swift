/// Where it is remembered which one-time codes were used, so that none is sent twice: a server takes each only once.
///
/// ``InMemoryUsedCodeStorage`` does where one process makes all codes of a secret. Processes that share a secret share a
/// storage of your own:
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
    /// Notes that the code of a time step is used from now on, unless the last one noted forbids it.
    ///
    /// Looking and noting are one step: of all who ask at the same time one gets nil.
    ///
    /// - Parameters:
    ///   - step: the number of the time step (T of RFC 6238 §4.2)
    ///   - secret: a hash that names the secret without telling it
    ///   - taken: the last step noted that forbids this one
    /// - Returns: nil where the step is now the caller's, else the last one noted
    func note(_ step: UInt64, of secret: String, unlessLastIn taken: ClosedRange<UInt64>) async throws -> UInt64?
}
