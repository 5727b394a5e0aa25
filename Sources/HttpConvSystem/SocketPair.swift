#if os(Linux)
import HttpConvPlatform

/// Two connected sockets: one for this process, and one for a program that it starts.
package struct SocketPair: Sendable {
    package let ours: Int32
    package let theirs: Int32

    /// - Returns: nil, with `errno`, on failure
    package init?() {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        (ours, theirs) = (ends[0], ends[1])
    }

    package func closeOurs() { close(ours) }
    package func closeTheirs() { close(theirs) }
}
#endif
