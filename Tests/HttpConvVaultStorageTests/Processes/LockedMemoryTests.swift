#if os(Linux)
import Foundation
import HttpConvVaultStorage
import Testing
import VaultWorker
import WorkerSupport

@testable import HttpConvVault

extension ProcessTests {
    /// The memory of a process that has locked its vault.
    @Suite("The memory of a process that has locked its vault", .timeLimit(.minutes(1)))
    struct LockedMemoryTests {
        @Test func keysAreGone() async throws {
            let landscape = try await LandscapeProcess()
            let client = landscape.client.person
            #expect(try await landscape.work(client, .request(path: "/api/first", times: 1)) == 0)
            let (keys, token) = try await secrets(of: client)
            let files = LockFiles(directory: landscape.path(""))
            async let worker = landscape.work(client, .lock(files))
            try await landscape.wait { FileManager.default.fileExists(atPath: files.opened) }
            let pid = try #require(Int32(try String(contentsOfFile: files.opened, encoding: .utf8)))
            let memory = ProcessMemory(of: pid)
            // The data key only stands for those that are made of it, and is gone by now.
            #expect(try memory.finds(keys.merging(token) { $1 }) == ["sealing", "index", "token"])
            try Data().write(to: URL(fileURLWithPath: files.lock))
            try await landscape.wait { FileManager.default.fileExists(atPath: files.locked) }
            let left = try memory.finds(keys.merging(token) { $1 })
            // Text that was decoded, such as a token, is released and not overwritten (docs/threat-model.md).
            #expect(left.subtracting(["token"]) == [])
            try Data().write(to: URL(fileURLWithPath: files.end))
            #expect(try await worker == 0)
        }

        private func secrets(of client: VaultClient) async throws -> (keys: [String: [UInt8]], token: [String: [UInt8]])
        {
            let vault = try await client.open()
            let tokens = try #require(try await VaultTokenStorage(vault).tokens(for: client.key))
            let (slot, vaultID) = try await vault.connections.read { try KeySlot.load(from: $0) }
            let secret = try slot.unwrap(with: .bytes(TemporaryVault.secret), vaultID: vaultID)
            let derived = try #require(vault.keyring.newest).keys.map { $0.withUnsafeBytes { Array($0) } }
            let keys = ["data": secret.withUnsafeBytes { Array($0) }, "sealing": derived[0], "index": derived[1]]
            try await vault.close()
            return (keys, ["token": Array(tokens.accessToken.value.utf8)])
        }
    }
}
#endif
