import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import X509

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server that does exactly what a script tells it, byte by byte. One script per connection.
final class RawServer: Sendable {
    typealias Script = @Sendable (ServerConnection) async throws -> Void

    private let script: Script
    private let boundPort = Atomic<Int>(0)
    private let accepted = Atomic<Int>(0)
    private let closed = Atomic<Int>(0)
    private let changes = Signal()
    private let tasks = Mutex<[Task<Void, Never>]>([])

    var port: Int { boundPort.load(ordering: .acquiring) }
    /// Connections accepted so far.
    var connectionCount: Int { accepted.load(ordering: .acquiring) }
    /// Connections whose script has ended and that are closed.
    var closedCount: Int { closed.load(ordering: .acquiring) }
    var url: String { "http://127.0.0.1:\(port)" }

    private init(_ script: @escaping Script) { self.script = script }

    /// Waits until `condition` holds; asked whenever a connection comes or goes.
    func wait(until condition: @escaping @Sendable (RawServer) -> Bool) async {
        await changes.wait { condition(self) }
    }

    /// Runs a server for as long as `body` runs.
    static func run<Result: Sendable>(
        host: String = "127.0.0.1", tls: NIOSSLContext? = nil, receiveBuffer: Int? = nil, script: @escaping Script,
        _ body: @Sendable (RawServer) async throws -> Result
    ) async throws -> Result {
        let server = RawServer(script)
        let (listener, reserved) = try await server.listen(on: host, tls, receiveBuffer)
        server.boundPort.store(listener.localAddress?.port ?? 0, ordering: .releasing)
        defer { withExtendedLifetime(reserved) {} }
        do {
            let result = try await body(server)
            try await server.stop(listener)
            return result
        } catch {
            try await server.stop(listener)
            throw error
        }
    }

    /// A port that nobody else has on the other loopback address: a client of `localhost` may try that one first.
    private func listen(
        on host: String, _ tls: NIOSSLContext?, _ receiveBuffer: Int?
    ) async throws -> (any Channel, ReservedPort?) {
        for _ in 0..<20 {
            let listener = try await bootstrap(tls, receiveBuffer).bind(host: host, port: 0).get()
            let reserved = ReservedPort(listener.localAddress?.port ?? 0, beside: host)
            if reserved.isHeld { return (listener, reserved) }
            try await listener.close()
        }
        return (try await bootstrap(tls, receiveBuffer).bind(host: host, port: 0).get(), nil)
    }

    private func bootstrap(_ tls: NIOSSLContext?, _ receiveBuffer: Int?) -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    if let receiveBuffer {
                        try channel.syncOptions?.setOption(
                            .socketOption(.so_rcvbuf), value: SocketOptionValue(receiveBuffer))
                    }
                    self.serve(
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                            wrappingChannelSynchronously: channel,
                            configuration: .init(
                                backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2),
                                isOutboundHalfClosureEnabled: false)))
                }
            }
    }

    private func serve(_ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>) {
        let index = accepted.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
        changes.fire()
        let task = Task { [self] in
            try? await channel.executeThenClose { inbound, outbound in
                try await script(
                    ServerConnection(channel.channel, inbound.makeAsyncIterator(), outbound, index: index))
            }
            closed.wrappingAdd(1, ordering: .acquiringAndReleasing)
            changes.fire()
        }
        tasks.withLock { $0.append(task) }
    }

    private func stop(_ listener: any Channel) async throws {
        try await listener.close()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}

/// One accepted connection, driven by its script alone.
final class ServerConnection {
    /// 0 for the first connection of the server.
    let index: Int
    let channel: any Channel
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    /// For another task that writes, too.
    let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var buffered: [UInt8] = []

    init(
        _ channel: any Channel, _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>, index: Int
    ) {
        self.channel = channel
        self.inbound = inbound
        self.outbound = outbound
        self.index = index
    }

    struct Ended: Error {}

    /// The common name in the certificate that the client has shown; nil where it has shown none.
    func clientName() async throws -> String? {
        guard let certificate = try await channel.nioSSL_peerCertificate().get() else { return nil }
        return try Certificate(derEncoded: certificate.toDERBytes()).subject.description
    }

    /// The next bytes, whatever there is; nil at the end.
    func read() async throws -> [UInt8]? {
        if !buffered.isEmpty {
            defer { buffered = [] }
            return buffered
        }
        guard let buffer = try await inbound.next() else { return nil }
        return Array(buffer: buffer)
    }

    /// A request's head up to and with its empty line.
    func readHead() async throws -> String {
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

    /// Exactly so many bytes.
    func readBytes(_ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = try await read() else { throw Ended() }
            bytes += more
        }
        buffered = Array(bytes[count...])
        return Array(bytes[..<count])
    }

    /// Everything up to and with the given text.
    func read(through end: String) async throws -> String {
        var bytes: [UInt8] = []
        while !bytes.suffix(end.utf8.count).elementsEqual(end.utf8) {
            guard let more = try await read() else { throw Ended() }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) async throws { try await outbound.write(ByteBuffer(bytes: bytes)) }

    /// 200 with a text.
    func respond(_ body: String, headers: String = "") async throws {
        try await write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    /// Waits for the client to close.
    func untilClosed() async throws { while try await read() != nil {} }

    /// Ends the connection with a TCP reset.
    func reset() async throws {
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }
}

/// Holds a port of the other loopback address, without listening on it, for as long as it lives.
final class ReservedPort: Sendable {
    let isHeld: Bool
    private let descriptor: Int32

    init(_ port: Int, beside host: String) {
        let isIPv6 = !host.contains(":")
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, stream, 0)
        let address = try? SocketAddress(ipAddress: isIPv6 ? "::1" : "127.0.0.1", port: port)
        let descriptor = descriptor
        isHeld = address?.withSockAddr { address, size in bind(descriptor, address, socklen_t(size)) == 0 } ?? false
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
