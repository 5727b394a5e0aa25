import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

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

/// A line of the table of contents.
struct ContentsEntry: Sendable {
    let path: String
    let text: String

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }
}

/// A refused command of the admin API.
struct AdminFailure: Error {
    static let unknown = AdminFailure("there is no such command", status: .notFound)

    let message: String
    let status: HTTPResponse.Status

    init(_ message: String, status: HTTPResponse.Status = .badRequest) {
        self.message = message
        self.status = status
    }
}

extension ServerExchange {
    /// A query parameter as one of the values; nil if it is missing or empty.
    func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ parameter: String, of type: Value.Type = Value.self
    ) throws -> Value? {
        guard let text = self.parameter(parameter), !text.isEmpty else { return nil }
        return try requiredChoice(parameter)
    }

    /// A query parameter as one of the values.
    func requiredChoice<Value: RawRepresentable<String> & CaseIterable>(
        _ parameter: String, of type: Value.Type = Value.self
    ) throws -> Value {
        guard let value = Value(rawValue: self.parameter(parameter) ?? "") else {
            let all = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw AdminFailure("\(parameter) must be one of: \(all)")
        }
        return value
    }

    /// The parameter `times`: the number of requests that meet a fault, 1 by default; nil if it is `all`.
    var times: Int? { parameter("times") == "all" ? nil : number("times", default: 1, in: 1...1_000_000) }

    /// A parameter as a duration in that unit if it is present; zero is nil.
    func duration(_ parameter: String, _ unit: (Int) -> Duration, max: Int, _ use: (Duration?) -> Void) {
        guard self.parameter(parameter) != nil else { return }
        let value = number(parameter, default: 0, in: 0...max)
        use(value == 0 ? nil : unit(value))
    }

    /// The body as JSON; nil if it is something else.
    func json<Value: Decodable>(_ type: Value.Type) async throws -> Value? {
        let bytes = try await body().collect(upTo: 65_536)
        return try? JSONDecoder().decode(type, from: Data(bytes.readableBytesView))
    }
}
