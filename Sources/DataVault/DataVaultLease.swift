public import Foundation

/// The right to do something alone among all processes that share a vault, for a limited time.
///
/// It goes with the vault that took it: when that is closed, or its process ends in whatever way, others may take it at
/// once. A holder that was stopped loses it by the passing of time, and so does one whose file system knows no locks.
/// Until somebody else has taken it, the holder may still renew it and write under it; from then on both are refused with
/// `.leaseLost`. Once given back it cannot be renewed.
public struct DataVaultLease: Hashable, Sendable {
    /// What is leased.
    public let name: String
    /// The fencing token: greater than that of every lease given before it in this vault.
    public let token: Int64
    /// When others may take it.
    public let expires: Date

    /// A lease that was taken apart, to be handed back to the vault. Only name and token matter there.
    public init(name: String, token: Int64, expires: Date = .distantPast) {
        self.name = name
        self.token = token
        self.expires = expires
    }
}

extension DataVaultLease: CustomStringConvertible, CustomReflectable {
    /// Token and end; the name may be secret.
    public var description: String { "DataVaultLease(token \(token), expires \(expires))" }
    public var customMirror: Mirror { Mirror(self, children: ["token": token, "expires": expires]) }
}
