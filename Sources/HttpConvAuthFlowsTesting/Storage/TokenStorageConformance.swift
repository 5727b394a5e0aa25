import HttpConvAuthFlows

/// The promises of ``/HttpConvAuthFlows/OAuth2TokenStorage`` with leases, as cases that any storage can run.
///
/// ```swift
/// @Test(arguments: TokenStorageConformance.cases) func promise(_ promise: TokenStorageCase) async throws {
///     let (first, second) = try await twoHandlesOnAnEmptyStorage()
///     try await promise.run(TokenStorageSubject(first: first, second: second) { clock.advance(by: $0) })
/// }
/// ```
/// A write may reach the readers of another handle late, within seconds. Under a lease a handle sees the newest tokens
/// at once.
public enum TokenStorageConformance {
    /// All cases.
    public static let cases: [TokenStorageCase] = tokens + leases + fences

    /// Runs all cases, each on a new storage.
    ///
    /// - Returns: the findings; empty for a storage that conforms
    /// - Throws: the error of `makeStorage`, or an error of a storage that no case expects
    public static func run(
        makeStorage: @Sendable () async throws -> TokenStorageSubject
    ) async throws -> [TokenStorageFinding] {
        var findings: [TokenStorageFinding] = []
        for promise in cases {
            do { try await promise.run(try await makeStorage()) } catch let finding as TokenStorageFinding {
                findings.append(finding)
            }
        }
        return findings
    }
}

/// Polls until the tokens under a key are as expected; another handle may see a write late.
func waitForTokens(
    _ storage: any OAuth2TokenStorage, _ key: OAuth2TokenKey, toBe expected: OAuth2Tokens?, _ what: String
) async throws {
    let start = ContinuousClock.now
    while try await storage.tokens(for: key) != expected {
        try promise(ContinuousClock.now - start < .seconds(5), otherwise: "another handle did not see \(what)")
        try await Task.sleep(for: .milliseconds(2))
    }
}

extension OAuth2TokenKey {
    /// A key with a number.
    static func number(_ number: Int, support: String = "api") throws -> OAuth2TokenKey {
        OAuth2TokenKey(storageURL: try .init("https://s\(number).example.com/"), supportName: support)
    }
}

extension OAuth2Tokens {
    /// Tokens with a name.
    static func named(_ name: String) -> OAuth2Tokens { OAuth2Tokens(accessToken: name, refreshToken: "r-\(name)") }
}
