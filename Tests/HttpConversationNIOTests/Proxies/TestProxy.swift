import Foundation
import HttpConvFormats
import HttpConversation
import HttpConversationConformance
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A proxy on a port of this machine: `CONNECT`, absolute form and SOCKS 5. It connects to 127.0.0.1, whatever host it
/// is asked for. It records all requests and all tunnelled bytes.
final class TestProxy: Sendable {
    /// Returns the whole answer to a head that is refused; nil lets it pass.
    typealias Admission = @Sendable (_ head: String) -> String?

    /// The target that a SOCKS client requested.
    struct Wanted: Hashable, Sendable {
        let kind: UInt8
        let address: [UInt8]
        let port: Int
    }

    private struct State {
        var heads: [String] = []
        var wanted: [Wanted] = []
        var logins: [String] = []
        var methods: [[UInt8]] = []
        var passed: [UInt8] = []
        var tunnels = 0
    }

    private let state = Mutex(State())
    private let admits: Admission
    private let login: String?
    private let boundServer = Mutex<RawServer?>(nil)

    /// The heads of `CONNECT`s and of requests in absolute form.
    var heads: [String] { state.withLock(\.heads) }
    var wanted: [Wanted] { state.withLock(\.wanted) }
    /// The logins of SOCKS clients, as `user:password`.
    var logins: [String] { state.withLock(\.logins) }
    /// The methods that each SOCKS client offered.
    var methods: [[UInt8]] { state.withLock(\.methods) }
    /// All bytes that clients sent through tunnels.
    var passed: [UInt8] { state.withLock(\.passed) }
    var tunnels: Int { state.withLock(\.tunnels) }
    /// The listener.
    var server: RawServer {
        get throws { try boundServer.withLock { $0 } ?? { throw ServerConnection.Ended() }() }
    }

    private init(admits: @escaping Admission, login: String?) {
        self.admits = admits
        self.login = login
    }

    /// Runs a proxy while `body` runs.
    ///
    /// - Parameters:
    ///   - login: the login that SOCKS clients need, as `user:password`; nil: none
    ///   - admits: admits all by default
    static func run<Result: Sendable>(
        tls: NIOSSLContext? = nil, login: String? = nil, admits: @escaping Admission = { _ in nil },
        _ body: @Sendable (TestProxy) async throws -> Result
    ) async throws -> Result {
        let proxy = TestProxy(admits: admits, login: login)
        return try await RawServer.run(tls: tls) {
            try await proxy.serve($0)
        } _: { server in
            proxy.boundServer.withLock { $0 = server }
            return try await body(proxy)
        }
    }

    /// The proxy as a client's setting.
    func server(
        _ kind: ProxyServer.Kind, host: String = "127.0.0.1", login: ProxyLogin? = nil
    ) throws -> ProxyServer { try ProxyServer(kind, host: host, port: server.port, login: login) }

    func route(
        _ kind: ProxyServer.Kind, host: String = "127.0.0.1", login: ProxyLogin? = nil,
        authorization: ProxyAuthorizationSource? = nil
    ) throws -> ProxyRoute {
        ProxyRoute(try server(kind, host: host, login: login), authorization: authorization)
    }

    // MARK: Serving

    private func serve(_ connection: ServerConnection) async throws {
        while true {
            let first = try await connection.readBytes(1)
            if first == [5] { return try await serveSOCKS(connection) }
            // TLS is not a request.
            if first == [22] { return try await connection.write("HTTP/1.1 400 Bad Request\r\n\r\n") }
            let head = String(decoding: first, as: UTF8.self) + (try await connection.readHead())
            state.withLock { $0.heads.append(head) }
            if let refusal = admits(head) {
                try await connection.write(refusal)
                if refusal.contains("Connection: close") { return }
                continue
            }
            let parts = head.split(separator: " ", maxSplits: 2)
            guard parts.count == 3 else { return }
            if parts[0] == "CONNECT" { return try await tunnel(connection, to: String(parts[1])) }
            try await forward(head, to: String(parts[1]), connection)
        }
    }

    private func tunnel(_ connection: ServerConnection, to target: String) async throws {
        let port = target.split(separator: ":").last.flatMap { Int($0) } ?? 0
        try await relay(connection, port) { try await connection.write("HTTP/1.1 200 Connection established\r\n\r\n") }
    }

    /// Forwards one request in origin form, without the proxy's fields, and the response, which must have a length.
    private func forward(_ head: String, to target: String, _ connection: ServerConnection) async throws {
        let url = try TargetURL(target)
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: true).map(String.init)
        lines[0] = lines[0].replacing(target, with: url.requestTarget)
        lines.removeAll { $0.lowercased().hasPrefix("proxy-") }
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n"
        let upstream = try await Self.connect(to: url.origin.port)
        state.withLock { $0.tunnels += 1 }
        let answer = try await upstream.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var bytes: [UInt8] = []
            for try await buffer in inbound {
                bytes += Array(buffer: buffer)
                if Self.isWhole(bytes) { break }
            }
            return bytes
        }
        try await connection.write(answer)
    }

    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        let parts = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")
        guard parts.count > 1, let length = ProxyGuards.field("Content-Length", in: parts[0]) else { return false }
        return parts.dropFirst().joined(separator: "\r\n\r\n").utf8.count >= Int(length) ?? 0
    }

    private static func connect(to port: Int) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }

    private func relay(
        _ connection: ServerConnection, _ port: Int, ready: () async throws -> Void
    ) async throws {
        let upstream: NIOAsyncChannel<ByteBuffer, ByteBuffer>
        do {
            upstream = try await Self.connect(to: port)
        } catch {
            return try await connection.write("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        }
        state.withLock { $0.tunnels += 1 }
        let back = connection.outbound
        let client = connection.channel
        try await upstream.executeThenClose { inbound, outbound in
            // Inside the closure, so that a channel whose client has left is closed too.
            try await ready()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await buffer in inbound { try await back.write(buffer) }
                    try? await client.close()
                }
                while let bytes = try await connection.read() {
                    state.withLock { $0.passed += bytes }
                    try await outbound.write(ByteBuffer(bytes: bytes))
                }
                group.cancelAll()
            }
        }
    }

    private func serveSOCKS(_ connection: ServerConnection) async throws {
        let count = try await connection.readBytes(1)
        let methods = try await connection.readBytes(Int(count[0]))
        state.withLock { $0.methods.append(methods) }
        guard methods.contains(login == nil ? 0 : 2) else { return try await connection.write([5, 0xFF]) }
        try await connection.write([5, login == nil ? 0 : 2])
        if let login {
            _ = try await connection.readBytes(1)
            let name = try await connection.readBytes(Int(try await connection.readBytes(1)[0]))
            let password = try await connection.readBytes(Int(try await connection.readBytes(1)[0]))
            let given = String(decoding: name + [UInt8(ascii: ":")] + password, as: UTF8.self)
            state.withLock { $0.logins.append(given) }
            try await connection.write([1, given == login ? 0 : 1])
            guard given == login else { return }
        }
        let kind = try await connection.readBytes(4)[3]
        let length = kind == 1 ? 4 : kind == 4 ? 16 : Int(try await connection.readBytes(1)[0])
        let address = try await connection.readBytes(length)
        let port = try await connection.readBytes(2)
        let wanted = Wanted(kind: kind, address: address, port: Int(port[0]) << 8 | Int(port[1]))
        state.withLock { $0.wanted.append(wanted) }
        try await relay(connection, wanted.port) {
            try await connection.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        }
    }
}

extension ProxyAuthorizationSource {
    /// A value that is always the same.
    convenience init(fixed value: String) { self.init { _ in value } }
}
