import Foundation
import GRDB
import Testing

@testable import DataVault

@Suite(.timeLimit(.minutes(1))) struct FullDiskTests {
    let place: TemporaryVault
    private static let variable = "DATAVAULT_SMALL_DISK"

    init() throws { place = try TemporaryVault() }

    /// SQLite's own limit stands for the disk's: everywhere, for everybody.
    @Test func limitedDatabase() async throws {
        let vault = try await place.create()
        try await vault.write([1], for: "k", in: "c")
        try await vault.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 12") }
        try await expectFull(vault)
    }

    private func expectFull(_ vault: DataVault) async throws {
        let large = [UInt8](repeating: 1, count: 2 << 20)
        #expect(await code { try await vault.write(large, for: "k", in: "c") } == .diskFull)
        #expect(await code { try await vault.write(large, for: "l", in: "c") } == .diskFull)
        #expect(try await vault.read("k", in: "c")?.value == [1])
        #expect(try await vault.read("l", in: "c") == nil)
        try await vault.write([2], for: "k", in: "c")
        #expect(try await vault.read("k", in: "c")?.value == [2])
    }

    #if os(Linux)
    /// Runs itself again in a mount namespace with a disk of 1 MiB; there the variable names that disk.
    @Test func smallDisk() async throws {
        if let disk = ProcessInfo.processInfo.environment[Self.variable] {
            try await fillUp(URL(fileURLWithPath: disk))
            try Data("done".utf8).write(to: URL(fileURLWithPath: disk + ".done"))
            return
        }
        let disk = place.url("disk").path
        #expect(mkdir(disk, 0o700) == 0)
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let arguments = ["--testing-library", "swift-testing", "--filter", "FullDiskTests/smallDisk"]
        child.arguments =
            ["unshare", geteuid() == 0 ? "-m" : "-rm", "sh", "-ec"]
            + [#"mount -t tmpfs -o size=1m,mode=700 none "$1"; shift; exec "$@""#, "sh", disk]
            + [try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")] + arguments
        child.environment = ProcessInfo.processInfo.environment.merging([Self.variable: disk]) { $1 }
        let log = place.url("log")
        try Data().write(to: log)
        child.standardOutput = try FileHandle(forWritingTo: log)
        child.standardError = child.standardOutput
        await withCheckedContinuation { continuation in
            child.terminationHandler = { _ in continuation.resume() }
            do { try child.run() } catch { continuation.resume() }
        }
        let text = try String(contentsOf: log, encoding: .utf8)
        #expect(child.terminationStatus == 0, "\(text)")
        #expect(FileManager.default.fileExists(atPath: disk + ".done"), "\(text)")
    }

    private func fillUp(_ disk: URL) async throws {
        let directory = disk.appendingPathComponent("vault")
        let vault = try await DataVault.create(at: directory, key: place.key)
        try await vault.write([1], for: "k", in: "c")
        try await expectFull(vault)

        // Not a byte left: what is there can be read, nothing can be changed, a new vault leaves nothing behind.
        let ballast = disk.appendingPathComponent("ballast").path
        let descriptor = open(ballast, O_WRONLY | O_CREAT, 0o600)
        let block = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        #expect(lseek(descriptor, 0, SEEK_END) > 400_000, "what failed before has left the disk full")
        close(descriptor)
        var thrown: DataVaultError.Code?
        var (number, last): (UInt8, UInt8) = (2, 2)
        while thrown == nil, number < 255 {
            number += 1
            let value = [number] + [UInt8](repeating: 0, count: 60_000)
            thrown = await code { try await vault.write(value, for: "k", in: "c") }
            if thrown == nil { last = number }
        }
        #expect(thrown == .diskFull)
        #expect(try await vault.read("k", in: "c")?.value.first == last)
        let second = disk.appendingPathComponent("second")
        #expect(await code { _ = try await DataVault.create(at: second, key: place.key) } == .diskFull)
        #expect((try? FileManager.default.contentsOfDirectory(atPath: second.path)) ?? [] == [])

        unlink(ballast)
        try await vault.write([9], for: "k", in: "c")
        try await vault.close()
        try await readOnly(disk, directory)
    }

    private func readOnly(_ disk: URL, _ directory: URL) async throws {
        let mount = try Process.run(
            URL(fileURLWithPath: "/usr/bin/env"), arguments: ["mount", "-o", "remount,ro", disk.path])
        mount.waitUntilExit()
        try #require(mount.terminationStatus == 0)
        #expect(await code { _ = try await DataVault.open(at: directory, key: place.key) } == .readOnly)
        let new = disk.appendingPathComponent("new")
        #expect(await code { _ = try await DataVault.create(at: new, key: place.key) } == .readOnly)
        let file = disk.appendingPathComponent("key")
        #expect(await code { _ = try DataVaultKey.createFile(file) } == .readOnly)
    }
    #endif
}
