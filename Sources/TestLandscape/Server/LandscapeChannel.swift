import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1 channel with our two handlers in its pipeline.
struct LandscapeChannel: ServerChildChannel {
    let base: HTTP1Channel
    let origin: LandscapeOrigin
    let shared: SharedState

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let prepared = channel.eventLoop.makeCompletedFuture {
            try shared.connections.accept(channel, origin: origin)
        }
        return prepared.flatMap { connection in
            base.setup(channel: channel, logger: logger).flatMapThrowing { value in
                let operations = channel.pipeline.syncOperations
                let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                let recording = RecordingHandler(connection: connection, shared: shared)
                try operations.addHandler(recording, position: .after(decoder))
                return value
            }
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
