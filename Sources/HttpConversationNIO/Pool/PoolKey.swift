import HttpConversation

/// What two exchanges must have in common to use the same connection (security rule S3).
///
/// Trust settings belong to the transport and its pool; a proxy joins here once there can be one. The origin is the whole
/// of it: a connection of HTTP/2 serves no other one, whatever its certificate says.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    var protocols = ApplicationProtocols.http1
    /// Whose certificate a connection has shown to its server, or would have; nil: nobody's.
    var identity: ClientIdentitySource?
    /// Who had a say about the server's certificate; nil: nobody beside the transport.
    var trust: ServerTrustPolicy?

    // Nearly always the origin tells them apart, and a key is looked up with each request.
    func hash(into hasher: inout Hasher) { hasher.combine(origin) }
}
