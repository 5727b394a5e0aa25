import Foundation
public import HttpConvAuthFlows
public import HttpConvAuthFlowsTesting
import HttpConvVault
import HttpConversation
import HttpConversationTesting

@testable public import HttpConvVaultStorage

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

extension InMemoryTokenStorage: LeasedTokenStorage {
    public func lease(_ key: OAuth2TokenKey) -> OAuth2Lease? { requestLease(for: key, duration: .seconds(30)) }
    public func extendLease(_ lease: OAuth2Lease) throws { try extend(lease, by: .seconds(30)) }
    public func releaseLease(_ lease: OAuth2Lease) { release(lease) }
}

extension VaultTokenStorage: LeasedTokenStorage {
    public func lease(_ key: OAuth2TokenKey) async throws -> OAuth2Lease? {
        try await vault.acquireLease(leaseName(key), holder: "a test", duration: .seconds(30)).map {
            OAuth2Lease(key: key, fence: try VaultFence.fence(of: $0))
        }
    }

    public func extendLease(_ lease: OAuth2Lease) async throws {
        do { _ = try await vault.renew(try vaultLease(lease), duration: .seconds(30)) } catch {
            throw VaultStorageFailure.error(error, to: "extend a lease")
        }
    }

    public func releaseLease(_ lease: OAuth2Lease) async {
        if let lease = try? vaultLease(lease) { try? await vault.release(lease) }
    }
}

/// The OAuth2 error of a closure; nil if it throws none.
func failure(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async -> OAuth2Error? {
    await thrown(OAuth2Error.self, body)
}
