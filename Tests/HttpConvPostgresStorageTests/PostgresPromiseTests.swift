#if PostgreSQL
import Foundation
public import HttpConvAuthFlows
public import HttpConvAuthFlowsTesting
import HttpConversation
import Testing

@testable public import HttpConvPostgresStorage

@Suite("PostgreSQL: the promises of storages", .timeLimit(.minutes(2)))
struct PostgresPromiseTests {
    /// Two processes have two handles.
    @Test(arguments: TokenStorageConformance.cases) func promise(_ promise: TokenStorageCase) async throws {
        let database = try await PostgresServer.shared.database()
        let subject = TokenStorageSubject(
            first: PostgresTokenStorage(try await database.open()),
            second: PostgresTokenStorage(try await database.open())
        ) { try await database.pass($0) }
        try await promise.run(subject)
    }
}

extension PostgresTokenStorage: LeasedTokenStorage {
    public func lease(_ key: OAuth2TokenKey) async throws -> OAuth2Lease? { try await requestLease(key, .seconds(30)) }
    public func extendLease(_ lease: OAuth2Lease) async throws { try await extend(lease, .seconds(30)) }
    public func releaseLease(_ lease: OAuth2Lease) async { await release(lease) }
}

extension OAuth2TokenKey {
    /// A key with a number.
    static func number(_ number: Int, support: String = "api") throws -> OAuth2TokenKey {
        OAuth2TokenKey(storageURL: try TargetURL("https://s\(number).example.com/"), supportName: support)
    }
}

extension OAuth2Tokens {
    /// Tokens with a name.
    static func named(_ name: String) -> OAuth2Tokens { OAuth2Tokens(accessToken: name, refreshToken: "r-\(name)") }
}
#endif
