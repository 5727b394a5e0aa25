public import HttpConvPlatform

/// An exclusive, named right among all processes that share a vault, for a limited time.
///
/// A lease belongs to the vault that took it: when that vault is closed, or its process ends, others may take it at
/// once. A holder that is suspended loses it when it expires. So does a holder whose process has ended, if the file
/// system has no locks. Until it is taken elsewhere, the holder may still renew it and write under it; afterwards both
/// throw `.leaseLost`. A released lease cannot be renewed.
public struct DataVaultLease: Hashable, Sendable {
    /// The name of the lease.
    public let name: String
    /// The fencing token: greater than that of every earlier lease in this vault.
    public let token: Int64
    /// The date from which others may take it.
    public let expires: Date

    /// Restores a lease, to be passed back to the vault. Only name and token matter there.
    public init(name: String, token: Int64, expires: Date = .distantPast) {
        self.name = name
        self.token = token
        self.expires = expires
    }
}

extension DataVaultLease: CustomStringConvertible, CustomReflectable {
    /// Token and expiry; the name may be secret.
    public var description: String { "DataVaultLease(token \(token), expires \(expires))" }
    public var customMirror: Mirror { Mirror(self, children: ["token": token, "expires": expires]) }
}
