public import Foundation

/// Who has a lease, as told to others.
public struct DataVaultLeaseHolder: Hashable, Sendable {
    /// What the holder called itself.
    public let holder: String
    /// When others may take the lease; in the past where they may already.
    public let expires: Date
}
