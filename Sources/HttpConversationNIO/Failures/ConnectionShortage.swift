/// The reason why an exchange waits although no connection is being made for it: all permitted connections are in use.
enum ConnectionShortage: Equatable {
    /// Its server has as many as it may have.
    case atServer(connections: Int, exchanges: Int)
    /// The whole transport has its maximum number of connections.
    case inTotal(connections: Int)
}
