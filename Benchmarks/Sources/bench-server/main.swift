import Foundation
import NIOCore
import NIOPosix
import NIOSSL

// bench-server [CERTIFICATE KEY]   prints its port; and with a certificate those of HTTP/2, small bodies and large
// bodies, and of HTTP/1.1 over TLS Serves until it is killed. One process of its own, so that only the client's work is
// measured.
let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
func listen(_ context: NIOSSLContext? = nil) throws -> any Channel {
    try ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                if let context {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
                try channel.pipeline.syncOperations.addHandler(ServerHandler())
            }
        }
        .bind(host: "127.0.0.1", port: 0).wait()
}
let server = try listen()
var ports = "\(server.localAddress?.port ?? 0)"
if CommandLine.arguments.count == 3 {
    let (certificate, key) = (CommandLine.arguments[1], CommandLine.arguments[2])
    ports += " \(try HTTP2Server.start(certificate: certificate, key: key, on: group))"
    ports += " \(try HTTP2BodyServer.start(certificate: certificate, key: key, on: group))"
    let context = try NIOSSLContext.server("http/1.1", certificate: certificate, key: key)
    ports += " \(try listen(context).localAddress?.port ?? 0)"
}
FileHandle.standardOutput.write(Data("\(ports)\n".utf8))
try server.closeFuture.wait()
