import NIOCore

/// An address that was set by hand for a server or proxy.
enum GivenAddress: Hashable, Sendable {
    /// IP addresses, instead of DNS results.
    case internet([SocketAddress])
    /// A Unix socket on this machine; no network is involved.
    case unixSocket(path: String)
}
