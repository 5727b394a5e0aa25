import Foundation
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvVault

@Suite(.timeLimit(.minutes(1))) struct PasscodeVaultTests {
    let place: VaultPlace

    init() throws { place = try VaultPlace() }

    @Test func valuesAreStoredUntilLocked() async throws {
        let vault = try await place.create()
        #expect(vault.state == .unlocked)
        try await vault.write(["a": 1], "numbers")
        #expect(try await vault.read([String: Int].self, "numbers") == ["a": 1])
        #expect(try await vault.read(String.self, "nothing") == nil)
        #expect(await vaultCode { _ = try await vault.read(Int.self, "numbers") } == .damaged)
        let other = try place.open()
        #expect(other.state == .locked)
        #expect(await vaultCode { _ = try await other.read(Int.self, "numbers") } == .locked)
        try await other.unlock(passcode: "right-0001")
        #expect(try await other.read([String: Int].self, "numbers") == ["a": 1])
        #expect(try await other.remove("numbers"))
        #expect(try await vault.read([String: Int].self, "numbers") == nil)
        vault.lock()
        vault.lock()
        #expect(vault.state == .locked && vault.key == nil && other.state == .unlocked)
    }

    /// Some network file systems have no locks: no other process is to blame.
    @Test func aFileSystemWithoutLocksIsSaid() async throws {
        let error = await thrown(PasscodeVaultError.self) {
            _ = try await VaultDirectory.locked(place.directory, creating: true, place.options) { _ in
                .unsupported(ENOLCK)
            }
        }
        #expect(error?.code == .ioFailure && error?.message.contains("without locks") == true)
    }

    @Test func contentFromTheStart() async throws {
        let vault = try await PasscodeVault.create(
            at: place.directory, passcode: "right-0001", policy: PasswordPolicy(), configuration: place.options
        ) { [place] vault in
            #expect(!PasscodeVault.exists(at: place.directory))
            try await PasscodeVault.write(7, "number", in: vault)
        }
        #expect(try await vault.read(Int.self, "number") == 7)
        let other = try place.open()
        try await other.unlock(passcode: "right-0001")
        #expect(try await other.read(Int.self, "number") == 7)
    }

    @Test func aVaultThatCannotBeFilledIsRemoved() async throws {
        struct Problem: Error {}
        let error = await thrown(PasscodeVaultError.self) {
            _ = try await PasscodeVault.create(
                at: place.directory, passcode: "right-0001", policy: PasswordPolicy(), configuration: place.options
            ) { vault in
                try await PasscodeVault.write(7, "number", in: vault)
                throw Problem()
            }
        }
        #expect(error?.underlyingError is Problem)
        #expect(try place.names.isEmpty)
        #expect(try await place.create().read(Int.self, "number") == nil)
    }

    @Test func theKeyUnlocksWithoutAPasscode() async throws {
        let vault = try await place.create()
        let key = try #require(vault.key)
        #expect(key.bytes.count == 32)
        let other = try place.open()
        try await other.unlock(key: PasscodeVaultKey(bytes: key.bytes))
        #expect(other.state == .unlocked)
        let wrong = try PasscodeVaultKey(bytes: [UInt8](repeating: 1, count: 32))
        #expect(await vaultCode { try await place.open().unlock(key: wrong) } == .wrongKey)
        #expect(try await vault.attemptsLeft() == 10)
        #expect(throws: PasscodeVaultError.self) { _ = try PasscodeVaultKey(bytes: [1]) }
    }

    @Test func tooManyWrongTriesWipeTheVault() async throws {
        _ = try await place.create("right-0001", PasswordPolicy { $0.retryLimit = 3 })
        let vault = try place.open()
        let error = await #expect(throws: PasscodeVaultError.self) { try await vault.unlock(passcode: "wrong") }
        #expect(error?.code == .wrongPasscode && error?.attemptsLeft == 2)
        #expect(await vaultCode { try await vault.unlock(passcode: nil) } == .passcodeNeeded)
        #expect(try await place.open().attemptsLeft() == 2)
        try await vault.unlock(passcode: "right-0001")
        #expect(try await vault.attemptsLeft() == 3)
        for _ in 0..<2 { #expect(await vaultCode { try await vault.unlock(passcode: "wrong") } == .wrongPasscode) }
        #expect(await vaultCode { try await vault.unlock(passcode: "wrong") } == .wiped)
        #expect(vault.state == .wiped)
        #expect(await vaultCode { try await vault.unlock(passcode: "right-0001") } == .wiped)
        #expect(try place.names.isEmpty)
        #expect(await vaultCode { _ = try place.open() } == .notFound)
        #expect(!PasscodeVault.exists(at: place.directory))
        let new = try await place.create()
        #expect(new.state == .unlocked && vault.state == .wiped)
        #expect(await vaultCode { try await vault.unlock(passcode: "right-0001") } == .wiped)
        #expect(try await new.attemptsLeft() == 10)
    }

    /// An open handle notices that the vault is gone, even if a new one is in its place.
    @Test func wipedByAnotherProcess() async throws {
        let first = try await place.create()
        let second = try place.open()
        try await second.unlock(passcode: "right-0001")
        try await first.destroy()
        #expect(first.state == .wiped)
        let third = try await place.create()
        #expect(await vaultCode { try await second.write(1, "a") } == .wiped)
        #expect(second.state == .wiped && second.key == nil)
        try await third.write(1, "a")
        try await PasscodeVault.destroy(at: place.directory)
        try await PasscodeVault.destroy(at: place.directory)
        #expect(await vaultCode { _ = try await third.policy() } == .wiped)
    }

    @Test func withoutPasscode() async throws {
        #expect(await vaultCode { _ = try await place.create(nil) } == .passcodeNeeded)
        let policy = PasswordPolicy { $0.allowsDefaultPassword = true }
        let vault = try await place.create(nil, policy)
        #expect(try await vault.attemptsLeft() == nil)
        let other = try place.open()
        #expect(await vaultCode { try await other.unlock(passcode: "some") } == .noPasscode)
        try await other.unlock(passcode: nil)
        // The policy is changed again.
        #expect(try await other.apply(policy: PasswordPolicy()))
        #expect(await vaultCode { try await place.open().unlock(passcode: nil) } == .expired)
        try await other.changePasscode(from: nil, to: "right-0002")
        try await place.open().unlock(passcode: "right-0002")
        #expect(await vaultCode { try await place.open().unlock(passcode: nil) } == .passcodeNeeded)
        #expect(await vaultCode { try await other.changePasscode(from: "right-0002", to: nil) } == .passcodeNeeded)
        try await PasscodeVault.destroy(at: place.directory)
        let disabled = try await place.create(nil, PasswordPolicy { $0.isEnabled = false })
        #expect(try await !disabled.hasPasscode())
    }

    @Test func aChangedPasscodeReplacesTheOld() async throws {
        let vault = try await place.create("caf\u{E9}-0001")
        try await vault.write(1, "a")
        #expect(await vaultCode { try await vault.changePasscode(from: "wrong", to: "right-0002") } == .wrongPasscode)
        #expect(try await vault.attemptsLeft() == 9)
        let same = await vaultCode { try await vault.changePasscode(from: "caf\u{E9}-0001", to: "cafe\u{301}-0001") }
        #expect(same == .unchanged)
        let error = await #expect(throws: PasscodeVaultError.self) {
            try await vault.changePasscode(from: "cafe\u{301}-0001", to: "short")
        }
        #expect(error?.code == .policyViolated && error?.violations == [.minimumLength(8)])
        #expect(try await vault.attemptsLeft() == 9)
        let old = try Data(contentsOf: place.file(PasscodeSlot.fileName))
        vault.lock()
        try await vault.changePasscode(from: "cafe\u{301}-0001", to: "right-0002")
        #expect(try await vault.read(Int.self, "a") == 1)
        #expect(await vaultCode { try await place.open().unlock(passcode: "caf\u{E9}-0001") } == .wrongPasscode)
        try await place.open().unlock(passcode: "right-0002")
        // The old slot is refused if it is put back.
        try old.write(to: place.file(PasscodeSlot.fileName))
        #expect(await vaultCode { try await place.open().unlock(passcode: "caf\u{E9}-0001") } == .damaged)
    }

    @Test func waitersSeeTheUnlockingAndTheEnd() async throws {
        _ = try await place.create()
        let vault = try place.open()
        async let waited: Void = vault.waitUntilUnlocked()
        try await vault.unlock(passcode: "right-0001")
        try await waited
        try await vault.waitUntilUnlocked()
        let locked = try place.open()
        let waiter = Task { await vaultCode { try await locked.waitUntilUnlocked() } }
        waiter.cancel()
        #expect(await waiter.value == .cancelled)
        try await vault.destroy()
        #expect(await vaultCode { try await vault.waitUntilUnlocked() } == .wiped)
    }

    /// A lock during an unlocking wins.
    @Test func lockedWhileUnlocking() async throws {
        _ = try await place.create()
        let vault = Mutex<PasscodeVault?>(nil)
        var options = place.options
        options.failPoint = { if $0 == .tryAdmitted { vault.withLock { $0?.lock() } } }
        let opened = try PasscodeVault.open(at: place.directory, configuration: options)
        vault.withLock { $0 = opened }
        #expect(await vaultCode { try await opened.unlock(passcode: "right-0001") } == .locked)
        #expect(opened.state == .locked)
    }

    @Test func descriptionsHaveNoSecrets() async throws {
        let canary = "Canary-7f3a-passcode"
        let vault = try await place.create(canary)
        try await vault.write(canary, "value")
        let key = try #require(vault.key)
        var texts = shown(vault) + shown(key) + shown(vault.memory.withLock { $0 }) + shown(vault.state)
        let failing: [@Sendable () async throws -> Void] = [
            { try await place.open().unlock(passcode: canary + "x") },
            { try await vault.changePasscode(from: canary, to: canary) },
            {
                try await vault.changePasscode(
                    from: canary, to: "Canary-7f3a-passcode" + String(repeating: "x", count: 300))
            },
            { _ = try await vault.read(Int.self, "value") },
            { _ = try await place.create(canary) },
        ]
        for operation in failing {
            let error = await #expect(throws: PasscodeVaultError.self) { try await operation() }
            if let error { texts += shown(error) + shown(error.underlyingError as Any) }
        }
        let hex = key.bytes.map { String(format: "%02x", $0) }.joined()
        let list = key.bytes.prefix(4).map { "\($0)" }.joined(separator: ", ")
        for text in texts {
            for secret in ["7f3a", hex, list, Data(key.bytes).base64EncodedString()] {
                #expect(!text.contains(secret), "\(text)")
            }
        }
        #expect(shown(canary).allSatisfy { $0.contains("7f3a") })
        for name in try place.names {
            let data = try Data(contentsOf: place.file(name))
            #expect(data.range(of: Data(canary.utf8)) == nil && data.range(of: Data(key.bytes)) == nil, "\(name)")
        }
        vault.lock()
    }

    private func shown(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [dumped, "\(value)", String(reflecting: value)]
    }

    @Test func costIsMeasured() throws {
        for (once, expected) in [(0.001, 4), (0.2, 4), (0.34, 2), (0.6, 1), (30, 1)] {
            var times = [Duration.zero, .seconds(once)]
            let found = try ScryptParameters.measured(
                within: .seconds(1), now: { times.removeFirst() }, derive: { _ in })
            let wanted = try ScryptParameters(cost: 1 << 17, blockSize: 8, parallelism: expected)
            #expect(found == wanted, "\(once)")
        }
    }
}
