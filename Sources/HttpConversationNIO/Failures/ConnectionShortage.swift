/// Why an exchange waits for a connection although none is being made for it: all that there may be are in use.
enum ConnectionShortage: Equatable {
    /// Its server has as many as it may have.
    case atServer(connections: Int, exchanges: Int)
    /// The whole transport has as many as it may have.
    case inTotal(connections: Int)
}
