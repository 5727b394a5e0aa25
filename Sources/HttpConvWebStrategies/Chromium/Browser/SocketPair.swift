#if os(Linux)
import HttpConvAuthFlows

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Two connected sockets, one for this process and one for the browser, which uses it as its two pipes.
struct SocketPair {
    let ours: Int32
    let theirs: Int32

    init() throws(WebLoginError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw WebLoginError(
                .browserFailed, "There is no pipe for the browser: \(String(cString: strerror(errno))).")
        }
        (ours, theirs) = (ends[0], ends[1])
    }

    func closeOurs() { close(ours) }
    func closeTheirs() { close(theirs) }
}
#endif
