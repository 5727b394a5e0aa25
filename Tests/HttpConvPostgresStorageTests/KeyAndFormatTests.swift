#if PostgreSQL
import Foundation
import HttpConvAuthFlows
import HttpConvVault
import Testing

@testable import HttpConvPostgresStorage

/// A fleet is updated machine by machine: two keys, or two versions, are in use at once.
@Suite("PostgreSQL: keys and formats", .timeLimit(.minutes(2)))
struct KeyAndFormatTests {
    @Test func theKeyIsChangedWhileAllGoOn() async throws {
        let place = try await PostgresServer.shared.database()
        let (old, new) = (try TestDatabase.key(7), try TestDatabase.key(9))
        let keys = try (0..<5).map { try OAuth2TokenKey.number($0) }
        func storage(_ key: DataVaultKey, _ former: [DataVaultKey]) async throws -> PostgresTokenStorage {
            PostgresTokenStorage(
                try await PostgresTokenDatabase.open(place.configuration, key: key, formerKeys: former))
        }
        let first = try await storage(old, [new])
        for key in keys { try await first.save(.named("1"), for: key) }
        // A process with the new key adds its slot; the others read what it writes.
        let second = try await storage(new, [old])
        #expect(try await second.tokens(for: keys[0])?.accessToken.value == "1")
        try await second.save(.named("2"), for: keys[0])
        while try await first.tokens(for: keys[0])?.accessToken.value != "2" {
            try await Task.sleep(for: .milliseconds(5))
        }
        // One lease for both keys.
        let lease = try #require(try await first.lease(keys[1]))
        #expect(try await second.lease(keys[1]) == nil)
        try await first.save(.named("3"), for: keys[1], under: lease)
        #expect(try await second.database.reencrypt() == 0)
        #expect(try await place.psql("SELECT count(*), count(DISTINCT mark) FROM httpconv_token") == "5|1")
        #expect(try await place.psql("SELECT count(*) FROM httpconv_key") == "1")
        let third = try await storage(new, [])
        for (key, name) in zip(keys, ["2", "3", "1", "1", "1"]) {
            #expect(try await third.tokens(for: key)?.accessToken.value == name)
        }
        #expect(await failure { try await first.save(.named("late"), for: keys[2]) }?.code == .keyRetired)
        #expect(await failure { _ = try await storage(old, []) }?.code == .wrongKey)
        #expect(try await third.tokens(for: keys[2])?.accessToken.value == "1")
    }

    @Test func aDamagedRowDoesNotStopReencryption() async throws {
        let place = try await PostgresServer.shared.database()
        let storage = PostgresTokenStorage(try await place.open())
        for number in 0..<3 { try await storage.save(.named("a"), for: .number(number)) }
        try await place.psql(
            "UPDATE httpconv_token SET sealed = '' WHERE name = (SELECT name FROM httpconv_token ORDER BY name LIMIT 1)"
        )
        let next = try await PostgresTokenDatabase.open(
            place.configuration, key: try TestDatabase.key(9), formerKeys: [try TestDatabase.key()])
        #expect(try await next.reencrypt() == 1)
        #expect(try await place.psql("SELECT count(DISTINCT mark) FROM httpconv_token") == "2")
    }

    /// A key may have been forgotten while rows were still under it.
    @Test func aRowUnderAForgottenKeyDoesNotStopReencryption() async throws {
        let place = try await PostgresServer.shared.database()
        let (first, second, third) = (try TestDatabase.key(1), try TestDatabase.key(2), try TestDatabase.key(3))
        func storage(_ key: DataVaultKey, _ former: [DataVaultKey]) async throws -> PostgresTokenStorage {
            PostgresTokenStorage(
                try await PostgresTokenDatabase.open(place.configuration, key: key, formerKeys: former))
        }
        try await storage(first, []).save(.named("a"), for: .number(0))
        let later = try await storage(second, [first])
        for number in 1..<4 { try await later.save(.named("b"), for: .number(number)) }
        #expect(try await storage(third, [second]).database.reencrypt() == 1)
        // The slot of the forgotten key stays with its row; that of the second key is gone.
        #expect(try await place.psql("SELECT count(*) FROM httpconv_key") == "2")
        #expect(try await place.psql("SELECT count(*), count(DISTINCT mark) FROM httpconv_token") == "4|2")
        #expect(await failure { _ = try await storage(second, []) }?.code == .wrongKey)
        let all = try await storage(third, [first])
        #expect(try await all.tokens(for: .number(0))?.accessToken.value == "a")
        #expect(try await all.tokens(for: .number(3))?.accessToken.value == "b")
    }

    /// A newer version adds a column, and an older one goes on beside it.
    @Test func twoVersionsRunSideBySide() async throws {
        let place = try await PostgresServer.shared.database()
        let key = try OAuth2TokenKey.number(1)
        let older = PostgresTokenStorage(try await place.open())
        try await older.save(.named("a"), for: key)
        let column = PostgresFormats.Migration(
            to: 2, oldest: 1, ["ALTER TABLE $tokens ADD COLUMN note text DEFAULT 'x'"])
        let newer = try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    PostgresTokenStorage(try await place.open { $0.formats.migrations = [column] })
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try await newer[0].tokens(for: key)?.accessToken.value == "a")
        try await older.save(.named("b"), for: key)
        let found = try await newer[1].withLease(for: key, duration: .seconds(30), until: { nil }) { _ in
            try await newer[1].tokens(for: key)
        }
        #expect(found?.accessToken.value == "b")
        #expect(try await PostgresTokenStorage(place.open()).tokens(for: key)?.accessToken.value == "b")
        #expect(try await place.psql("SELECT format, oldest FROM httpconv_store") == "2|1")
        // A later one breaks with the first.
        let later = PostgresFormats.Migration(to: 3, oldest: 2, [])
        _ = try await place.open { $0.formats.migrations = [column, later] }
        #expect(await failure { _ = try await place.open() }?.code == .unsupportedFormat)
        _ = try await place.open { $0.formats.migrations = [column] }
    }
}
#endif
