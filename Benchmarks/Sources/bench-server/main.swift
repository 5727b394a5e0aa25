import Foundation
import NIOCore
import NIOPosix

// Prints its port and serves until it is killed. One process of its own, so that only the client's work is measured.
let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
let server = try ServerBootstrap(group: group)
    .serverChannelOption(.backlog, value: 1024)
    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ServerHandler())
        }
    }
    .bind(host: "127.0.0.1", port: 0).wait()
FileHandle.standardOutput.write(Data("\(server.localAddress?.port ?? 0)\n".utf8))
try server.closeFuture.wait()
