public import HttpConvPlatform

/// The holder of a lease, as shown to others.
public struct DataVaultLeaseHolder: Hashable, Sendable {
    /// The name that the holder gave.
    public let holder: String
    /// The date from which others may take the lease; in the past if they may already.
    public let expires: Date
}
