import HttpConvPlatform
import NIOCore

extension ChannelHandlerContext {
    /// The number of bytes that were written and have not left: those of the channel's queue, and those of the
    /// system's that the peer has not acknowledged.
    var unsentBytes: Int {
        let queued = try? channel.syncOptions?.getOption(.bufferedWritableBytes)
        return (queued ?? 0) + unacknowledgedBytes
    }

    private var unacknowledgedBytes: Int {
        #if os(Linux)
        let operations = channel.pipeline.syncOperations
        let count = try? operations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
            var count: CInt = 0
            // SIOCOUTQ
            return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
        }
        return count.map { max(0, $0) } ?? 0
        #elseif canImport(Darwin)
        // SO_NWRITE
        let count = try? channel.syncOptions?.getOption(.socketOption(.init(rawValue: 0x1024)))
        return count.map { max(0, Int($0)) } ?? 0
        #else
        return 0
        #endif
    }
}
