import NIOCore

/// Where a socket leads that a person or program named by hand.
enum GivenAddress: Hashable, Sendable {
    /// Rather than what name servers say.
    case internet([SocketAddress])
    /// On this machine; no network has a part in it.
    case unixSocket(path: String)
}
