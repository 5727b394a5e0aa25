import Foundation
import HttpConvAuthFlows
import HttpConversation
import HttpConversationNIO
import Landscape
import ODataOnline
import Testing

/// Many who change the same entity.
@Suite(.timeLimit(.minutes(1))) struct ParallelWritersTests {
    /// Each adds one to what it has read; who is too late is told the version that there is, reads and tries again.
    @Test(arguments: [ODataVersion.v2, .v4]) func fiftyAddOneEach(version: ODataVersion) async throws {
        try await withLandscape { landscape in
            let root = landscape.urlString(.main, "/service/open/\(version == .v2 ? "v2" : "v4")/")
            let manager = HttpConversationManager(transport: NIOTransport())
            let store = try await ODataStore.open(at: root, with: manager)
            let path = ODataPath("Products").key(1)
            try await store.update(path, with: ["Stock": .int64(0)], ifMatch: "*")
            let lost = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await addOne(store, path) } }
                return try await group.reduce(0, +)
            }
            let row = try await store.row(ODataQuery(path))
            #expect(row["Stock"]?.int64 == 50, "nothing is lost")
            #expect(row.etag == "W/\"52\"")
            #expect(landscape.odataCounters.conflicts == lost)
        }
    }

    /// - Returns: how often it was too late
    private func addOne(_ store: ODataStore, _ path: ODataPath) async throws -> Int {
        var lost = 0
        while true {
            let row = try await store.row(ODataQuery(path))
            let (stock, etag) = (try #require(row["Stock"]?.int64), try #require(row.etag))
            do throws(ODataError) {
                try await store.update(path, with: ["Stock": .int64(stock + 1)], ifMatch: etag)
                return lost
            } catch {
                try #require(error.code == .preconditionFailed)
                let current = try #require(error.currentETag, "who loses learns the version that there is")
                #expect(current != etag)
                lost += 1
            }
        }
    }
}
