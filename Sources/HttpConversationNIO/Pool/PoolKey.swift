import HttpConversation

/// What two exchanges must have in common to use the same connection (security rule S3).
///
/// Trust settings belong to the transport and its pool; TLS identity, pins and proxy join here once they can differ.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
}
