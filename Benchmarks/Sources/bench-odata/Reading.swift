import Foundation
import HttpConversation
import ODataOnline

/// Reads the rows one way or another, and checks that all of them came.
enum Reading {
    struct WrongCount: Error {}

    struct Row: Decodable, Sendable {
        let ID: Int
        let Name: String
        let Amount: Decimal
        let Changed: String
        let IsOdd: Bool
    }

    private struct Page: Decodable {
        let value: [Row]
    }

    private static func store(_ count: Int) throws -> ODataStore {
        let manager = HttpConversationManager(transport: Pages(count: count))
        return try ODataStore(at: "http://127.0.0.1/s/", version: .v4, with: manager)
    }

    static func typed(_ count: Int) async throws {
        var sum = 0
        var read = 0
        for try await row in try store(count).rows("Rows", as: Row.self) {
            sum += row.ID
            read += 1
        }
        try check(read, sum, count)
    }

    static func dynamic(_ count: Int) async throws {
        var sum = 0
        var read = 0
        for try await row in try store(count).rows("Rows") {
            sum += Int(row["ID"]?.int64 ?? 0)
            read += 1
        }
        try check(read, sum, count)
    }

    static func decoded(_ count: Int) throws {
        let decoder = JSONDecoder()
        var sum = 0
        var read = 0
        for number in 0..<(count / Pages.pageSize) {
            let page = try decoder.decode(Page.self, from: Data(Pages.page(number, of: count)))
            for row in page.value {
                sum += row.ID
                read += 1
            }
        }
        try check(read, sum, count)
    }

    private static func check(_ read: Int, _ sum: Int, _ count: Int) throws {
        let expected = count / Pages.pageSize * (Pages.pageSize * (Pages.pageSize - 1) / 2)
        guard read == count, sum == expected else { throw WrongCount() }
    }
}
