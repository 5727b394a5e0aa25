import Foundation
import HttpConvConcurrency
import Testing

@testable import HttpConvVault

@Suite(.timeLimit(.minutes(1))) struct VaultTimeTests {
    let place: VaultPlace

    init() throws { place = try VaultPlace() }

    @Test func anIdleVaultLocks() async throws {
        let vault = try await place.create()
        #expect(vault.lockTimeout == .seconds(300))
        try await vault.write(1, "a")
        place.clock.advance(by: .seconds(299))
        #expect(vault.state == .unlocked)
        // Reading counts as use; looking at the state does not.
        _ = (vault.state, vault.key)
        #expect(try await vault.read(Int.self, "a") == 1)
        place.clock.advance(by: .seconds(299))
        #expect(vault.key != nil)
        place.clock.advance(by: .seconds(1))
        #expect(vault.key == nil)
        #expect(await vaultCode { _ = try await vault.read(Int.self, "a") } == .locked)
    }

    /// The vault locks without being asked.
    @Test func locksWithoutACall() async throws {
        let vault = try await place.create()
        let states = vault.states()
        let first = Task { () -> PasscodeVaultState in
            for await state in states { return state }
            return .wiped
        }
        // The watch starts sleeping at some point.
        while vault.memory.withLock({ $0.open != nil }) {
            place.clock.advance(by: .seconds(301))
            await Task.yield()
        }
        #expect(await first.value == .locked)
    }

    /// Setting the date neither unlocks the vault nor keeps it open.
    @Test(arguments: [-400.0, -1, 1, 400]) func settingTheDateDoesNotUnlock(_ days: Double) async throws {
        let vault = try await place.create()
        place.clock.setDate { $0 = $0 + .seconds(days * 86400) }
        #expect(vault.state == .unlocked)
        place.clock.advance(by: .seconds(300))
        place.clock.setDate { $0 = $0 + .seconds(-300) }
        #expect(vault.state == .locked)
        place.clock.setDate { $0 = $0 + .seconds(days * 86400) }
        #expect(vault.state == .locked)
    }

    @Test func aTimeoutOfZeroNeverLocks() async throws {
        let vault = try await place.create("right-0001", PasswordPolicy { $0.lockTimeout = .zero })
        place.clock.advance(by: .seconds(1_000_000))
        #expect(vault.state == .unlocked)
        try await vault.apply(policy: PasswordPolicy { $0.lockTimeout = .seconds(5) })
        #expect(vault.state == .unlocked)
        place.clock.advance(by: .seconds(5))
        #expect(vault.state == .locked)
    }

    /// Another process adopts a policy: the next use here applies it.
    @Test func aPolicyOfAnotherProcessIsApplied() async throws {
        let vault = try await place.create()
        let other = try place.open()
        try await other.unlock(passcode: "right-0001")
        try await other.apply(policy: PasswordPolicy { $0.lockTimeout = .seconds(5) })
        try await vault.write(1, "a")
        #expect(vault.lockTimeout == .seconds(5))
        place.clock.advance(by: .seconds(5))
        #expect(vault.state == .locked)
    }

    @Test func expiry() async throws {
        let vault = try await place.create("right-0001", PasswordPolicy { $0.expiresInDays = 90 })
        place.clock.advance(by: .seconds(86400 * 89))
        try await vault.unlock(passcode: "right-0001")
        // The date is set back by 80 days; that does not prolong the passcode's life.
        place.clock.setDate { $0 = $0 + .seconds(-86400 * 80) }
        try await vault.unlock(passcode: "right-0001")
        place.clock.advance(by: .seconds(86400))
        let key = try #require(try await unlockedKey())
        #expect(await vaultCode { try await vault.unlock(passcode: "right-0001") } == .expired)
        #expect(vault.state == .unlocked)
        #expect(try await vault.mustChangePasscode())
        #expect(await vaultCode { try await place.open().unlock(key: key) } == .expired)
        try await vault.changePasscode(from: "right-0001", to: "right-0002")
        #expect(try await !vault.mustChangePasscode())
        try await place.open().unlock(passcode: "right-0002")
        place.clock.advance(by: .seconds(86400 * 91))
        #expect(await vaultCode { try await place.open().unlock(passcode: "right-0002") } == .expired)
    }

    private func unlockedKey() async throws -> PasscodeVaultKey? {
        let vault = try place.open()
        _ = await vaultCode { try await vault.unlock(passcode: "right-0001") }
        return vault.key
    }

    /// A date in the far future when the passcode is made does not prolong its life.
    @Test func aPasscodeFromTheFuture() async throws {
        place.clock.setDate { $0 = $0 + .seconds(86400 * 5000) }
        let vault = try await place.create("right-0001", PasswordPolicy { $0.expiresInDays = 10 })
        place.clock.setDate { $0 = $0 + .seconds(-86400 * 5000) }
        try await vault.unlock(passcode: "right-0001")
        place.clock.advance(by: .seconds(86400 * 10))
        #expect(await vaultCode { try await vault.unlock(passcode: "right-0001") } == .expired)
    }
}
