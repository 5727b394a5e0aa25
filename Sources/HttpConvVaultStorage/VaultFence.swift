internal import DataVault
internal import HttpConvAuthFlows

/// Converts between the fence of a storage's lease and the token of a vault's lease: the same number in two types.
enum VaultFence {
    static func fence(of lease: DataVaultLease) throws(DataVaultError) -> UInt64 {
        guard let fence = UInt64(exactly: lease.token) else {
            throw DataVaultError(.damaged, "The vault gave out a lease with a negative token.")
        }
        return fence
    }

    /// The vault's lease; throws `.leaseLost` for a fence that is never granted.
    static func lease(named name: String, fence: UInt64) throws(DataVaultError) -> DataVaultLease {
        guard let token = Int64(exactly: fence) else {
            throw DataVaultError(.leaseLost, "This vault never gave out that lease.")
        }
        return DataVaultLease(name: name, token: token)
    }
}
