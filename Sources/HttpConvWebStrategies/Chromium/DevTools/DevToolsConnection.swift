#if os(Linux)
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform
import HttpConversation
import NIOCore
import NIOPosix
import Synchronization

/// The DevTools protocol over a pipe: commands with answers, and events.
final class DevToolsConnection: Sendable {
    /// The browser's events, in order; ends with the browser.
    let events: AsyncStream<DevToolsEvent>

    private struct Waiting {
        let method: String
        let continuation: CheckedContinuation<JSONValue, any Error>
        let limit: Scheduled<Void>
    }
    private struct State {
        var next = 0
        var waiting: [Int: Waiting] = [:]
        /// Whether there are no more answers and events.
        var isClosed = false
        var isClosedByBrowser = false
    }

    private let channel: any Channel
    private let state = Mutex(State())
    private let continuation: AsyncStream<DevToolsEvent>.Continuation
    /// The maximum number of unread events. Beyond it, the connection is given up.
    private static let maximumBacklog = 20_000
    /// The default timeout for an answer.
    static let answerLimit = Duration.seconds(20)

    private init(_ channel: any Channel) {
        self.channel = channel
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumBacklog))
    }

    /// Opens the protocol on a connected socket.
    static func open(_ socket: NIOBSDSocket.Handle) async throws -> DevToolsConnection {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(ChannelOptions.autoRead, value: false)
            .withConnectedSocket(socket).get()
        let connection = DevToolsConnection(channel)
        try await channel.eventLoop.submit {
            let framing = ByteToMessageHandler(DevToolsFraming(), maximumBufferSize: DevToolsFraming.limit)
            try channel.pipeline.syncOperations.addHandlers(framing, DevToolsHandler(connection))
        }.get()
        try await channel.setOption(ChannelOptions.autoRead, value: true).get()
        return connection
    }

    /// Performs a command and waits for its answer.
    ///
    /// - Parameters:
    ///   - session: the page; nil for the browser itself
    /// - Throws: ``DevToolsError`` if the browser refuses, ``WebLoginError/Code/browserFailed`` if it does not answer
    ///   in time or has ended, `CancellationError`
    @discardableResult
    func call(
        _ method: String, _ parameters: [String: JSONValue] = [:], in session: String? = nil,
        within limit: Duration = answerLimit
    ) async throws -> JSONValue {
        let id = nextID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let timer = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { [weak self] in
                    guard let self else { return }
                    finish(id, .failure(Self.noAnswer(to: method, after: limit)))
                }
                let isOpen = state.withLock { state in
                    guard !state.isClosed else { return false }
                    state.waiting[id] = Waiting(method: method, continuation: continuation, limit: timer)
                    return true
                }
                guard isOpen else {
                    timer.cancel()
                    return continuation.resume(throwing: Self.gone)
                }
                write(DevToolsCommand(id: id, method: method, params: parameters, sessionId: session))
                if Task.isCancelled { finish(id, .failure(CancellationError())) }
            }
        } onCancel: {
            finish(id, .failure(CancellationError()))
        }
    }

    /// Sends a command whose answer does not matter.
    func send(_ method: String, _ parameters: [String: JSONValue] = [:], in session: String? = nil) {
        write(DevToolsCommand(id: nextID(), method: method, params: parameters, sessionId: session))
    }

    /// Closes the pipe, which ends a running browser.
    func close() async { try? await channel.close() }

    /// Whether the browser has closed its end of the pipe.
    var isClosedByBrowser: Bool { state.withLock { $0.isClosedByBrowser } }

    private func nextID() -> Int {
        state.withLock { state in
            state.next += 1
            return state.next
        }
    }

    private func write(_ command: DevToolsCommand) {
        guard let bytes = try? JSONEncoder().encode(command) else { return }
        var buffer = channel.allocator.buffer(capacity: bytes.count + 1)
        buffer.writeBytes(bytes)
        buffer.writeInteger(UInt8(0))
        channel.writeAndFlush(buffer, promise: nil)
    }

    private func finish(_ id: Int, _ result: Result<JSONValue, any Error>) {
        guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
        waiting.limit.cancel()
        waiting.continuation.resume(with: result)
    }

    private static func noAnswer(to method: String, after limit: Duration) -> WebLoginError {
        WebLoginError(.browserFailed, "The browser hangs: it did not answer \(method) within \(limit).")
    }

    private static var unreadable: WebLoginError {
        WebLoginError(
            .browserFailed, "An answer of the browser could not be read. Show the login in a terminal instead.")
    }

    private static var gone: WebLoginError { WebLoginError(.browserFailed, "The browser ended unexpectedly.") }

    // MARK: Handler events

    /// Handles a message.
    func received(_ bytes: ByteBuffer) {
        let bytes = Array(bytes.readableBytesView)
        guard let message = try? DevToolsMessage.read(bytes) else {
            if let id = DevToolsMessage.number(of: bytes) { finish(id, .failure(Self.unreadable)) }
            return
        }
        if let id = message.id {
            let method = state.withLock { $0.waiting[id]?.method }
            if let error = message.error {
                finish(id, .failure(DevToolsError(method: method ?? "", message: error.message)))
            } else {
                finish(id, .success(message.result ?? .null))
            }
        } else if let method = message.method {
            let event = DevToolsEvent(
                method: method, parameters: message.params ?? .null, session: message.sessionId)
            if case .dropped = continuation.yield(event) { giveUp() }
        }
    }

    /// Ends the events, and all calls with an error. The pipe stays open until the browser is killed, because a browser
    /// without its pipe sends requests that it holds.
    func giveUp() {
        channel.setOption(ChannelOptions.autoRead, value: false).whenComplete { _ in }
        finishAll()
    }

    /// Handles the end of the pipe.
    func ended() {
        state.withLock { $0.isClosedByBrowser = true }
        finishAll()
    }

    private func finishAll() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting.values.map(\.self)
        }
        for one in waiting {
            one.limit.cancel()
            one.continuation.resume(throwing: Self.gone)
        }
        continuation.finish()
    }
}

/// The last handler of the pipeline.
private final class DevToolsHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let connection: DevToolsConnection

    init(_ connection: DevToolsConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { connection.received(unwrapInboundIn(data)) }

    func channelInactive(context: ChannelHandlerContext) {
        connection.ended()
        context.fireChannelInactive()
    }

    /// Handles a reset, or a message beyond the limit.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is IOError { context.close(promise: nil) } else { connection.giveUp() }
    }
}
#endif
