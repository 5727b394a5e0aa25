import HttpConversation
import HttpConversationNIO
import ODataOnline
import TestLandscape
import Testing

/// Parallel writers of one entity.
@Suite(.timeLimit(.minutes(1))) struct ParallelWritersTests {
    private static let path = ODataPath("Products").key(1)

    /// The version that a writer has read, to add one to its stock.
    private struct Read: Sendable {
        let stock: Int64
        let etag: String

        init(_ store: ODataStore) async throws {
            let row = try await store.row(ODataQuery(path))
            stock = try #require(row["Stock"]?.int64)
            etag = try #require(row.etag)
        }
    }

    /// Fifty writers have read the same version, and one of them wins. Then fifty more read at any time, and each loser
    /// gets an error.
    @Test(arguments: [ODataVersion.v2, .v4]) func fiftyConcurrentUpdates(version: ODataVersion) async throws {
        try await withServices { bench in
            let store = try await bench.store(version)
            try await store.update(Self.path, with: ["Stock": .int64(0)], ifMatch: "*")
            let first = try await wins(store, of: try await Read(store))
            #expect(first == 1)
            let wins = first + (try await wins(store, of: nil))
            let last = try await Read(store)
            #expect(Int(last.stock) == wins, "nothing is lost")
            #expect(last.etag == "W/\"\(wins + 2)\"")
            #expect(bench.landscape.odataCounters.conflicts == 100 - wins)
        }
    }

    /// - Returns: the number of winners among fifty writers
    private func wins(_ store: ODataStore, of read: Read?) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    if let read { return try await addOne(store, to: read) }
                    return try await addOne(store, to: try await Read(store))
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    /// - Returns: whether the write succeeded
    private func addOne(_ store: ODataStore, to read: Read) async throws -> Bool {
        do throws(ODataError) {
            try await store.update(Self.path, with: ["Stock": .int64(read.stock + 1)], ifMatch: read.etag)
            return true
        } catch {
            try #require(error.code == .preconditionFailed)
            #expect(error.currentETag != nil && error.currentETag != read.etag, "whoever loses learns what there is")
            return false
        }
    }
}
