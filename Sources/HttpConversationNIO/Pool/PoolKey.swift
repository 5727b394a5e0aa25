import HttpConversation

/// What two exchanges must have in common to use the same connection (security rule S3).
///
/// Trust settings belong to the transport and its pool; TLS identity, pins and proxy join here once they can differ. The
/// origin is the whole of it: a connection of HTTP/2 serves no other one, whatever its certificate says.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    var protocols = ApplicationProtocols.http1
}
