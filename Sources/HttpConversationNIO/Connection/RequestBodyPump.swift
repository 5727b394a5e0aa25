import HttpConversation

/// A request body on its way: the task that reads its source, and the pipe between that and the connection.
struct RequestBodyPump {
    private let pipe: RequestBodyPipe
    private let writer: Task<Void, Never>

    /// Begins to read.
    init(_ body: OpenedRequestBody, of exchange: TransportExchange, over connection: Connection) {
        let pipe = RequestBodyPipe { connection.sendPieces(of: exchange) }
        self.pipe = pipe
        writer = Task {
            await RequestBodyWriter(body: body, exchange: exchange, connection: connection, pipe: pipe).run()
        }
    }

    /// The next piece; nil where there is none yet.
    func take() -> RequestBodyPipe.Piece? { pipe.take() }

    /// Nothing more of the body is wanted.
    func stop() {
        writer.cancel()
        pipe.close()
    }
}
