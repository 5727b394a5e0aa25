#if PostgreSQL
import Foundation
import HttpConvAuthFlows
import HttpConvVault
import Testing

@testable import HttpConvPostgresStorage

/// Rows that somebody with access to the database has changed: a typed error each, and nothing is overwritten.
@Suite("PostgreSQL: bad rows", .timeLimit(.minutes(2)))
struct DamagedRowTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let sql: String
        let code: PostgresStorageError.Code
        var testDescription: String { sql }

        init(_ sql: String, _ code: PostgresStorageError.Code = .damaged) { (self.sql, self.code) = (sql, code) }
    }

    private static let one = "UPDATE httpconv_token SET "

    @Test(arguments: [
        Change(one + "sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)"),
        Change(one + "sealed = substring(sealed from 1 for 30)"),
        Change(one + "sealed = ''"),
        Change(one + "sealed = decode(repeat('00', 2000000), 'hex')"),
        // The row of the other key.
        Change(one + "sealed = other.sealed FROM httpconv_token AS other WHERE other.name <> httpconv_token.name"),
        Change(
            one + "sealed = other.sealed, version = other.version, written = other.written, fence = other.fence "
                + "FROM httpconv_token AS other WHERE other.name <> httpconv_token.name"),
        Change(one + "version = version + 1"),
        Change(one + "written = written + 1, fence = fence + 1"),
        Change(one + "fence = -1"),
        Change(one + "sealed = NULL, mark = NULL, version = 9223372036854775807"),
        Change(one + "written = fence + 1"),
        Change(one + "format = 2", .unsupportedFormat),
        Change("UPDATE httpconv_store SET id = decode(repeat('00', 16), 'hex')", .wrongKey),
        Change("UPDATE httpconv_key SET wrapped = set_byte(wrapped, 20, get_byte(wrapped, 20) # 1)", .wrongKey),
        Change("UPDATE httpconv_store SET oldest = 2, format = 2", .unsupportedFormat),
        Change("DELETE FROM httpconv_store", .damaged),
        Change("ALTER TABLE httpconv_token DROP COLUMN sealed", .damaged),
    ]) func aChangedRowIsAnError(change: Change) async throws {
        let place = try await PostgresServer.shared.database()
        let (key, other) = (try OAuth2TokenKey.number(1), try OAuth2TokenKey.number(2))
        let storage = PostgresTokenStorage(try await place.open())
        for (name, key) in [("a", key), ("b", other)] {
            try await storage.save(.named(name), for: key)
            let lease = try await storage.lease(key)
            try await storage.save(.named(name + "2"), for: key, under: lease)
        }
        try await place.psql(change.sql)
        let before = try await content(place)
        // A new process, which remembers nothing.
        let error = await failure {
            let storage = PostgresTokenStorage(try await place.open { $0.patience = .seconds(1) })
            _ = try await storage.tokens(for: key)
            _ = try await storage.tokens(for: other)
        }
        #expect(error?.code == change.code, "\(error as Any)")
        #expect(try await content(place) == before)
    }

    private func content(_ place: TestDatabase) async throws -> String {
        try await place.psql("SELECT md5(string_agg(httpconv_token::text, '|' ORDER BY name)) FROM httpconv_token")
    }

    /// A process that has read a newer row sees that one was rolled back, and its next login replaces the row.
    @Test func aRolledBackRowIsSeen() async throws {
        let place = try await PostgresServer.shared.database()
        let key = try OAuth2TokenKey.number(1)
        let handle = try await place.open()
        let storage = PostgresTokenStorage(handle)
        try await storage.save(.named("a"), for: key)
        try await place.psql("CREATE TABLE backup AS SELECT * FROM httpconv_token")
        try await storage.save(.named("b"), for: key)
        try await place.psql("DELETE FROM httpconv_token; INSERT INTO httpconv_token SELECT * FROM backup")
        // The content in memory is still current: nobody has notified it.
        #expect(
            await failure {
                _ = try await storage.withLease(for: key, duration: .seconds(9), until: { nil }) { _ in
                    try await storage.tokens(for: key)
                }
            }?.code == .rolledBack)
        try await place.psql("DELETE FROM httpconv_token")
        #expect(await failure { _ = try await storage.tokens(for: key) }?.code == .rolledBack)
        try await storage.save(.named("c"), for: key)
        #expect(try await storage.tokens(for: key)?.accessToken.value == "c")
        #expect(try await PostgresTokenStorage(place.open()).tokens(for: key)?.accessToken.value == "c")
    }

    /// - Parameter isMissing: whether the row is gone; otherwise it is older
    @Test(arguments: [true, false]) func removingAllTokensReplacesARolledBackRow(isMissing: Bool) async throws {
        let place = try await PostgresServer.shared.database()
        let key = try OAuth2TokenKey.number(1)
        let handle = try await place.open()
        let storage = PostgresTokenStorage(handle)
        try await storage.save(.named("a"), for: key)
        try await place.psql("CREATE TABLE backup AS SELECT * FROM httpconv_token")
        for name in ["b", "c", "d"] { try await storage.save(.named(name), for: key) }
        try await place.psql("DELETE FROM httpconv_token")
        if !isMissing { try await place.psql("INSERT INTO httpconv_token SELECT * FROM backup") }
        _ = try await storage.lease(key)
        #expect(await failure { _ = try await storage.tokens(for: key) }?.code == .rolledBack)
        // It concerns one user, who can log in again: the others use this process.
        #expect(handle.health.lastError?.code == .rolledBack)
        while !handle.health.isWell { try await Task.sleep(for: .milliseconds(10)) }
        try await storage.removeAllTokens()
        #expect(try await storage.tokens(for: key) == nil)
        #expect(handle.health.lastError == nil)
        try await storage.save(.named("e"), for: key)
        #expect(try await PostgresTokenStorage(place.open()).tokens(for: key)?.accessToken.value == "e")
    }

    /// A damaged row can be replaced by a login: see `TokenManagerTests`.
    @Test func aDamagedRowIsReplacedBySaving() async throws {
        let place = try await PostgresServer.shared.database()
        let key = try OAuth2TokenKey.number(1)
        try await PostgresTokenStorage(place.open()).save(.named("a"), for: key)
        try await place.psql("UPDATE httpconv_token SET sealed = ''")
        let storage = PostgresTokenStorage(try await place.open())
        let lease = try await storage.lease(key)
        #expect(await failure { _ = try await storage.tokens(for: key) }?.code == .damaged)
        try await storage.save(.named("b"), for: key, under: lease)
        #expect(try await storage.tokens(for: key)?.accessToken.value == "b")
    }

    @Test func aRowOfANewerVersionIsNotOverwritten() async throws {
        let place = try await PostgresServer.shared.database()
        let key = try OAuth2TokenKey.number(1)
        let storage = PostgresTokenStorage(try await place.open())
        try await storage.save(.named("a"), for: key)
        let lease = try await storage.lease(key)
        try await place.psql("UPDATE httpconv_token SET format = 2")
        let before = try await content(place)
        for lease in [nil, lease] {
            #expect(
                await failure { try await storage.save(.named("b"), for: key, under: lease) }?.code
                    == .unsupportedFormat)
        }
        #expect(try await content(place) == before)
    }

    @Test func wrongKeysAreErrors() async throws {
        let place = try await PostgresServer.shared.database()
        let key = try OAuth2TokenKey.number(1)
        try await PostgresTokenStorage(place.open()).save(.named("a"), for: key)
        let wrong = await failure {
            _ = try await PostgresTokenDatabase.open(place.configuration, key: try TestDatabase.key(8))
        }
        #expect(wrong?.code == .wrongKey)
        let passcode = await failure {
            _ = try await PostgresTokenDatabase.open(place.configuration, key: try .passcode("a passcode"))
        }
        #expect([.wrongKey, .keyUnusable].contains(passcode?.code))
        #expect(try await PostgresTokenStorage(place.open()).tokens(for: key)?.accessToken.value == "a")
    }
}
#endif
