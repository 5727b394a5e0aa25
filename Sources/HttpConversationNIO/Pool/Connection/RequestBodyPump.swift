import HttpConversation
import NIOCore

/// A running upload: the task that reads the body's source, and the pipe from it to the connection.
struct RequestBodyPump {
    private let pipe: RequestBodyPipe
    private let buffers = RequestBodyBuffers()
    private let writer: Task<Void, Never>

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

    /// Takes all bytes that there are.
    ///
    /// - Returns: the bytes as they are written, and whether the body ends with them
    func take() -> (buffers: [ByteBuffer], isLast: Bool) {
        let (pieces, isLast) = pipe.take()
        return (buffers.buffers(of: pieces), isLast)
    }

    /// Stops the upload: the rest of the body is no longer needed.
    func stop() {
        writer.cancel()
        pipe.close()
    }
}
