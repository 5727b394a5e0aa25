import Foundation
import Testing

@testable import HttpConvVault

@Suite(.timeLimit(.minutes(1))) struct RecordTests {
    let place: TemporaryVault

    init() throws { place = try TemporaryVault() }

    @Test(arguments: [0, 1, 15, 16, 17, 4096, 1 << 20]) func roundTrip(size: Int) async throws {
        let value = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let vault = try await place.create()
        let version = try await vault.write(value, for: "https://example.com/ä", in: "tokens")
        #expect(try await vault.read("https://example.com/ä", in: "tokens")?.value == value)
        try await vault.close()
        let record = try await place.open().read("https://example.com/ä", in: "tokens")
        #expect(record == DataVaultRecord(value: value, version: version))
    }

    @Test func collectionsAndKeysAreApart() async throws {
        let vault = try await place.create()
        try await vault.write([1], for: "ab", in: "c")
        try await vault.write([2], for: "b", in: "ca")
        try await vault.write([3], for: "", in: "cab")
        #expect(try await vault.read("ab", in: "c")?.value == [1])
        #expect(try await vault.read("b", in: "ca")?.value == [2])
        #expect(try await vault.read("", in: "cab")?.value == [3])
        #expect(try await vault.read("a", in: "c") == nil)
        try await vault.write([4], for: "x", in: "c")
        #expect(try await vault.keys(in: "c").sorted() == ["ab", "x"])
        #expect(try await vault.deleteAll(in: "c") == 2)
        #expect(try await vault.keys(in: "c").isEmpty)
        #expect(try await vault.keys(in: "ca") == ["b"])
        #expect(try await vault.delete("b", in: "ca"))
        #expect(try await !vault.delete("b", in: "ca"))
    }

    @Test func versionsAreNeverGivenTwice() async throws {
        let vault = try await place.create()
        let first = try await vault.write([1], for: "k", in: "c")
        try await vault.delete("k", in: "c")
        let second = try await vault.write([1], for: "k", in: "c")
        #expect(second > first)
        // The record was deleted and written again: a caller that read the first must not mistake the second for it.
        let thrown = await code { try await vault.compareAndSwap([2], for: "k", in: "c", expectedVersion: first) }
        #expect(thrown == .versionConflict)
        #expect(try await vault.read("k", in: "c")?.value == [1])
    }

    @Test func compareAndSwap() async throws {
        let vault = try await place.create()
        let first = try await vault.compareAndSwap([1], for: "k", in: "c", expectedVersion: nil)
        #expect(
            await code { try await vault.compareAndSwap([2], for: "k", in: "c", expectedVersion: nil) }
                == .versionConflict)
        let second = try await vault.compareAndSwap([3], for: "k", in: "c", expectedVersion: first)
        #expect(
            await code { try await vault.compareAndSwap([4], for: "k", in: "c", expectedVersion: first) }
                == .versionConflict)
        #expect(try await vault.read("k", in: "c") == DataVaultRecord(value: [3], version: second))
    }

    @Test func transactionIsAllOrNothing() async throws {
        struct Stop: Error {}
        let vault = try await place.create()
        try await vault.write([1], for: "a", in: "c")
        await #expect(throws: Stop.self) {
            try await vault.transaction { transaction in
                try transaction.write([2], for: "a", in: "c")
                try transaction.write([2], for: "b", in: "c")
                #expect(try transaction.read("b", in: "c")?.value == [2])
                throw Stop()
            }
        }
        #expect(try await vault.read("a", in: "c")?.value == [1])
        #expect(try await vault.read("b", in: "c") == nil)
    }

    @Test func limits() async throws {
        let vault = try await place.create()
        let large = [UInt8](repeating: 1, count: DataVault.maximumValueSize + 1)
        #expect(await code { try await vault.write(large, for: "k", in: "c") } == .tooLarge)
        let key = String(repeating: "k", count: DataVault.maximumKeySize + 1)
        #expect(await code { try await vault.write([], for: key, in: "c") } == .tooLarge)
    }

    @Test func cancelledTaskChangesNothing() async throws {
        let vault = try await place.create()
        let task = Task {
            await code {
                withUnsafeCurrentTask { $0?.cancel() }
                try await vault.write([1], for: "k", in: "c")
            }
        }
        #expect(await task.value == .cancelled)
        #expect(try await vault.read("k", in: "c") == nil)
    }

    @Test func closedVault() async throws {
        let vault = try await place.create()
        try await vault.close()
        #expect(await code { try await vault.write([1], for: "k", in: "c") } == .closed)
        #expect(await code { _ = try await vault.read("k", in: "c") } == .closed)
    }

    @Test func twoHandlesSeeEachOther() async throws {
        let first = try await place.create()
        let second = try await place.open()
        try await first.write([1], for: "k", in: "c")
        #expect(try await second.read("k", in: "c")?.value == [1])
        try await second.write([2], for: "k", in: "c")
        #expect(try await first.read("k", in: "c")?.value == [2])
        try await second.close()
        #expect(try await first.read("k", in: "c")?.value == [2])
    }
}
