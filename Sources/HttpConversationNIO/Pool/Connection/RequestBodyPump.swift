import HttpConversation
import NIOCore

/// A running upload: the task that reads the body's source, and the pipe from it to the connection. Lives on the
/// connection's event loop.
final class RequestBodyPump {
    /// Bytes as they are written.
    struct Part {
        /// Nil: the body ends without further bytes.
        let buffer: ByteBuffer?
        /// Whether the bytes were copied for this part.
        let isCopied: Bool
        /// Whether there were no more bytes in the pipe.
        let isEndOfBurst: Bool
        /// Whether the body ends with it.
        let isLast: Bool
    }

    private let pipe: RequestBodyPipe
    private let buffers = RequestBodyBuffers()
    private let writer: Task<Void, Never>
    /// Pieces that were taken out of the pipe, and are not written yet.
    private var pieces: ArraySlice<RequestBodyBytes> = []
    private var hasEnd = false

    /// Starts to read the source.
    init(_ body: OpenedRequestBody, of exchange: TransportExchange, over connection: Connection) {
        let pipe = RequestBodyPipe { connection.sendPieces(of: exchange) }
        self.pipe = pipe
        writer = Task { [buffers] in
            await RequestBodyWriter(
                body: body, exchange: exchange, connection: connection, pipe: pipe, buffers: buffers
            ).run()
        }
    }

    /// The next bytes; nil: there are none yet.
    func next() -> Part? {
        if pieces.isEmpty {
            let taken = pipe.take()
            if taken.pieces.isEmpty, !taken.isLast { return nil }
            (pieces, hasEnd) = (taken.pieces[...], taken.isLast)
        }
        let part = buffers.next(of: &pieces)
        return Part(
            buffer: part?.buffer, isCopied: part?.isCopied ?? false, isEndOfBurst: pieces.isEmpty,
            isLast: hasEnd && pieces.isEmpty)
    }

    /// Stops the upload: the rest of the body is no longer needed.
    func stop() {
        writer.cancel()
        pipe.close()
    }
}
