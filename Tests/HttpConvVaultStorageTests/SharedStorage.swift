import Foundation
import HttpConvAuthFlows
import HttpConvVault
import HttpConversation
import HttpConversationTesting

@testable import HttpConvVaultStorage

/// The storages that must pass the same tests.
enum StorageKind: CaseIterable, Sendable {
    case memory, vault
}

/// One storage with two handles, as two processes would have, and the clock for its leases.
final class SharedStorage: Sendable {
    let first: any LeasedStorage
    let second: any LeasedStorage
    private let place: TemporaryVault?
    private let clock: TestClock

    init(_ kind: StorageKind) async throws {
        let clock = TestClock(sleepsAdvance: true)
        self.clock = clock
        switch kind {
        case .memory:
            let storage = InMemoryTokenStorage(clock: clock)
            (first, second, place) = (storage, storage, nil)
        case .vault:
            let place = try TemporaryVault()
            self.place = place
            var options = DataVaultConfiguration()
            options.clock = clock
            first = VaultTokenStorage(try await place.vault(options))
            second = VaultTokenStorage(try await place.vault(options))
        }
    }

    func advance(by time: Duration) { clock.advance(by: time) }
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

/// The steps of a storage's `withLease`, one by one: a test takes a lease and forgets to extend it.
protocol LeasedStorage: OAuth2TokenStorage {
    /// The lease for 30 seconds, if it is granted.
    func lease(_ key: OAuth2TokenKey) async throws -> OAuth2Lease?
    /// Extends a lease to 30 seconds from now.
    func extendLease(_ lease: OAuth2Lease) async throws
    func releaseLease(_ lease: OAuth2Lease) async
}

extension InMemoryTokenStorage: LeasedStorage {
    func lease(_ key: OAuth2TokenKey) -> OAuth2Lease? { requestLease(for: key, duration: .seconds(30)) }
    func extendLease(_ lease: OAuth2Lease) throws { try extend(lease, by: .seconds(30)) }
    func releaseLease(_ lease: OAuth2Lease) { release(lease) }
}

extension VaultTokenStorage: LeasedStorage {
    func lease(_ key: OAuth2TokenKey) async throws -> OAuth2Lease? {
        try await vault.acquireLease(leaseName(key), holder: "a test", duration: .seconds(30)).map {
            OAuth2Lease(key: key, fence: try VaultFence.fence(of: $0))
        }
    }

    func extendLease(_ lease: OAuth2Lease) async throws {
        do { _ = try await vault.renew(try vaultLease(lease), duration: .seconds(30)) } catch {
            throw VaultStorageFailure.error(error, to: "extend a lease")
        }
    }

    func releaseLease(_ lease: OAuth2Lease) async {
        if let lease = try? vaultLease(lease) { try? await vault.release(lease) }
    }
}

/// The OAuth2 error of a closure; nil if it throws none.
func failure(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void) async -> OAuth2Error? {
    await thrown(OAuth2Error.self, body)
}
