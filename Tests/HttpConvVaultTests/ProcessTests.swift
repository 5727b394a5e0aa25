import Foundation
import Testing

@testable import HttpConvVault

/// Several processes on one vault.
@Suite(.timeLimit(.minutes(1))) struct ProcessTests {
    let place: TemporaryVault
    static let secret = [UInt8](repeating: 7, count: 32)

    init() throws { place = try TemporaryVault() }

    /// Eight processes create or open the vault at once and increment counters, each in three ways.
    @Test func eightProcessesIncrementCounters() async throws {
        let path = place.directory.path
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, number = number as Int] in
                        try await ProcessTests.count(path, number)
                    }
                }
            }
        }
        let vault = try await DataVault.open(at: place.directory, key: .bytes(Self.secret))
        for key in ["transaction", "swap", "lease"] {
            #expect(try await vault.read(key, in: "c")?.value == [8 * 10], "\(key)")
        }
        #expect(try await vault.keys(in: "own").count == 8 * 10)
    }

    private static func count(_ path: String, _ number: Int) async throws {
        let options = DataVaultConfiguration { $0.busyTimeout = .seconds(30) }
        let vault = try await DataVault.openOrCreate(
            at: URL(fileURLWithPath: path), key: .bytes(secret), configuration: options)
        for round in 0..<10 {
            try await vault.write([], for: "\(number) \(round)", in: "own")
            try await vault.transaction { transaction in
                let value = try transaction.read("transaction", in: "c")?.value.first ?? 0
                try transaction.write([value + 1], for: "transaction", in: "c")
            }
            var outcome: DataVaultError.Code? = .versionConflict
            while outcome == .versionConflict {
                let record = try await vault.read("swap", in: "c")
                let next = [(record?.value.first ?? 0) + 1]
                outcome = await code {
                    try await vault.compareAndSwap(next, for: "swap", in: "c", expectedVersion: record?.version)
                }
            }
            try #require(outcome == nil)
            let lease = try #require(
                try await vault.acquireLease(
                    "n", holder: "\(number)", duration: .seconds(30), waiting: .seconds(30)))
            let value = try await vault.read("lease", in: "c")?.value.first ?? 0
            try await vault.write([value + 1], for: "lease", in: "c", under: lease)
            try await vault.release(lease)
        }
    }

    /// The lease of a killed process is free at once, an hour before it expires.
    @Test func killedHolder() async throws {
        let vault = try await DataVault.create(at: place.directory, key: .bytes(Self.secret))
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let vault = try await DataVault.open(at: URL(fileURLWithPath: path), key: .bytes(Self.secret))
            _ = try #require(try await vault.acquireLease("n", holder: "child", duration: .seconds(3600)))
            let other = try await DataVault.open(at: URL(fileURLWithPath: path), key: .bytes(Self.secret))
            guard try await other.acquireLease("n", holder: "other", duration: .seconds(1)) == nil else { exit(1) }
            kill(getpid(), SIGKILL)
        }
        #expect(try await vault.acquireLease("n", holder: "parent", duration: .seconds(60)) != nil)
    }

    /// The holder suspends itself past its lease; its writes afterwards are refused.
    @Test func stoppedHolder() async throws {
        let vault = try await DataVault.create(at: place.directory, key: .bytes(Self.secret))
        let (path, ready) = (place.directory.path, place.url("ready").path)
        async let child = #expect(processExitsWith: .exitCode(42)) { [path = path as String, ready = ready as String] in
            let vault = try await DataVault.open(at: URL(fileURLWithPath: path), key: .bytes(Self.secret))
            let lease = try #require(try await vault.acquireLease("n", holder: "child", duration: .milliseconds(100)))
            try Data("\(getpid())".utf8).write(to: URL(fileURLWithPath: ready), options: .atomic)
            kill(getpid(), SIGSTOP)
            // The signal may take effect a moment late: continue only when the other process has the lease.
            while try await vault.leaseHolder("n")?.holder != "parent" { try await Task.sleep(for: .milliseconds(5)) }
            let thrown = await code { try await vault.write([1], for: "k", in: "c", under: lease) }
            exit(thrown == .leaseLost ? 42 : 1)
        }
        while !FileManager.default.fileExists(atPath: ready) { try await Task.sleep(for: .milliseconds(5)) }
        let pid = try #require(Int32(try String(contentsOfFile: ready, encoding: .utf8)))
        let lease = try #require(
            try await vault.acquireLease("n", holder: "parent", duration: .seconds(60), waiting: .seconds(20)))
        try await vault.write([2], for: "k", in: "c", under: lease)
        // It may be suspended only now: continue it until it has ended.
        let waker = Task {
            while kill(pid, SIGCONT) == 0 { try await Task.sleep(for: .milliseconds(20)) }
        }
        _ = await child
        waker.cancel()
        #expect(try await vault.read("k", in: "c")?.value == [2])
    }
}
