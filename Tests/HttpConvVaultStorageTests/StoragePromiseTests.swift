import Foundation
import HttpConvAuthFlows
import HttpConvAuthFlowsTesting
import HttpConvConcurrency
import HttpConvVault
import Synchronization
import Testing

@testable import HttpConvVaultStorage

@Suite("Storages: the same promises", .timeLimit(.minutes(1)))
struct StoragePromiseTests {
    /// Two processes have two handles.
    @Test(arguments: TokenStorageConformance.cases) func vault(promise: TokenStorageCase) async throws {
        let clock = ShiftedClock()
        let place = try TemporaryVault()
        var options = DataVaultConfiguration()
        options.clock = clock
        let subject = TokenStorageSubject(
            first: VaultTokenStorage(try await place.vault(options)),
            second: VaultTokenStorage(try await place.vault(options))
        ) { clock.advance(by: $0) }
        try await promise.run(subject)
    }

    @Test(arguments: TokenStorageConformance.cases) func memory(promise: TokenStorageCase) async throws {
        let clock = ShiftedClock()
        let storage = InMemoryTokenStorage(clock: clock)
        try await promise.run(
            TokenStorageSubject(first: storage, second: storage) { clock.advance(by: $0) })
    }

    @Test(arguments: WrongStorage.Mistake.allCases) func aMistakeIsFound(mistake: WrongStorage.Mistake) async throws {
        let findings = try await TokenStorageConformance.run {
            let clock = ShiftedClock()
            let storage = WrongStorage(InMemoryTokenStorage(clock: clock), mistake)
            return TokenStorageSubject(first: storage, second: storage) { clock.advance(by: $0) }
        }
        #expect(findings.map(\.caseID).contains(mistake.rawValue), "\(findings)")
    }
}

/// A storage with a mistake, each named after a case that finds it.
struct WrongStorage: LeasedTokenStorage {
    enum Mistake: String, CaseIterable, Sendable {
        case losesTheRefreshToken = "tokens.complete"
        case removesAll = "tokens.removal"
        case removesNothing = "tokens.removal-of-all"
        case refusesCancelledTasks = "tokens.cancelled"
        case hasNoLeases = "leases.exclusive"
        case leasesTwice = "leases.one-holder"
        case leasesEverything = "leases.keys-are-apart"
        case savesNothing = "leases.writes"
        case neverExtends = "leases.extended"
        case extendsReleased = "leases.released"
        case ignoresFences = "fences.late-holder"
        case refusesLateHolders = "fences.late-and-alone"
        case acceptsAnyFence = "fences.never-given"
    }

    private let inner: InMemoryTokenStorage
    private let mistake: Mistake

    init(_ inner: InMemoryTokenStorage, _ mistake: Mistake) { (self.inner, self.mistake) = (inner, mistake) }

    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? {
        let tokens = await inner.tokens(for: key)
        // Others run between this look-up and what follows it.
        if mistake == .hasNoLeases { for _ in 0..<100 { await Task.yield() } }
        return tokens
    }

    func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        switch mistake {
        case .losesTheRefreshToken:
            let poorer = tokens.map { OAuth2Tokens(accessToken: $0.accessToken.value, receivedAt: $0.receivedAt) }
            try await inner.save(poorer, for: key, under: lease)
        case .removesAll where tokens == nil: await inner.removeAllTokens()
        case .refusesCancelledTasks:
            try Task.checkCancellation()
            try await inner.save(tokens, for: key, under: lease)
        case .savesNothing where lease != nil: break
        case .ignoresFences, .acceptsAnyFence: try await inner.save(tokens, for: key, under: nil)
        case .refusesLateHolders where lease.map { inner.requestLease(for: $0.key, duration: .seconds(1)) } != nil:
            throw OAuth2Error(.leaseLost, "late")
        default: try await inner.save(tokens, for: key, under: lease)
        }
    }

    func removeAllTokens() async throws { if mistake != .removesNothing { await inner.removeAllTokens() } }

    func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        guard mistake == .hasNoLeases else {
            return try await inner.withLease(for: key, duration: duration, until: look, work)
        }
        return try await work(nil)
    }

    func lease(_ key: OAuth2TokenKey) async throws -> OAuth2Lease? {
        switch mistake {
        case .leasesTwice:
            inner.requestLease(for: key, duration: .seconds(30)) ?? OAuth2Lease(key: key, fence: 1)
        case .leasesEverything: inner.requestLease(for: try .number(0), duration: .seconds(30))
        default: inner.requestLease(for: key, duration: .seconds(30))
        }
    }

    func extendLease(_ lease: OAuth2Lease) async throws {
        switch mistake {
        case .neverExtends, .extendsReleased: break
        default: try inner.extend(lease, by: .seconds(30))
        }
    }

    func releaseLease(_ lease: OAuth2Lease) async { inner.release(lease) }
}

/// The system's clock, which a test moves forward.
final class ShiftedClock: WallClock {
    private let shift = Mutex(Duration.zero)

    var date: Date { Date() + shift.withLock { $0 } }
    var uptime: Duration { SystemClock().uptime + shift.withLock { $0 } }
    func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
    func advance(by time: Duration) { shift.withLock { $0 += time } }
}
