import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOTLS
import Synchronization
import TestSupport

@testable import HttpConversation
@testable import HttpConversationNIO

/// The transport's own pool and handlers on a channel without a socket. The input takes the place of the server's
/// bytes.
final class Pipeline {
    /// The end of an exchange.
    enum Ending: Equatable, Sendable {
        /// A response with the body that arrived. The failure is nil if the body ended properly.
        case response(status: Int, fields: HTTPFields, body: [UInt8], failure: String?)
        case failure(String)
    }

    private final class Endings: Sendable {
        let all = Mutex<[Int: Ending]>([:])
    }

    private let maker: EmbeddedMaker
    private let pool: ConnectionPool
    private let configuration: NIOTransport.Configuration
    private let executor = InlineExecutor()
    /// The most memory that an unfinished line of HTTP/1.1 has taken, in bytes.
    private(set) var memoryOfLine = 0

    /// - Parameter isHTTP2: whether TLS has negotiated HTTP/2
    init(isHTTP2: Bool) {
        var configuration = NIOTransport.Configuration()
        configuration.maximumHeadBytes = 16 << 10
        self.configuration = configuration
        maker = EmbeddedMaker(isHTTP2: isHTTP2, configuration: configuration)
        pool = ConnectionPool(configuration: configuration, connector: maker)
    }

    /// Sends requests, feeds in the server's bytes, and closes.
    ///
    /// - Throws: a ``BrokenProperty`` if a request still waits after the server has closed
    func run(_ requests: [TransportRequest], _ pieces: [[UInt8]]) throws -> [Ending] {
        let endings = Endings()
        for (index, request) in requests.enumerated() {
            Self.begin(request, index, endings, pool, configuration, executor)
        }
        settle()
        for piece in pieces {
            let channel = maker.channels.withLock(\.last)?.value
            channel?.receive(piece)
            settle()
            let handler = try? channel?.pipeline.syncOperations.handler(type: HTTP1Handler.self)
            memoryOfLine = max(memoryOfLine, handler?.unfinishedLine.storageCapacity ?? 0)
        }
        // A retried request finds its server closed, too.
        for _ in 0..<8 {
            for channel in maker.channels.withLock({ $0 }) { channel.value.end() }
            settle()
        }
        let found = endings.all.withLock { $0 }
        return try requests.indices.map { index in
            guard let ending = found[index] else { throw BrokenProperty("a request waits for a server that is gone") }
            return ending
        }
    }

    private static func begin(
        _ request: TransportRequest, _ index: Int, _ endings: Endings, _ pool: ConnectionPool,
        _ configuration: NIOTransport.Configuration, _ executor: InlineExecutor
    ) {
        Task(executorPreference: executor) {
            let ending = await exchange(request, pool, configuration)
            endings.all.withLock { $0[index] = ending }
        }
    }

    private func settle() {
        for _ in 0..<4 {
            executor.drain()
            maker.loop.run()
        }
    }

    private static func exchange(
        _ request: TransportRequest, _ pool: ConnectionPool, _ configuration: NIOTransport.Configuration
    ) async -> Ending {
        let secure = request.target.origin.scheme == .https
        let key = PoolKey(origin: request.target.origin, protocols: secure ? .http2OrHTTP1 : .http1)
        let wire = WireRequest(request, key: key, payload: .none, configuration: configuration)
        let exchange = TransportExchange(wire, needsFreshConnection: false, pool: pool)
        switch await exchange.run() {
        case .head(let head, let whole):
            let limit = ExpansionLimit(factor: 1100, allowance: 64 << 10)
            do throws(ConversationError) {
                let response = try ResponseBuilder(request: wire, expansionLimit: limit).build(head, whole, exchange)
                return await read(response)
            } catch {
                return .failure(error.code.description)
            }
        case .failure(let error): return .failure(error.code.description)
        case .retryOnFreshConnection, .retryUnprocessed, .retryOverHTTP1, .retryRenegotiating, .retryWithoutExpect:
            return .failure("to be tried again")
        }
    }

    private static func read(_ response: TransportResponse) async -> Ending {
        var body: [UInt8] = []
        var failure: String?
        do throws(ConversationError) {
            while let chunk = try await response.body.next() { body += chunk }
        } catch {
            failure = error.code.description
        }
        return .response(
            status: response.head.status.code, fields: response.head.headerFields, body: body, failure: failure)
    }
}

/// Makes connections that stay inside of the process.
private final class EmbeddedMaker: ConnectionMaker {
    private let isHTTP2: Bool
    private let configuration: NIOTransport.Configuration
    private let bound: NIOLoopBound<EmbeddedEventLoop>
    let channels = Mutex<[NIOLoopBound<EmbeddedChannel>]>([])

    var loop: EmbeddedEventLoop { bound.value }
    let loops: ConnectionLoops

    init(isHTTP2: Bool, configuration: NIOTransport.Configuration) {
        let loop = EmbeddedEventLoop()
        loops = ConnectionLoops(loop)
        bound = NIOLoopBound(loop, eventLoop: loop)
        self.isHTTP2 = isHTTP2
        self.configuration = configuration
    }

    func start(_ attempt: ConnectAttempt, for pool: ConnectionPool) {
        // A retried request finds no server.
        guard channels.withLock(\.isEmpty) else {
            return pool.attemptFailed(attempt, ConversationError(.connectionFailed, "The server is gone."))
        }
        let channel = EmbeddedChannel(loop: loop)
        channels.withLock { $0.append(NIOLoopBound(channel, eventLoop: loop)) }
        let setup = ConnectionSetupHandler(attempt, pool: pool, configuration: configuration)
        do {
            try channel.pipeline.syncOperations.addHandler(setup)
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
            setup.adopt(attempt)
            guard isHTTP2 else { return }
            channel.pipeline.fireUserInboundEventTriggered(
                TLSUserEvent.handshakeCompleted(negotiatedProtocol: "h2"))
        } catch {
            pool.attemptFailed(attempt, ConversationError(.connectionFailed, "\(error)"))
        }
    }
}

extension EmbeddedChannel {
    /// Feeds in bytes of the peer. A handler's error is ignored here, because the handler reports it to its exchange.
    fileprivate func receive(_ bytes: [UInt8]) {
        guard isActive else { return }
        _ = try? writeInbound(ByteBuffer(bytes: bytes))
    }

    /// Closes the peer's side.
    fileprivate func end() { _ = try? finish(acceptAlreadyClosed: true) }
}
