import HttpConversation
import HttpConversationConformance
import NIOCore
import NIOEmbedded
import Testing

@testable import HttpConversationNIO

/// The codec gets whole frames, so that it keeps none of them.
@Suite struct HTTP2WholeFramesTests {
    private final class Reads: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        var all: [[UInt8]] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            all.append(Array(unwrapInboundIn(data).readableBytesView))
        }
    }

    private struct NoConnections: ConnectionMaker {
        let loops: ConnectionLoops
        func start(_ attempt: ConnectAttempt, for pool: ConnectionPool) {}
    }

    private func passed(_ pieces: [[UInt8]]) throws -> (reads: [[UInt8]], capacity: Int, unfinished: Int) {
        let channel = EmbeddedChannel()
        let configuration = NIOTransport.Configuration()
        let pool = ConnectionPool(
            configuration: configuration, connector: NoConnections(loops: ConnectionLoops(channel.eventLoop)))
        let key = PoolKey(origin: try Origin(scheme: .https, host: "server.example"))
        let frames = HTTP2WholeFrames(HTTP2Handler(key, pool: pool, configuration: configuration))
        let reads = Reads()
        try channel.pipeline.syncOperations.addHandlers(frames, reads)
        var capacity = 0
        for piece in pieces {
            try channel.writeInbound(ByteBuffer(bytes: piece))
            capacity = max(capacity, frames.unfinished.capacity)
        }
        return (reads.all, capacity, frames.unfinished.readableBytes)
    }

    private static func frame(_ count: Int) -> [UInt8] {
        HTTP2Peer.frame(HTTP2Peer.data, stream: 1, [UInt8](repeating: 7, count: count))
    }

    @Test(arguments: [1, 2, 8, 9, 10, 100, 16_384, 16_393, 16_394, 100_000])
    func framesAreWhole(piece: Int) throws {
        let counts = [0, 1, 0, 16_384, 0, 9, 16_384, 16_383, 3]
        let bytes = counts.flatMap(Self.frame)
        // Where frames end.
        let ends = Set(counts.reduce(into: [0]) { $0.append(($0.last ?? 0) + 9 + $1) })
        let rest = [UInt8](Self.frame(16_384).dropLast())
        let all = bytes + rest
        let pieces = stride(from: 0, to: all.count, by: piece).map { Array(all[$0..<min($0 + piece, all.count)]) }
        let (reads, capacity, unfinished) = try passed(pieces)
        #expect(reads.flatMap(\.self) == bytes)
        var place = 0
        for read in reads {
            place += read.count
            #expect(ends.contains(place))
        }
        #expect(capacity <= 32 << 10)
        #expect(unfinished == rest.count)
    }

    /// The codec refuses it by its header.
    @Test func aFrameThatIsTooLargeIsNotKept() throws {
        let (reads, capacity, _) = try passed([[0, 0x40], [1, 0, 0, 0, 0, 0, 1, 9]])
        #expect(reads.flatMap(\.self) == [0, 0x40, 1, 0, 0, 0, 0, 0, 1])
        #expect(capacity < 100)
    }
}
