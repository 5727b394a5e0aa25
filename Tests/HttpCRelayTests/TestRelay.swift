import HttpC
import HttpCClient
import HttpCTerminal
import TestSupport

@testable import HttpCRelay

/// A relay in the process of the tests, without a profile.
struct TestRelay {
    let server: RelayServer
    let port: Int
    /// The secret of the path.
    let secret: String

    /// Starts a relay and stops it after the work.
    static func run(
        to url: String, _ limits: RelayLimits = RelayLimits(), user: UserArgument? = nil,
        _ work: (TestRelay) async throws -> Void
    ) async throws {
        let diagnostics = Diagnostics(isSilent: true, style: TerminalStyle(isColoured: false), progress: nil)
        let target = try TargetURL(url)
        var plan = ClientPlan()
        plan.connection.proxy = ""
        let setup = try await RequestSetup(plan, for: [target], hostField: nil, nil, user, diagnostics)
        let client = RelayClient(try TargetDirectory(target), setup, limits, observing: [], diagnostics)
        let server = try await RelayServer.start(client, port: 0, limits: limits)
        let address = try TargetURL(server.secretURL?.value ?? "")
        let relay = TestRelay(server: server, port: address.origin.port, secret: String(address.path.dropFirst()))
        do { try await work(relay) } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Sends a text with `HOST` and `SECRET` in it, and returns all that comes before the connection's end.
    ///
    /// - Parameter body: is sent after the text as it is
    func exchange(_ text: String, body: String = "") async throws -> String {
        try await RawClient.exchange("127.0.0.1", port, filled(text) + body)
    }

    /// The answer to one request with the secret.
    func get(_ path: String, _ fields: String...) async throws -> String {
        let more = fields.map { "\($0)\r\n" }.joined()
        return try await exchange("GET /SECRET\(path) HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\(more)\r\n")
    }

    func filled(_ text: String) -> String {
        text.replacing("HOST", with: "127.0.0.1:\(port)").replacing("SECRET", with: secret)
    }
}

extension String {
    /// The status line of an answer.
    var statusLine: String { prefix { $0 != "\r\n" }.description }
    /// The text behind the head of an answer.
    var afterHead: String { components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n") }
}
