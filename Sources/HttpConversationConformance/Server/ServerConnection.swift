package import NIOCore
import NIOPosix
package import NIOSSL
import X509

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One accepted connection, driven only by its script.
package final class ServerConnection {
    /// The number of the connection; 0 for the server's first one.
    package let index: Int
    package let channel: any Channel
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    /// The writer, also for other tasks.
    package let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var buffered: [UInt8] = []

    package init(
        _ channel: any Channel, _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>, index: Int
    ) {
        self.channel = channel
        self.inbound = inbound
        self.outbound = outbound
        self.index = index
    }

    package struct Ended: Error {
        package init() {}
    }

    /// The common name of the client's certificate; nil if the client has sent none.
    package func clientName() async throws -> String? {
        guard let certificate = try await channel.nioSSL_peerCertificate().get() else { return nil }
        return try Certificate(derEncoded: certificate.toDERBytes()).subject.description
    }

    /// The next bytes, as many as have arrived; nil at the end.
    package func read() async throws -> [UInt8]? {
        if !buffered.isEmpty {
            defer { buffered = [] }
            return buffered
        }
        guard let buffer = try await inbound.next() else { return nil }
        return Array(buffer: buffer)
    }

    /// A request's head, including its empty line.
    package func readHead() async throws -> String {
        var bytes: [UInt8] = []
        while true {
            guard let more = try await read() else { throw Ended() }
            bytes += more
            if let end = bytes.indices.first(where: { bytes[$0...].starts(with: Array("\r\n\r\n".utf8)) }) {
                buffered = Array(bytes[(end + 4)...])
                return String(decoding: bytes[..<(end + 4)], as: UTF8.self)
            }
        }
    }

    /// Exactly that many bytes.
    package func readBytes(_ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = try await read() else { throw Ended() }
            bytes += more
        }
        buffered = Array(bytes[count...])
        return Array(bytes[..<count])
    }

    /// A line, without its end.
    package func readLine() async throws -> String {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.firstIndex(of: 10) {
                buffered = Array(bytes[(end + 1)...]) + buffered
                return String(decoding: bytes[..<end].filter { $0 != 13 }, as: UTF8.self)
            }
            guard let more = try await read() else { throw Ended() }
            bytes += more
        }
    }

    package func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    package func write(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

    /// Answers 200 with a text.
    package func respond(_ body: String, headers: String = "") async throws {
        try await write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    /// Writes a text, and speaks TLS from then on, like the end of a proxy's tunnel.
    package func write(_ text: String, thenTLS context: NIOSSLContext) async throws {
        let channel = channel
        // In one step on the event loop, so that nothing is read in between.
        try await channel.eventLoop.submit {
            channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context), position: .first)
        }.get()
    }

    /// Closes the connection without ending TLS, as an attacker in between can.
    package func cutTLS() async throws {
        let channel = channel
        try await channel.eventLoop.flatSubmit {
            do {
                return try channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self).close(
                    mode: .all)
            } catch { return channel.eventLoop.makeFailedFuture(error) }
        }.get()
    }

    /// Waits for the client to close.
    package func untilClosed() async throws { while try await read() != nil {} }

    /// Closes this side, and waits until the client closes, too.
    package func closeUntilSeen() async throws {
        try await channel.close(mode: .output)
        try await untilClosed()
    }

    /// Ends the connection with a TCP reset.
    package func reset() async throws {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }
}
