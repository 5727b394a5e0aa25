/// The result of requesting a lease.
enum LeaseAnswer: Sendable {
    case granted(DataVaultLease)
    /// The lease is held: its token, and its expiry in milliseconds since 1970.
    case held(Int64, until: Int64)
}
