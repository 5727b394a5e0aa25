#if PostgreSQL
import Foundation
import HttpConvAuthFlows
import HttpConvVault
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvPostgresStorage

@Suite("PostgreSQL: storage", .timeLimit(.minutes(2)))
struct PostgresTokenStorageTests {
    private let key: OAuth2TokenKey

    init() throws { key = try .number(1) }

    private func database() async throws -> TestDatabase { try await PostgresServer.shared.database() }

    @Test func tokensOutliveTheHandle() async throws {
        let place = try await database()
        let first = try await place.open()
        try await PostgresTokenStorage(first).save(.named("a"), for: key)
        first.close()
        let storage = PostgresTokenStorage(try await place.open())
        #expect(try await storage.tokens(for: key)?.refreshToken?.value == "r-a")
        let error = await failure { _ = try await PostgresTokenStorage(first).tokens(for: key) }
        #expect(error?.code == .closed)
    }

    @Test func aUnixSocketNeedsNoTLS() async throws {
        let place = try await database()
        let database = try await place.open {
            $0.connection = "host=\(place.server.directory) port=\(place.server.port) dbname=\(place.name) user=app"
        }
        #expect(try await PostgresTokenStorage(database).tokens(for: key) == nil)
    }

    /// One of many processes that start at once creates the tables, and all have the same keys.
    @Test func manyOpenAtOnce() async throws {
        let place = try await database()
        let handles = try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await place.open { $0.connections = 1 } } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await PostgresTokenStorage(handles[0]).save(.named("a"), for: key)
        for handle in handles {
            #expect(try await PostgresTokenStorage(handle).tokens(for: key)?.accessToken.value == "a")
        }
    }

    @Test func collectionsAndUsersAreApart() async throws {
        let handle = try await database().open()
        let storages = [
            PostgresTokenStorage(handle), PostgresTokenStorage(handle, collection: "two"),
            PostgresTokenStorage(handle, user: "ann"), PostgresTokenStorage(handle, user: "bob"),
        ]
        for (number, storage) in storages.enumerated() { try await storage.save(.named("\(number)"), for: key) }
        try await storages[2].removeAllTokens()
        for (number, storage) in storages.enumerated() {
            let name = try await storage.tokens(for: key)?.accessToken.value
            #expect(name == (number == 2 ? nil : "\(number)"))
            #expect(try await storage.lease(key) != nil)
        }
    }

    /// A look-up from memory asks the database nothing, and a write of another handle ends that.
    @Test func lookUpsComeFromMemory() async throws {
        let place = try await database()
        let (one, two) = (try await place.open(), try await place.open())
        let (storage, other) = (PostgresTokenStorage(one), PostgresTokenStorage(two))
        try await storage.save(.named("a"), for: key)
        while two.changes.session == 0 { try await Task.sleep(for: .milliseconds(5)) }
        _ = try await other.tokens(for: key)
        _ = try await other.tokens(for: .number(2))
        let before = two.roundTrips
        for _ in 0..<1000 {
            #expect(try await other.tokens(for: key)?.accessToken.value == "a")
            #expect(try await other.tokens(for: .number(2)) == nil)
            #expect(other.tokensInMemory(for: key)?.accessToken.value == "a")
        }
        #expect(two.roundTrips == before)
        try await storage.save(.named("b"), for: key)
        while try await other.tokens(for: key)?.accessToken.value != "b" {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// A renewal takes three statements: lease with the newest tokens, write, release.
    @Test func aRenewalTakesThreeRoundTrips() async throws {
        let handle = try await database().open()
        let (storage, key) = (PostgresTokenStorage(handle), key)
        while handle.changes.session == 0 { try await Task.sleep(for: .milliseconds(5)) }
        try await storage.save(.named("0"), for: key)
        let before = handle.roundTrips
        for number in 1...10 {
            let seen = try await storage.withLease(for: key, duration: .seconds(30), until: { nil }) { lease in
                let older = try await storage.tokens(for: key)?.accessToken.value
                try await storage.save(.named("\(number)"), for: key, under: lease)
                return [older, try await storage.tokens(for: key)?.accessToken.value]
            }
            #expect(seen == ["\(number - 1)", "\(number)"])
        }
        let statements = handle.roundTrips - before
        // A notification of our own write that arrives before its answer costs one look-up.
        #expect((30...40).contains(statements), "\(statements)")
    }

    // MARK: Secrecy

    @Test func noSecretIsInTheDatabase() async throws {
        let place = try await database()
        let secretKey = try OAuth2TokenKey.number(1, support: "canary-support")
        let storage = PostgresTokenStorage(try await place.open(), user: "canary-user")
        let tokens = OAuth2Tokens(accessToken: "canary-access", refreshToken: "canary-refresh", idToken: "canary-id")
        try await storage.save(tokens, for: secretKey, under: try await storage.lease(secretKey))
        let dump = try await place.psql(
            "SELECT httpconv_token::text FROM httpconv_token UNION ALL SELECT httpconv_key::text FROM httpconv_key")
        #expect(dump.count > 300)
        for secret in ["canary", "s1.example.com", String(repeating: "07", count: 32)] {
            #expect(!dump.contains(secret))
            #expect(!dump.contains(secret.utf8.map { String($0, radix: 16) }.joined()))
        }
        for value: Any in [storage, storage.database, place.configuration] {
            let shown = "\(value) \(String(reflecting: value)) \(Mirror(reflecting: value).children.map(\.value))"
            #expect(!shown.contains("canary") && !shown.contains("password"))
        }
    }

    @Test(arguments: [
        "host=localhost password='planted-canary", "passwrod=planted-canary", "host=localhost planted-canary",
        "postgres://u:planted-canary@localhost:notaport/x", "sslmode=prefer password=planted-canary",
        "sslmode=disable password=planted-canary",
    ]) func anUnusableConnectionStringIsNotQuoted(connection: String) async throws {
        let error = await failure {
            var configuration = PostgresConfiguration(connection)
            configuration.patience = .milliseconds(300)
            _ = try await PostgresTokenDatabase.open(configuration, key: try TestDatabase.key())
        }
        #expect([.invalidConfiguration, .unavailable].contains(error?.code))
        #expect(error.map { "\($0) \($0.underlyingError as Any)" }?.contains("canary") == false)
    }

    // MARK: The connection

    /// Nothing is sent to a server that cannot prove its name.
    @Test func theServerIsVerified() async throws {
        let place = try await database()
        let other = try await PostgresServer.interrupted
        for connection in [
            place.connection.replacing("sslrootcert=\(place.server.directory)", with: "sslrootcert=\(other.directory)"),
            place.connection.replacing("host=localhost", with: "host=db.example.com"),
        ] {
            let error = await failure { _ = try await place.open { $0.connection = connection } }
            #expect(error?.code == .untrusted, "\(error as Any)")
        }
    }

    @Test func aRefusedLoginIsAnError() async throws {
        let place = try await database()
        let error = await failure {
            _ = try await place.open {
                $0.connection = place.connection.replacing("password=app", with: "password=wrong-canary")
            }
        }
        #expect(error?.code == .notAuthorized)
        #expect(error?.message.contains("canary") == false)
    }

    @Test(arguments: [
        ("FATAL:  too many connections for role \"app\"", PostgresStorageError.Code.unavailable),
        ("FATAL:  too many connections for database \"app\"", .unavailable),
        ("FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute", .unavailable),
        ("FATAL:  sorry, too many clients already", .unavailable),
        ("FATAL:  role \"app\" does not exist", .notAuthorized),
        ("FATAL:  password authentication failed for user \"app\"", .notAuthorized),
    ]) func aLimitOfConnectionsIsNoRefusedLogin(text: String, code: PostgresStorageError.Code) {
        #expect(PostgresFailure.connectionError(text, place: "here").code == code)
    }

    @Test func aMissingServerIsUnavailable() async throws {
        let error = await failure {
            var configuration = PostgresConfiguration("host=/nonexistent dbname=x")
            configuration.patience = .milliseconds(300)
            _ = try await PostgresTokenDatabase.open(configuration, key: try TestDatabase.key())
        }
        #expect(error?.code == .unavailable)
    }
}

/// The storage's error of a closure; nil if it throws none.
func failure(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async -> PostgresStorageError? {
    do { try await body() } catch let error as PostgresStorageError { return error } catch {
        return (error as? OAuth2Error)?.underlyingError as? PostgresStorageError
    }
    return nil
}
#endif
