import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization

/// Answers the requests of one HTTP/2 connection, with the faults of ``StreamFault``.
final class MultiplexedHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private struct Request {
        let path: String
        let recordID: Int?
        var received = 0
    }

    private let connection: Connection
    private let shared: SharedState
    private let turns: FaultTurns
    private var requests: [HTTP2StreamID: Request] = [:]
    private var context: ChannelHandlerContext?

    init(_ connection: Connection, _ shared: SharedState, _ turns: FaultTurns) {
        self.connection = connection
        self.shared = shared
        self.turns = turns
    }

    static func greeting(_ version: String) -> String { "hello over \(version)\n" }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let content):
            guard requests[frame.streamID] == nil else {
                // Trailers.
                return content.endStream ? pass(frame.streamID, context) : ()
            }
            begin(frame.streamID, content, context)
        case .data(let content): receive(content, frame.streamID, context)
        case .rstStream: requests[frame.streamID] = nil
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: Requests

    private func begin(
        _ id: HTTP2StreamID, _ content: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext
    ) {
        let target = content.headers.first(name: ":path") ?? "/"
        let fields = content.headers.map { HeaderField(name: $0.name, value: $0.value) }
        let recordID = shared.record(
            origin: .multiplexed, connection: connection.id, method: content.headers.first(name: ":method") ?? "",
            target: target, fields: fields)
        let path = String(target.prefix { $0 != "?" })
        requests[id] = Request(path: path, recordID: recordID)
        if let fault = fault(path), refuses(fault, id, context) { return }
        if content.endStream { pass(id, context) }
    }

    private func fault(_ path: String) -> StreamFault? {
        path.hasPrefix("/fault/") ? StreamFault(rawValue: String(path.dropFirst("/fault/".count))) : nil
    }

    /// Ends a request before its body has arrived, if the fault does that.
    private func refuses(_ fault: StreamFault, _ id: HTTP2StreamID, _ context: ChannelHandlerContext) -> Bool {
        switch fault {
        case .refused where turns.take(fault.rawValue): reset(id, .refusedStream, context)
        case .http1: reset(id, .http11Required, context)
        case .calm: reset(id, .enhanceYourCalm, context)
        case .goAway where turns.take(fault.rawValue):
            requests[id] = nil
            goAway(HTTP2StreamID(max(0, Int(id) - 2)), context)
        default: return false
        }
        return true
    }

    private func receive(
        _ content: HTTP2Frame.FramePayload.Data, _ id: HTTP2StreamID, _ context: ChannelHandlerContext
    ) {
        guard let path = requests[id]?.path else { return }
        let count = content.data.readableBytes + (content.paddingBytes.map { $0 + 1 } ?? 0)
        requests[id]?.received += content.data.readableBytes
        if count > 0 {
            grant(count, .rootStream, context)
            if fault(path) != .window, !content.endStream { grant(count, id, context) }
        }
        if content.endStream { pass(id, context) }
    }

    private func grant(_ count: Int, _ id: HTTP2StreamID, _ context: ChannelHandlerContext) {
        write(.windowUpdate(windowSizeIncrement: count), id, context)
    }

    // MARK: Answers

    /// Answers a complete request, after its gate opens if it has one.
    private func pass(_ id: HTTP2StreamID, _ context: ChannelHandlerContext) {
        guard let path = requests[id]?.path, let gate = shared.gates.gate(for: path) else { return answer(id, context) }
        after({ [connection] in await connection.cancellingWhenGone { await gate.pass() } }, context) {
            $0.answer(id, $1)
        }
    }

    /// Runs `other` and then `work`, if the connection is still open.
    private func after(
        _ other: @escaping @Sendable () async -> Void, _ context: ChannelHandlerContext,
        _ work: @escaping @Sendable (MultiplexedHandler, ChannelHandlerContext) -> Void
    ) {
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        Task(executorPreference: connection.executor) { [loop = context.eventLoop] in
            await other()
            loop.execute { if let context = handler.value.context { work(handler.value, context) } }
        }
    }

    private func answer(_ id: HTTP2StreamID, _ context: ChannelHandlerContext) {
        guard let request = requests.removeValue(forKey: id) else { return }
        let fault = fault(request.path)
        let status =
            fault == .misdirected && turns.take(request.path) ? 421 : request.path == "/" || fault != nil ? 200 : 404
        shared.recorder.update(request.recordID) { $0.status = status }
        switch fault {
        case .settings: return flood([0, 0, 0, 4, 0, 0, 0, 0, 0], before: id, context)
        case .pings: return flood([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8], before: id, context)
        case .lastAnswer: goAway(id, context)
        default: break
        }
        respond(status, id, fault, context)
    }

    private func respond(
        _ status: Int, _ id: HTTP2StreamID, _ fault: StreamFault?, _ context: ChannelHandlerContext
    ) {
        let body = Self.greeting("HTTP/2")
        let headers: HPACKHeaders = [
            ":status": "\(status)", "content-type": "text/plain", "content-length": "\(body.utf8.count)",
        ]
        write(.headers(.init(headers: headers)), id, context)
        switch fault {
        case .stall, .reset, .cut: half(body, id, context, fault)
        default: write(.data(.init(data: .byteBuffer(.init(string: body)), endStream: true)), id, context)
        }
        context.flush()
    }

    private func half(_ body: String, _ id: HTTP2StreamID, _ context: ChannelHandlerContext, _ fault: StreamFault?) {
        let start = ByteBuffer(string: String(body.prefix(body.count / 2)))
        write(.data(.init(data: .byteBuffer(start))), id, context)
        switch fault {
        case .reset: reset(id, .internalError, context)
        case .cut:
            context.flush()
            context.close(promise: nil)
        default: break
        }
    }

    private func reset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode, _ context: ChannelHandlerContext) {
        requests[id] = nil
        write(.rstStream(code), id, context)
        context.flush()
    }

    private func goAway(_ last: HTTP2StreamID, _ context: ChannelHandlerContext) {
        write(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil), .rootStream, context)
        context.flush()
    }

    /// Sends frames that the codec would refuse, then the answer.
    private func flood(_ frame: [UInt8], before id: HTTP2StreamID, _ context: ChannelHandlerContext) {
        let bytes = Array(repeatElement(frame, count: 2000).joined())
        after({ [connection] in try? await connection.write(bytes) }, context) { $0.respond(200, id, nil, $1) }
    }

    private func write(
        _ payload: HTTP2Frame.FramePayload, _ id: HTTP2StreamID, _ context: ChannelHandlerContext
    ) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: nil)
    }
}

/// Selects every other request for a fault.
final class FaultTurns: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Whether this request meets the fault. The first one does.
    func take(_ path: String) -> Bool {
        counts.withLock { counts in
            counts[path, default: 0] += 1
            return counts[path, default: 0] % 2 == 1
        }
    }
}
