import Foundation
import HttpConversation

/// One of the processes that share a vault in the tests.
///
/// Its argument is a ``WorkerOrder`` as JSON, its exit status an ``Outcome``.
@main struct VaultWorker {
    static func main() async throws {
        let order = try WorkerOrder(text: CommandLine.arguments.last ?? "")
        exit(try await VaultWorker(client: order.client).perform(order.task).rawValue)
    }

    let client: VaultClient

    private func perform(_ task: WorkerOrder.Task) async throws -> Outcome {
        switch task {
        case .request(let path, let times):
            return await request(path, times, try client.manager(on: await client.open()))
        case .requestUntil(let path, let file): return try await request(path, until: file)
        case .die(let step, let file):
            return await request("/api/killed", 1, try await watched(.killing(at: step, once: file)))
        case .stop(let path, let step, let ready, let file):
            return await request(path, 1, try await watched(.stopping(at: step, ready: ready, until: file)))
        case .rotateAndDie(let journal): return try await RotatingVictim(client, Journal(journal)).run()
        }
    }

    private func watched(_ watch: RotationWatch) async throws -> HttpConversationManager {
        try client.manager(on: await client.open(watch: watch), watch: watch, ahead: { client.ahead })
    }

    private func request(_ path: String, _ times: Int, _ manager: HttpConversationManager) async -> Outcome {
        for _ in 1..<times {
            let outcome = await Outcome.of(manager, client.server + path)
            if outcome != .succeeded { return outcome }
        }
        return await Outcome.of(manager, client.server + path)
    }

    private func request(_ path: String, until file: String) async throws -> Outcome {
        let manager = try client.manager(on: await client.open())
        repeat {
            let outcome = await Outcome.of(manager, client.server + path)
            if outcome != .succeeded { return outcome }
            // A pause, because many busy workers would only load the machine.
            try await Task.sleep(for: .milliseconds(.random(in: 50...250)))
        } while !FileManager.default.fileExists(atPath: file)
        return .succeeded
    }
}
