import Foundation
import HttpConvVault
import HttpConvVaultStorage
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
            return await request(path, times, try client.manager(on: await client.storage()))
        case .requestUntil(let path, let file): return try await request(path, until: file)
        case .die(let step, let file):
            return await request("/api/killed", 1, try await watched(.killing(at: step, once: file)))
        case .stop(let path, let step, let ready, let file):
            return await request(path, 1, try await watched(.stopping(at: step, ready: ready, until: file)))
        case .lookUp(let keys, let times, let renewals, let folder):
            return try await LookUpCount.count(client, keys: keys, times: times, renewals: renewals) {
                guard let folder else { return }
                try Data().write(to: URL(fileURLWithPath: "\(folder)/\(getpid())"))
                try await wait(for: "\(folder)/go")
            }
        case .lock(let files): return try await lock(files)
        case .rotateAndDie(let journal): return try await RotatingVictim(client, Journal(journal)).run()
        }
    }

    private func lock(_ files: LockFiles) async throws -> Outcome {
        let vault = try await client.open()
        guard try await VaultTokenStorage(vault).tokens(for: client.key) != nil else { return .failed }
        try Data("\(getpid())".utf8).write(to: URL(fileURLWithPath: files.opened), options: .atomic)
        try await wait(for: files.lock)
        // As a vault with a passcode does.
        vault.forgetKeys()
        try await vault.close()
        try Data().write(to: URL(fileURLWithPath: files.locked))
        try await wait(for: files.end)
        return .succeeded
    }

    private func wait(for file: String) async throws {
        while !FileManager.default.fileExists(atPath: file) { try await Task.sleep(for: .milliseconds(2)) }
    }

    private func watched(_ watch: RotationWatch) async throws -> HttpConversationManager {
        try client.manager(on: await client.storage(watch: watch), watch: watch)
    }

    private func request(_ path: String, _ times: Int, _ manager: HttpConversationManager) async -> Outcome {
        for _ in 1..<times {
            let outcome = await Outcome.of(manager, client.server + path)
            if outcome != .succeeded { return outcome }
        }
        return await Outcome.of(manager, client.server + path)
    }

    private func request(_ path: String, until file: String) async throws -> Outcome {
        let manager = try client.manager(on: await client.storage())
        repeat {
            let outcome = await Outcome.of(manager, client.server + path)
            if outcome != .succeeded { return outcome }
            // A pause, because many busy workers would only load the machine.
            try await Task.sleep(for: .milliseconds(.random(in: 50...250)))
        } while !FileManager.default.fileExists(atPath: file)
        return .succeeded
    }
}
