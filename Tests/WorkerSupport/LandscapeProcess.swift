import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationNIO
package import TestLandscape
import TestSupport
import Testing
package import VaultWorker

/// `httpc landscape` in a separate process, its admin API, and workers for it. Ends with the value.
package final class LandscapeProcess: Sendable {
    private let root: URL
    /// The base URL, without a slash.
    package let server: String
    private let token: String
    private let child: ChildProcess
    private let admin = HttpConversationManager(transport: NIOTransport())

    package init() async throws {
        root = try TemporaryPlace.folder("landscape")
        let output = root.path + "/landscape"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        child = try ChildProcess(
            BuiltProduct.httpc, ["landscape"], environment: Program.environment, output: .file(output))
        var text = ""
        do {
            while !text.contains("Ctrl-C") {
                try await Task.sleep(for: .milliseconds(10))
                text = try String(contentsOfFile: output, encoding: .utf8)
            }
            let server = try #require(text.firstMatch(of: /main\s+(http:\/\/[\d.:]+)/)?.1)
            let token = try #require(text.firstMatch(of: /Admin API +X-Landscape-Token: (\w+)/)?.1)
            (self.server, self.token) = (String(server), String(token))
        } catch {
            child.signal(SIGKILL)
            throw error
        }
    }

    deinit {
        child.signal(SIGKILL)
        try? FileManager.default.removeItem(at: root)
    }

    /// A client without tokens, with a vault that is removed with this value.
    package var client: VaultClient { VaultClient(vault: path("vault"), server: server) }

    /// A path that is removed with this value.
    package func path(_ name: String) -> String { root.path + "/" + name }

    /// Runs a worker, and returns its exit status.
    package func work(_ client: VaultClient, _ task: WorkerOrder.Task) async throws -> Int32 {
        try await Program.run(
            BuiltProduct.vaultWorker, [WorkerOrder(client, task).text], environment: Program.environment
        ).status
    }

    // MARK: The admin API

    package func order(_ command: String) async throws {
        let response = try await admin.data(for: request(.post, command))
        try #require(response.status == .ok, "\(command)")
    }

    package var counters: OAuthCounters {
        get async throws {
            let response = try await admin.data(for: request(.get, "oauth/counters"))
            return try JSONDecoder().decode(OAuthCounters.self, from: Data(response.bytes))
        }
    }

    /// The status codes of all answers for a path, oldest first.
    package func statuses(_ path: String) async throws -> [Int] {
        struct Recorded: Decodable { let status: Int? }
        let response = try await admin.data(for: request(.get, "requests?path=\(path)"))
        return try JSONDecoder().decode([Recorded].self, from: Data(response.bytes)).compactMap(\.status)
    }

    private func request(_ method: HTTPRequest.Method, _ command: String) throws -> HTTPRequest {
        let name = try #require(HTTPField.Name("X-Landscape-Token"))
        return try HTTPRequest(method, "\(server)/admin/\(command)", fields: [name: token])
    }

    /// Polls until a condition holds; processes share nothing else to wait on.
    package func wait(until condition: () async throws -> Bool) async throws {
        while try await !condition() { try await Task.sleep(for: .milliseconds(10)) }
    }
}
