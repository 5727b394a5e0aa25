import Foundation
import Testing

@testable import HttpConvVault

/// Ends the process, without any clean-up, at each point in turn.
@Suite(.timeLimit(.minutes(1))) struct CrashTests {
    let place: TemporaryVault
    static let secret = [UInt8](repeating: 7, count: 32)

    init() throws { place = try TemporaryVault() }

    private static func options(dyingAt point: FailPoint) -> DataVaultConfiguration {
        DataVaultConfiguration { $0.failPoint = { if $0 == point { kill(getpid(), SIGKILL) } } }
    }

    @Test(arguments: [FailPoint.draftWritten, .published]) func creation(_ point: FailPoint) async throws {
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, point = point as FailPoint] in
            _ = try await DataVault.create(
                at: URL(fileURLWithPath: path), key: .bytes(Self.secret), configuration: Self.options(dyingAt: point))
        }
        let expected: DataVaultError.Code? = point == .published ? nil : .notFound
        let key = try DataVaultKey.bytes(Self.secret)
        #expect(await code { try await DataVault.open(at: place.directory, key: key).close() } == expected)
        let vault = try await DataVault.openOrCreate(at: place.directory, key: key)
        try await vault.write([1], for: "k", in: "c")
    }

    @Test(arguments: [FailPoint.transactionBegun, .beforeCommit, .committed])
    func keyChange(_ point: FailPoint) async throws {
        let vault = try await DataVault.create(at: place.directory, key: .cheap("old"))
        try await vault.write([1], for: "k", in: "c")
        try await vault.close()
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, point = point as FailPoint] in
            let vault = try await DataVault.open(
                at: URL(fileURLWithPath: path), key: .cheap("old"), configuration: Self.options(dyingAt: point))
            try await vault.changeKey(from: .cheap("old"), to: .cheap("new"))
        }
        let (works, fails) = point == .committed ? ("new", "old") : ("old", "new")
        #expect(await code { _ = try await DataVault.open(at: place.directory, key: .cheap(fails)) } == .wrongKey)
        let survivor = try await DataVault.open(at: place.directory, key: .cheap(works))
        #expect(try await survivor.read("k", in: "c")?.value == [1])
    }

    @Test(arguments: [FailPoint.transactionBegun, .beforeCommit, .committed])
    func write(_ point: FailPoint) async throws {
        let vault = try await DataVault.create(at: place.directory, key: .bytes(Self.secret))
        try await vault.write([1], for: "k", in: "c")
        let path = place.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, point = point as FailPoint] in
            let vault = try await DataVault.open(
                at: URL(fileURLWithPath: path), key: .bytes(Self.secret), configuration: Self.options(dyingAt: point))
            try await vault.write([2], for: "k", in: "c")
        }
        // Holds for a handle that was open all along and for a later one.
        let expected: [UInt8] = point == .committed ? [2] : [1]
        #expect(try await vault.read("k", in: "c")?.value == expected)
        let later = try await DataVault.open(at: place.directory, key: .bytes(Self.secret))
        #expect(try await later.read("k", in: "c")?.value == expected)
        try await later.write([3], for: "k", in: "c")
        #expect(try await vault.read("k", in: "c")?.value == [3])
    }

    /// Kills a process at a random moment while it writes pairs: no pair is halved, and nothing confirmed is lost.
    @Test(arguments: 0..<3) func randomMoment(_ round: Int) async throws {
        let vault = try await DataVault.create(at: place.directory, key: .bytes(Self.secret))
        let path = place.directory.path
        let count = place.url("count").path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, count = count as String] in
            let vault = try await DataVault.open(at: URL(fileURLWithPath: path), key: .bytes(Self.secret))
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(.random(in: 1_000...60_000))) {
                kill(getpid(), SIGKILL)
            }
            for number in 1... {
                let value = Array("\(number)".utf8)
                try await vault.transaction { transaction in
                    try transaction.write(value, for: "a", in: "c")
                    try transaction.write(value, for: "b", in: "c")
                }
                try Data(value).write(to: URL(fileURLWithPath: count), options: .atomic)
            }
        }
        let first = try await vault.read("a", in: "c")?.value
        #expect(try await vault.read("b", in: "c")?.value == first)
        let confirmed = (try? Data(contentsOf: URL(fileURLWithPath: count))).flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        #expect(Int(String(decoding: first ?? [], as: UTF8.self)) ?? 0 >= confirmed ?? 0)
    }
}
