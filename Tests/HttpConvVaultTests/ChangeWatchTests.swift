import Foundation
import HttpConversationTesting
import Testing

@testable import HttpConvVault

/// The number that tells of commits.
@Suite(.timeLimit(.minutes(1))) struct ChangeWatchTests {
    let place: TemporaryVault

    init() throws { place = try TemporaryVault() }

    /// Also after the log was emptied, and begins anew.
    @Test func theStampDiffersAfterEachCommit() async throws {
        let (first, second) = (try await place.create(), try await place.open())
        var seen: Set<Int64> = [try #require(second.changeStamp)]
        for round in 0..<30 {
            let before = second.changeStamp
            #expect(try await second.read("k", in: "c")?.value == (round == 0 ? nil : [UInt8(round - 1)]))
            #expect(second.changeStamp == before)
            try await (round % 2 == 0 ? first : second).write([UInt8(round)], for: "k", in: "c")
            let after = try #require(second.changeStamp)
            #expect(seen.insert(after).inserted)
            if round % 10 == 9 {
                await first.shrinkLog()
                seen.insert(try #require(second.changeStamp))
            }
        }
    }

    @Test func aClosedVaultHasNone() async throws {
        let vault = try await place.create()
        #expect(vault.changeStamp != nil)
        try await vault.close()
        #expect(vault.changeStamp == nil)
    }

    /// As long as the stamp stays the same, so does the record.
    @Test func aRecordStaysTheSameAsLongAsTheStamp() async throws {
        let (first, second) = (try await place.create(), try await place.open())
        let count = 300
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...count { try await first.write(Array("\(number)".utf8), for: "k", in: "c") }
            }
            group.addTask {
                var known: (stamp: Int64, value: [UInt8])?
                while known.map({ $0.value != Array("\(count)".utf8) }) ?? true {
                    guard let stamp = second.changeStamp else { continue }
                    let value = try await second.read("k", in: "c")?.value ?? []
                    // Nothing was committed since the read before.
                    if let known, known.stamp == stamp, second.changeStamp == stamp { #expect(known.value == value) }
                    known = (stamp, value)
                }
            }
            try await group.waitForAll()
        }
    }

    /// A database without a write-ahead log is read each time.
    @Test func aDatabaseWithoutALogHasNone() throws {
        let path = place.root.appendingPathComponent("plain.sqlite").path
        let connection = try SQLiteConnection(path, isReadOnly: false, mayCreate: true, busyTimeout: 0)
        try connection.execute("CREATE TABLE t (a)")
        #expect(ChangeWatch(path).stamp == nil)
    }
}
