import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HttpCRelay

/// The time limits of a connection, without a clock.
@Suite struct ConnectionGuardTests {
    /// A client that reads nothing: the ends of answers stay unsent.
    private final class UnsentAnswers: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        private var promises: [EventLoopPromise<Void>?] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .end = unwrapOutboundIn(data) { promises.append(promise) } else { promise?.succeed() }
        }

        func send() {
            for promise in promises { promise?.succeed() }
            promises = []
        }
    }

    /// A connection with a limit of thirty seconds. An embedded channel is for one thread.
    private struct Connection {
        let channel = EmbeddedChannel()
        let answers = UnsentAnswers()
        var isOpen: Bool { channel.isActive }

        static func run(_ work: (Connection) throws -> Void) throws {
            let connection = Connection()
            let channel = connection.channel
            defer {
                _ = try? channel.finish()
                channel.embeddedEventLoop.run()
            }
            try channel.pipeline.syncOperations.addHandlers([
                connection.answers, ConnectionGuard(headTime: .seconds(30)),
            ])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try work(connection)
        }

        func ask() throws {
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
            try channel.writeInbound(HTTPServerRequestPart.head(head))
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
        }

        func answer(_ headers: HTTPHeaders = [:]) {
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
            channel.writeAndFlush(HTTPServerResponsePart.end(nil), promise: nil)
        }

        func wait(seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }
    }

    @Test func theTimeForAHeadStartsWhenTheAnswerIsSent() throws {
        try Connection.run { connection in
            try connection.ask()
            connection.answer()
            connection.wait(seconds: 100)
            #expect(connection.isOpen)
            connection.answers.send()
            connection.wait(seconds: 29)
            #expect(connection.isOpen)
            connection.wait(seconds: 2)
            #expect(!connection.isOpen)
        }
    }

    @Test func theLastAnswerIsSentBeforeTheConnectionEnds() throws {
        try Connection.run { connection in
            try connection.ask()
            connection.answer(["Connection": "close"])
            connection.wait(seconds: 100)
            #expect(connection.isOpen)
            connection.answers.send()
            #expect(!connection.isOpen)
        }
    }

    @Test func aHeadThatCameBeforeTheAnswerWasSentIsInTime() throws {
        try Connection.run { connection in
            try connection.ask()
            connection.answer()
            try connection.ask()
            connection.answers.send()
            connection.wait(seconds: 100)
            #expect(connection.isOpen)
        }
    }

    @Test func theFirstHeadHasItsTime() throws {
        try Connection.run { connection in
            connection.wait(seconds: 29)
            #expect(connection.isOpen)
            connection.wait(seconds: 2)
            #expect(!connection.isOpen)
        }
    }
}
