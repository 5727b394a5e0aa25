import Crypto
import Foundation
import NIOCore
import NIOSSL
import Synchronization
import X509

/// An accepted connection: its requests, and a way to write bytes below the HTTP encoder.
final class Connection: Sendable {
    private struct State {
        var pending: [IncomingRequest] = []
        var answering: [Int?] = []
        var received = 0
        var isGone = false
        var onGone: [Int: @Sendable () -> Void] = [:]
        var nextKey = 0
    }

    let id: Int
    let origin: LandscapeOrigin
    let channel: any Channel
    /// Runs the tasks that wait for the connection's gates and delays.
    let executor: ServerExecutor
    private let wire: NIOLoopBound<WireHandler>
    private let socket: NIOLoopBound<SocketHandler>
    private let state = Mutex(State())

    init(
        id: Int, origin: LandscapeOrigin, channel: any Channel, executor: ServerExecutor, wire: WireHandler,
        socket: SocketHandler
    ) {
        self.id = id
        self.origin = origin
        self.channel = channel
        self.executor = executor
        self.wire = NIOLoopBound(wire, eventLoop: channel.eventLoop)
        self.socket = NIOLoopBound(socket, eventLoop: channel.eventLoop)
    }

    /// Adds a request whose head has arrived.
    func enqueue(_ request: IncomingRequest) {
        state.withLock {
            $0.pending.append(request)
            $0.answering.append(request.recordID)
            $0.received += 1
        }
    }

    /// The oldest request that is not yet being answered.
    func dequeue() -> IncomingRequest? {
        state.withLock { $0.pending.isEmpty ? nil : $0.pending.removeFirst() }
    }

    /// The record of the oldest request without a final response.
    func dequeueAnswered() -> Int? {
        state.withLock { $0.answering.isEmpty ? nil : $0.answering.removeFirst() }
    }

    var receivedRequests: Int { state.withLock { $0.received } }

    /// Whether the peer has closed its side.
    var isGone: Bool { state.withLock { $0.isGone } }

    func markGone() {
        let actions = state.withLock { state in
            state.isGone = true
            defer { state.onGone = [:] }
            return Array(state.onGone.values)
        }
        for action in actions { action() }
    }

    /// Runs the operation in a task that is cancelled when the peer closes.
    func cancellingWhenGone(_ operation: @escaping @Sendable () async -> Void) async {
        let task = Task(executorPreference: executor) { await operation() }
        let key: Int? = state.withLock { state in
            guard !state.isGone else { return nil }
            state.nextKey += 1
            state.onGone[state.nextKey] = { task.cancel() }
            return state.nextKey
        }
        guard let key else { return task.cancel() }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        _ = state.withLock { $0.onGone.removeValue(forKey: key) }
    }

    /// Writes bytes unchanged (inside TLS if the origin has it).
    func write(_ bytes: [UInt8]) async throws {
        let buffer = ByteBuffer(bytes: bytes)
        let promise = channel.eventLoop.makePromise(of: Void.self)
        channel.eventLoop.execute { [wire] in wire.value.write(buffer, promise: promise) }
        try await promise.futureResult.get()
    }

    /// Performs a script, below the HTTP encoder.
    func run(_ script: WireScript) async throws {
        for step in script.steps {
            switch step {
            case .bytes(let bytes): try await write(bytes)
            case .pause(let duration): try await Task.sleep(for: duration)
            case .close: await close()
            case .reset: await reset()
            }
        }
    }

    /// Closes with a TCP reset. Unsent bytes are dropped.
    func reset() async {
        let provider = channel as? any SocketOptionProvider
        try? await provider?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        await abort()
    }

    /// Closes the socket at once, without waiting for the peer's TLS close_notify.
    func abort() async {
        channel.eventLoop.execute { [socket] in socket.value.abort() }
        try? await channel.closeFuture.get()
    }

    /// Closes in an orderly way, with close_notify over TLS.
    func close() async {
        try? await channel.close()
    }
}

extension Connection {
    /// The client's certificate.
    func clientCertificate() async throws -> Certificate? {
        guard origin.scheme == "https" else { return nil }
        guard let certificate = try await channel.nioSSL_peerCertificate().get() else { return nil }
        return try Certificate(derEncoded: certificate.toDERBytes())
    }

    /// The thumbprint of the client's certificate in tokens (RFC 8705, 3.1).
    func clientCertificateThumbprint() async throws -> String? {
        guard origin.scheme == "https" else { return nil }
        guard let certificate = try await channel.nioSSL_peerCertificate().get() else { return nil }
        return Base64URL.string(SHA256.hash(data: try certificate.toDERBytes()))
    }
}
