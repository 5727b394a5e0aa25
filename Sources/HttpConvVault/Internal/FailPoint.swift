/// Moments at which tests end the process. Only this package can set them.
package enum FailPoint: String, Codable, CaseIterable, Sendable {
    /// The new vault is complete but has no name yet.
    case draftWritten
    /// The new vault has its name.
    case published
    /// A transaction has begun and done nothing yet.
    case transactionBegun
    /// A transaction has written everything and is not committed.
    case beforeCommit
    /// A transaction is committed.
    case committed
}
