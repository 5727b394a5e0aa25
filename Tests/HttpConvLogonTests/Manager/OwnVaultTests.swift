import Foundation
import HttpConvLogon
import HttpConvVault
import MobileServices
import TestLandscape
import Testing

/// A vault that the application makes, not the logon (`allowsAutomaticSecureStoreCreation` is false).
@Suite("A vault of the application", .timeLimit(.minutes(1))) struct OwnVaultTests {
    private static let passcode = LogonBench.passcode

    private var options: LogonOptions {
        var options = LogonOptions()
        options.allowsAutomaticSecureStoreCreation = false
        return options
    }

    private func vault(_ bench: LogonBench) async throws -> PasscodeVault {
        var options = PasscodeVaultConfiguration()
        options.scrypt = try ScryptParameters(cost: 1 << 10, blockSize: 8, parallelism: 1)
        let vault = try await PasscodeVault.create(
            at: bench.directory, passcode: Self.passcode, policy: PasswordPolicy(), configuration: options)
        try await vault.write("theirs", "note")
        return vault
    }

    private func register(_ bench: LogonBench) async throws -> Logon {
        let logon = try bench.logon(options: options)
        try await logon.register(bench.input())
        return logon
    }

    private func makeVault(_ logon: Logon, _ passcode: String = Self.passcode) async -> LogonError? {
        await logonError { try await logon.makeVault(passcode: passcode, repeated: passcode) }
    }

    /// There is no vault: the logon makes none, and waits for one.
    @Test func madeAfterRegistering() async throws {
        try await withLogon { bench in
            let logon = try await register(bench)
            let error = await makeVault(logon)
            #expect(error?.code == .operationNotAllowed)
            #expect((error?.underlyingError as? PasscodeVaultError)?.code == .notFound)
            #expect(await logon.state == .registered && !PasscodeVault.exists(at: bench.directory))

            let own = try await vault(bench)
            // A wrong passcode counts as a try, and nothing is destroyed.
            let wrong = await makeVault(logon, "wr0ngwrong")
            #expect((wrong?.underlyingError as? PasscodeVaultError)?.code == .wrongPasscode)
            #expect(await logon.state == .registered)
            #expect(await makeVault(logon) == nil)
            #expect(await logon.state == .unlocked)
            // The server's policy applies now, and the application's content stays.
            #expect(try await logon.passwordPolicy().minimumUniqueCharacters == 4)
            #expect(try await own.read(String.self, "note") == "theirs")

            let next = try bench.logon(options: options)
            try await next.unlock(passcode: Self.passcode)
            #expect(try await bench.backEnd(next).isRegistered)
            try await next.unregister()
            #expect(!PasscodeVault.exists(at: bench.directory))
        }
    }

    /// The vault exists from the start: opening it says that nobody is registered, and leaves it unchanged.
    @Test func madeBefore() async throws {
        try await withLogon { bench in
            let own = try await vault(bench)
            let logon = try bench.logon(options: options)
            #expect(await logon.state == .locked)
            let error = await logonError { try await logon.unlock(passcode: Self.passcode) }
            #expect(error?.code == .operationNotAllowed && error?.message.contains("register") == true)
            #expect(await logon.state == .nothing)
            #expect(try await own.read(String.self, "note") == "theirs")
            try await logon.register(bench.input())
            #expect(await makeVault(logon) == nil)
            #expect(try await bench.backEnd(logon).isRegistered)
        }
    }

    /// Another process was faster: its registration is not overwritten.
    @Test func holdsARegistrationAlready() async throws {
        try await withLogon { bench in
            let slow = try await register(bench)
            let fast = try await register(bench)
            _ = try await vault(bench)
            #expect(await makeVault(fast) == nil)
            #expect(await makeVault(slow)?.code == .userAlreadyLoggedIn)
            #expect(await slow.state == .registered)
            let connection = try await bench.backEnd(fast).connection
            let next = try bench.logon(options: options)
            try await next.unlock(passcode: Self.passcode)
            #expect(try await bench.backEnd(next).connection == connection)
            // Giving up does not affect the other's registration.
            try await slow.unregister()
            #expect(try await bench.backEnd(next).isRegistered)
        }
    }
}
