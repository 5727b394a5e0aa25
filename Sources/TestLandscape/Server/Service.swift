/// A part of a landscape: endpoints with their state, and commands of the admin API that control them.
protocol Service: Sendable {
    /// The name in the admin API: `/admin/NAME/…`; empty if the service has no part in it.
    var name: String { get }
    /// The lines of the table of contents for the endpoints.
    var contents: [ContentsEntry] { get }
    /// The lines of the table of contents for the commands.
    var commands: [ContentsEntry] { get }
    /// The present counters, which `GET /admin/NAME/counters` shows; nil if the service counts nothing.
    var counts: (any Encodable)? { get }
    /// Adds the endpoints.
    func register(in table: inout EndpointTable)
    /// The answer to a command that changes nothing; nil for any other command.
    func read(_ command: String, _ exchange: ServerExchange) throws -> (any Encodable)?
    /// Performs a command, such as one that injects a fault. Returns its answer, if it has one.
    ///
    /// Throws ``AdminFailure``.
    func perform(_ command: String, _ exchange: ServerExchange) async throws -> (any Encodable)?
    /// Ends all cookie sessions.
    func endSessions()
    /// Forgets sessions, tokens, faults and counters. Users, clients and rules stay.
    func reset()
}

extension Service {
    var name: String { "" }
    var contents: [ContentsEntry] { [] }
    var commands: [ContentsEntry] { [] }
    var counts: (any Encodable)? { nil }
    func register(in table: inout EndpointTable) {}
    func read(_ command: String, _ exchange: ServerExchange) throws -> (any Encodable)? { nil }
    func perform(_ command: String, _ exchange: ServerExchange) async throws -> (any Encodable)? {
        throw AdminFailure.unknown
    }
    func endSessions() {}
    func reset() {}
}
