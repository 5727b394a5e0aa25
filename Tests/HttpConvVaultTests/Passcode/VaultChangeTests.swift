import Foundation
import Synchronization
import Testing

@testable import HttpConvVault

/// The effect of a changed passcode on old files, other processes, and memory.
@Suite(.timeLimit(.minutes(1))) struct VaultChangeTests {
    let place: VaultPlace

    init() throws { place = try VaultPlace() }

    /// The old slot, the old key and the old passcode open nothing of the present vault.
    @Test func anOldSlotOpensNothing() async throws {
        let vault = try await place.create("right-0001")
        try await vault.write("before", "a")
        let (slot, key) = (try Data(contentsOf: place.file(PasscodeSlot.fileName)), try #require(vault.key))
        try await vault.changePasscode(from: "right-0001", to: "right-0002")
        try await vault.write("after", "b")
        #expect(vault.key?.bytes != key.bytes)
        #expect(await vaultCode { try await place.open().unlock(key: key) } == .wrongKey)
        vault.lock()
        let current = try Data(contentsOf: place.file(PasscodeSlot.fileName))
        try slot.write(to: place.file(PasscodeSlot.fileName))
        #expect(await vaultCode { try await place.open().unlock(passcode: "right-0001") } == .damaged)
        #expect(await vaultCode { try await place.open().unlock(passcode: "right-0002") } == .wrongPasscode)
        // The positive control.
        try current.write(to: place.file(PasscodeSlot.fileName))
        let again = try place.open()
        try await again.unlock(passcode: "right-0002")
        #expect(try await again.read(String.self, "a") == "before")
        #expect(try await again.read(String.self, "b") == "after")
    }

    /// The limit of the protection: a complete old copy still opens with the old passcode.
    @Test func anOldCopyOpensWithTheOldPasscode() async throws {
        let vault = try await place.create("right-0001")
        try await vault.write("before", "a")
        vault.lock()
        let copy = place.root.appendingPathComponent("copy")
        // Locking closes the files in the background, and some of them are removed then.
        while (try? FileManager.default.copyItem(at: place.directory, to: copy)) == nil {
            try? FileManager.default.removeItem(at: copy)
            try await Task.sleep(for: .milliseconds(1))
        }
        try await vault.changePasscode(from: "right-0001", to: "right-0002")
        try await vault.write("after", "b")
        let old = try PasscodeVault.open(at: copy, configuration: place.options)
        try await old.unlock(passcode: "right-0001")
        #expect(try await old.read(String.self, "a") == "before")
        #expect(try await old.read(String.self, "b") == nil)
    }

    /// Another process finds its vault locked, never empty.
    @Test func otherProcessesAreLocked() async throws {
        let (vault, other) = (try await place.create("right-0001"), try place.open())
        try await vault.write("before", "a")
        try await other.unlock(passcode: "right-0001")
        #expect(try await other.read(String.self, "a") == "before")
        let kept = try await other.withDataVault { $0 }
        try await vault.changePasscode(from: "right-0001", to: "right-0002")
        #expect(try await vault.read(String.self, "a") == "before")
        #expect(await vaultCode { _ = try await other.read(String.self, "a") } == .locked)
        #expect(other.state == .locked && other.key == nil)
        await #expect(throws: DataVaultError.self) { try await kept.read("a", in: "logon") }
        #expect(await vaultCode { try await other.unlock(passcode: "right-0001") } == .wrongPasscode)
        try await other.unlock(passcode: "right-0002")
        #expect(try await other.read(String.self, "a") == "before")
    }

    /// The device is locked while the passcode is changed: the new one counts, and the vault stays locked.
    @Test func lockedMeanwhile() async throws {
        let vault = Mutex<PasscodeVault?>(nil)
        var options = place.options
        options.failPoint = { point in if point == .changeCommitted { vault.withLock { $0 }?.lock() } }
        let changed = try await PasscodeVault.create(
            at: place.directory, passcode: "right-0001", policy: PasswordPolicy(), configuration: options)
        try await changed.write("before", "a")
        vault.withLock { $0 = changed }
        try await changed.changePasscode(from: "right-0001", to: "right-0002")
        #expect(changed.state == .locked && changed.key == nil)
        #expect(await vaultCode { try await changed.unlock(passcode: "right-0001") } == .wrongPasscode)
        try await changed.unlock(passcode: "right-0002")
        #expect(try await changed.read(String.self, "a") == "before")
    }

    /// A process that notices the change only by entering the new passcode keeps its handle.
    @Test func enteringANewPasscodeKeepsTheHandle() async throws {
        let (vault, other) = (try await place.create("right-0001"), try place.open())
        try await vault.write("before", "a")
        let kept = try await vault.withDataVault { $0 }
        try await other.changePasscode(from: "right-0001", to: "right-0002")
        try await vault.unlock(passcode: "right-0002")
        #expect(try await vault.read(String.self, "a") == "before")
        #expect(try await kept.read("a", in: "logon") != nil)
        #expect(vault.key?.bytes == other.key?.bytes)
    }

    /// From no passcode and back: the slot that everyone can read opens nothing that is written later.
    @Test func fromNoPasscodeAndBack() async throws {
        let policy = PasswordPolicy { $0.allowsDefaultPassword = true }
        let vault = try await place.create(nil, policy)
        try await vault.write("before", "a")
        let slot = try Data(contentsOf: place.file(PasscodeSlot.fileName))
        try await vault.changePasscode(from: nil, to: "right-0001")
        vault.lock()
        let current = try Data(contentsOf: place.file(PasscodeSlot.fileName))
        try slot.write(to: place.file(PasscodeSlot.fileName))
        #expect(await vaultCode { try await place.open().unlock(passcode: nil) } == .damaged)
        try current.write(to: place.file(PasscodeSlot.fileName))
        try await place.open().unlock(passcode: "right-0001")
    }

    /// A slot that is planted beside the vault does not replace the present one.
    @Test func aPlantedSlotIsRefused() async throws {
        let vault = try await place.create("right-0001")
        vault.lock()
        let planted = try PasscodeSlot(
            .random(), passcode: "planted", scrypt: place.options.scrypt, vaultID: vault.vaultID)
        let next = place.file(PasscodeSlot.nextFileName)
        for slot in [planted, planted.copy(forDatabaseMark: [UInt8](repeating: 1, count: 32))] {
            try Data(slot.encoded).write(to: next)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: next.path)
            try await place.open().unlock(passcode: "right-0001")
            #expect(!FileManager.default.fileExists(atPath: next.path))
        }
    }

    /// A process that ends while it overwrites a slot leaves half of it. The slot in place opens the vault.
    @Test(arguments: [false, true]) func aHalfOverwrittenSlotIsDiscarded(isChanged: Bool) async throws {
        let vault = try await place.create("right-0000")
        if isChanged { try await vault.changePasscode(from: "right-0000", to: "right-0001") }
        vault.lock()
        let next = place.file(PasscodeSlot.nextFileName)
        let slot = try Data(contentsOf: place.file(PasscodeSlot.fileName))
        try (Data(count: slot.count / 2) + slot.dropFirst(slot.count / 2)).write(to: next)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: next.path)
        try await place.open().unlock(passcode: isChanged ? "right-0001" : "right-0000")
        #expect(!FileManager.default.fileExists(atPath: next.path))
    }

    /// After the commit of a change its slot alone opens the vault: if it is damaged, it is kept for a repair.
    @Test(arguments: [false, true]) func aDamagedSlotThatCountsIsKept(isChanged: Bool) async throws {
        let vault = try await place.create("right-0000")
        if isChanged { try await vault.changePasscode(from: "right-0000", to: "right-0001") }
        let former = try Data(contentsOf: place.file(PasscodeSlot.fileName))
        try await vault.changePasscode(from: isChanged ? "right-0001" : "right-0000", to: "right-0002")
        vault.lock()
        let slot = try Data(contentsOf: place.file(PasscodeSlot.fileName))
        let next = place.file(PasscodeSlot.nextFileName)
        try former.write(to: place.file(PasscodeSlot.fileName))
        try slot.dropLast().write(to: next)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: next.path)
        #expect(await vaultCode { _ = try place.open() } == .damaged)
        try slot.write(to: next)
        try await place.open().unlock(passcode: "right-0002")
    }

    @Test func aWipeRemovesInterruptedCopies() async throws {
        let vault = try await place.create("right-0001")
        try Data("x".utf8).write(to: place.file(PasscodeSlot.nextFileName))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: place.file(PasscodeSlot.nextFileName).path)
        try await vault.destroy()
        #expect(try place.names.isEmpty)
    }

    /// A locked vault has no key in memory, and the data vault below it reads nothing.
    @Test func lockingRemovesTheKeyFromMemory() async throws {
        let vault = try await place.create("right-0001")
        try await vault.write("x", "a")
        let kept = try await vault.withDataVault { $0 }
        let cache = CountingCache()
        kept.closesWithKeys(cache)
        vault.lock()
        // At once, before the files are closed.
        #expect(cache.closings == 1)
        #expect(vault.key == nil)
        await #expect(throws: DataVaultError.self) { try await kept.read("a", in: "logon") }
        try await vault.unlock(passcode: "right-0001")
        #expect(try await vault.read(String.self, "a") == "x")
    }
}
