public import HttpConvAuthFlows

/// A storage whose leases the conformance suite takes, extends and releases one by one: a holder that is suspended
/// takes a lease and forgets to extend it.
///
/// Let your storage conform to it in its tests.
public protocol LeasedTokenStorage: OAuth2TokenStorage {
    /// Requests the lease on a key for 30 seconds, once; nil if it is held.
    func lease(_ key: OAuth2TokenKey) async throws -> OAuth2Lease?
    /// Extends a lease to 30 seconds from now.
    func extendLease(_ lease: OAuth2Lease) async throws
    /// Releases a lease, as the end of the work under it does.
    func releaseLease(_ lease: OAuth2Lease) async
}
