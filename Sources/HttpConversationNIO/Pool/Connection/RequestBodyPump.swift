import HttpConversation

/// A running upload: the task that reads the body's source, and the pipe from it to the connection.
struct RequestBodyPump {
    private let pipe: RequestBodyPipe
    private let writer: Task<Void, Never>

    /// Starts to read the source.
    init(_ body: OpenedRequestBody, of exchange: TransportExchange, over connection: Connection) {
        let pipe = RequestBodyPipe { connection.sendPieces(of: exchange) }
        self.pipe = pipe
        writer = Task {
            await RequestBodyWriter(body: body, exchange: exchange, connection: connection, pipe: pipe).run()
        }
    }

    /// Takes the next piece. Returns nil if there is none yet.
    func take() -> RequestBodyPipe.Piece? { pipe.take() }

    /// Stops the upload: the rest of the body is no longer needed.
    func stop() {
        writer.cancel()
        pipe.close()
    }
}
