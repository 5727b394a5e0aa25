/// What became of the question for a lease.
enum LeaseAnswer: Sendable {
    case granted(DataVaultLease)
    /// Somebody has it: the token of that lease, and its end in milliseconds since 1970.
    case held(Int64, until: Int64)
}
