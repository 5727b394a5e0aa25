import HttpConversation

/// Performs exchanges on a connection, one or several at a time. Lives on the channel's event loop.
protocol ExchangeHandler: AnyObject {
    /// Starts an exchange, or gives it back to the pool.
    func begin(_ exchange: TransportExchange)
    /// Ends an exchange that its consumer gave up.
    func abort(_ exchange: TransportExchange)
    /// Resumes reading after the consumer took what was buffered.
    func resumeReading(_ exchange: TransportExchange)
    /// Sends pieces that have arrived in the pipe of the request's body.
    func sendPieces(of exchange: TransportExchange)
    func failBody(of exchange: TransportExchange, _ failure: ConversationError)
    /// Ends the connection and its exchanges at once, at the request of the pool.
    func shutDown()
}
