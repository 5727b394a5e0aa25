import Foundation
import Synchronization
import Testing

@testable import HttpConvVault

/// Keys that fingers or faces release, with a person who consents or declines, in place of the keychain.
final class KeptKeys: BiometricKeys {
    private struct State {
        var keys: [String: [UInt8]] = [:]
        var consents = true
    }

    private let state = Mutex(State())

    var names: [String] { state.withLock { $0.keys.keys.sorted() } }
    func decline() { state.withLock { $0.consents = false } }

    func keep(_ key: [UInt8], as name: String) throws(PasscodeVaultError) { state.withLock { $0.keys[name] = key } }

    func release(_ name: String) throws(PasscodeVaultError) -> [UInt8] {
        let (key, consents) = state.withLock { ($0.keys[name], $0.consents) }
        guard consents else { throw PasscodeVaultFailure.cancelled }
        guard let key else { throw .biometry("There is no key.") }
        return key
    }

    func holds(_ name: String) -> Bool { state.withLock { $0.keys[name] != nil } }
    func remove(_ name: String) { state.withLock { $0.keys[name] = nil } }
}

/// Vaults that fingers or faces open.
@Suite(.timeLimit(.minutes(1))) struct BiometryTests {
    let place: VaultPlace
    let keys = KeptKeys()

    init() throws { place = try VaultPlace() }

    private var options: PasscodeVaultConfiguration {
        var options = place.options
        options.biometricKeys = keys
        return options
    }

    private func create(_ policy: PasswordPolicy = PasswordPolicy()) async throws -> PasscodeVault {
        try await PasscodeVault.create(
            at: place.directory, passcode: "right-0001", policy: policy, configuration: options)
    }

    @Test func aFingerOpensTheVault() async throws {
        let vault = try await create()
        #expect(await !vault.hasBiometry())
        try await vault.allowBiometry()
        try await vault.write("secret", "a")
        // Another process.
        let later = try PasscodeVault.open(at: place.directory, configuration: options)
        #expect(await later.hasBiometry() && later.state == .locked)
        try await later.unlockByBiometry()
        #expect(try await later.read(String.self, "a") == "secret")
        later.lock()
        keys.decline()
        #expect(await vaultCode { try await later.unlockByBiometry() } == .cancelled)
        #expect(later.state == .locked)
        #expect(try await later.attemptsLeft() == later.policy().retryLimit, "no try of the passcode")
        later.forbidBiometry()
        #expect(keys.names.isEmpty)
    }

    /// A locked vault has no key that could be kept.
    @Test func aLockedVaultIsNotOpenedLater() async throws {
        let vault = try await create()
        vault.lock()
        #expect(await vaultCode { try await vault.allowBiometry() } == .locked)
        #expect(keys.names.isEmpty)
        #expect(await vaultCode { try await vault.unlockByBiometry() } == .biometryUnavailable)
    }

    @Test func thePolicyForbidsFingers() async throws {
        var policy = PasswordPolicy()
        policy.allowsFingerprint = false
        let vault = try await create(policy)
        #expect(await vaultCode { try await vault.allowBiometry() } == .biometryUnavailable)
        #expect(keys.names.isEmpty)
        // It was allowed before.
        policy.allowsFingerprint = true
        try await vault.apply(policy: policy)
        try await vault.allowBiometry()
        policy.allowsFingerprint = false
        try await vault.apply(policy: policy)
        vault.lock()
        #expect(await vaultCode { try await vault.unlockByBiometry() } == .biometryUnavailable)
        #expect(vault.state == .locked)
    }

    /// The file beside the vault was changed to allow fingers. The vault's own policy counts, even if the passcode is
    /// too old.
    @Test(arguments: [0, 1]) func theVaultsOwnPolicyCounts(age: Int) async throws {
        let policy = PasswordPolicy { $0.expiresInDays = 1 }
        let vault = try await create(policy)
        try await vault.allowBiometry()
        let allowing = try Data(contentsOf: place.file(PasscodeTries.fileName))
        place.clock.advance(by: .seconds(86400 * age))
        let later = try PasscodeVault.open(at: place.directory, configuration: options)
        #expect(await vaultCode { try await later.unlockByBiometry() } == (age > 0 ? .expired : nil))
        #expect(later.state == .unlocked)
        try await later.apply(policy: PasswordPolicy { ($0.expiresInDays, $0.allowsFingerprint) = (1, false) })
        later.lock()
        try allowing.write(to: place.file(PasscodeTries.fileName))
        #expect(await vaultCode { try await later.unlockByBiometry() } == .biometryUnavailable)
        #expect(later.state == .locked)
    }

    enum End: CaseIterable, Sendable {
        case destroyed, destroyedUnopened, damaged, wrongTries, filesRemoved
    }

    /// No finger opens a copy of a vault that was destroyed.
    @Test(arguments: End.allCases) func theKeyEndsWithTheVault(_ end: End) async throws {
        let vault = try await create(PasswordPolicy { $0.retryLimit = 1 })
        try await vault.allowBiometry()
        #expect(keys.names.count == 1)
        switch end {
        case .destroyed: try await vault.destroy()
        case .destroyedUnopened: try await PasscodeVault.destroy(at: place.directory, configuration: options)
        case .damaged:
            try Data("{".utf8).write(to: place.file(PasscodeSlot.fileName))
            try await vault.destroy()
        case .wrongTries: #expect(await vaultCode { try await vault.unlock(passcode: "wrong") } == .wiped)
        case .filesRemoved:
            try FileManager.default.removeItem(at: place.directory)
            #expect(await vaultCode { _ = try await vault.policy() } == .wiped)
        }
        #expect(keys.names.isEmpty)
    }

    /// A new passcode has a new key: the old one opens nothing, and is forgotten.
    @Test func aNewPasscodeEndsIt() async throws {
        let vault = try await create()
        try await vault.allowBiometry()
        try await vault.changePasscode(from: "right-0001", to: "right-0002")
        vault.lock()
        let error = await #expect(throws: PasscodeVaultError.self) { try await vault.unlockByBiometry() }
        #expect(error?.code == .biometryUnavailable && error?.message.contains("was changed") == true)
        #expect(keys.names.isEmpty)
        #expect(await !vault.hasBiometry())
        try await vault.unlock(passcode: "right-0002")
    }

    /// A system that keeps no keys.
    @Test func withoutAKeychainThereIsThePasscode() async throws {
        let vault = try await place.create()
        #expect(await !vault.hasBiometry())
        #expect(await vaultCode { try await vault.allowBiometry() } == .biometryUnavailable)
        vault.lock()
        #expect(await vaultCode { try await vault.unlockByBiometry() } == .biometryUnavailable)
        vault.forbidBiometry()
    }
}
