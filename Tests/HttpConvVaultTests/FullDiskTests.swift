import Foundation
import Testing

@testable import HttpConvVault

@Suite(.timeLimit(.minutes(1))) struct FullDiskTests {
    let place: TemporaryVault
    private static let secret = [UInt8](repeating: 7, count: 32)
    private static let variable = "DATAVAULT_SMALL_DISK"

    init() throws { place = try TemporaryVault() }

    /// SQLite's own limit imitates a full disk, on every platform and for every user.
    @Test func limitedDatabase() async throws {
        let vault = try await place.create()
        try await vault.write([1], for: "k", in: "c")
        try await vault.connections.writeWithoutTransaction { try $0.execute("PRAGMA max_page_count = 12") }
        try await expectFull(vault)
    }

    /// SQLite has no result code for a full quota, and several for files that cannot be written: `errno` decides.
    @Test(
        arguments: [
            (10, 778, ENOSPC, .diskFull), (10, 778, EDQUOT, .diskFull), (10, 4618, EDQUOT, .diskFull),
            (14, 14, ENOSPC, .diskFull), (14, 14, EROFS, .readOnly), (14, 14, EACCES, .readOnly),
            (10, 778, EIO, .ioFailure), (10, 778, 0, .ioFailure), (11, 11, 0, .damaged), (13, 13, 0, .diskFull),
        ] as [(Int32, Int32, Int32, DataVaultError.Code)])
    func theNumberOfTheSystemDecides(
        code: Int32, extended: Int32, number: Int32, expected: DataVaultError.Code
    ) {
        let error = SQLiteError(code: code, extendedCode: extended, systemNumber: number)
        #expect(DatabaseFailure.error(error, at: place.url(DataVault.databaseName).path).code == expected)
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
    /// Runs this test again in a child process: a shell in its own mount namespace, which mounts a disk of 1 MiB and
    /// runs the test once while the disk is writable and once while it is not. The variables name the disk and the
    /// stage.
    @Test func smallDisk() async throws {
        let environment = ProcessInfo.processInfo.environment
        if let disk = environment[Self.variable] {
            let stage = environment[Self.variable + "_STAGE"] ?? ""
            let directory = URL(fileURLWithPath: disk).appendingPathComponent("vault")
            if stage == "full" { try await fillUp(URL(fileURLWithPath: disk), directory) }
            if stage == "readonly" { try await readOnly(URL(fileURLWithPath: disk), directory) }
            try Data().write(to: URL(fileURLWithPath: disk + "." + stage))
            return
        }
        let disk = place.url("disk").path
        #expect(mkdir(disk, 0o700) == 0)
        await #expect(processExitsWith: .success) { [disk = disk as String] in
            let run = #"--testing-library swift-testing --filter FullDiskTests/smallDisk 1>&2"#
            let script = """
                mount -t tmpfs -o size=1m,mode=700 none "$1"
                DATAVAULT_SMALL_DISK_STAGE=full "$2" \(run)
                mount -o remount,ro "$1"
                DATAVAULT_SMALL_DISK_STAGE=readonly "$2" \(run)
                """
            let binary = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let arguments = ["unshare", geteuid() == 0 ? "-m" : "-rm", "sh", "-ec", script, "sh", disk, binary]
            // Drop the variables that make a process the child of a test.
            let kept = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SWT_") }
            let variables = kept.map { "\($0.key)=\($0.value)" } + ["\(Self.variable)=\(disk)"]
            let argv = arguments.map { strdup($0) } + [nil]
            let envp = variables.map { strdup($0) } + [nil]
            execve("/usr/bin/unshare", argv, envp)
            exit(1)
        }
        #expect(FileManager.default.fileExists(atPath: disk + ".full"))
        #expect(FileManager.default.fileExists(atPath: disk + ".readonly"))
    }

    private func fillUp(_ disk: URL, _ directory: URL) async throws {
        let key = try DataVaultKey.bytes(Self.secret)
        let vault = try await DataVault.create(at: directory, key: key)
        try await vault.write([1], for: "k", in: "c")

        // The disk is full: the content can be read, nothing can be changed, and a new vault leaves nothing behind.
        let ballast = disk.appendingPathComponent("ballast").path
        let descriptor = open(ballast, O_WRONLY | O_CREAT, 0o600)
        let block = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        #expect(lseek(descriptor, 0, SEEK_END) > 400_000)
        close(descriptor)
        var thrown: DataVaultError.Code?
        var (number, last): (UInt8, UInt8) = (2, 1)
        while thrown == nil, number < 255 {
            number += 1
            let value = [number] + [UInt8](repeating: 0, count: 60_000)
            thrown = await code { try await vault.write(value, for: "k", in: "c") }
            if thrown == nil { last = number }
        }
        #expect(thrown == .diskFull)
        #expect(try await vault.read("k", in: "c")?.value.first == last)
        let second = disk.appendingPathComponent("second")
        #expect(await code { _ = try await DataVault.create(at: second, key: key) } == .diskFull)
        #expect((try? FileManager.default.contentsOfDirectory(atPath: second.path)) ?? [] == [])

        unlink(ballast)
        try await vault.write([9], for: "k", in: "c")
        let large = [UInt8](repeating: 1, count: 2 << 20)
        #expect(await code { try await vault.write(large, for: "k", in: "c") } == .diskFull)
        #expect(try await vault.read("k", in: "c")?.value == [9])
        try await vault.close()
        #expect(try await DataVault.open(at: directory, key: key).read("k", in: "c")?.value == [9])
    }

    private func readOnly(_ disk: URL, _ directory: URL) async throws {
        let key = try DataVaultKey.bytes(Self.secret)
        // With its log in place the vault can still be read; without the log it cannot.
        let thrown = await code {
            let vault = try await DataVault.open(at: directory, key: key)
            #expect(try await vault.read("k", in: "c")?.value == [9])
            try await vault.write([10], for: "k", in: "c")
        }
        #expect(thrown == .readOnly)
        let new = disk.appendingPathComponent("new")
        #expect(await code { _ = try await DataVault.create(at: new, key: key) } == .readOnly)
        let file = disk.appendingPathComponent("key")
        #expect(await code { _ = try DataVaultKey.createFile(file) } == .readOnly)
    }
    #endif
}
