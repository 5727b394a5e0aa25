import Foundation
import HttpC
import HttpConvVault
import MobileServices
import Synchronization
import TestLandscape
import Testing

@testable import HttpConvLogon

/// A registered logon: its vault, and its operations at the server.
@Suite("Logon", .timeLimit(.minutes(1))) struct LogonTests {
    // MARK: The vault

    @Test func unlocking() async throws {
        try await withLogon { bench in
            _ = try await bench.registered()
            let logon = try bench.logon()
            let states = Task { [states = logon.states()] in
                var seen: [LogonState] = []
                for await state in states.prefix(3) { seen.append(state) }
                return seen
            }
            let error = await logonError { try await logon.unlock(passcode: "wr0ngwrong") }
            #expect(error?.code == .invalidParameter)
            #expect((error?.underlyingError as? PasscodeVaultError)?.attemptsLeft == 9)
            #expect(try await logon.attemptsLeft() == 9)
            #expect(await logon.state == .locked)
            #expect(await logon.vaultKey == nil)

            try await logon.unlock(passcode: LogonBench.passcode)
            #expect(await logon.registration?.userName == "alice")
            #expect(await logonCode { try await logon.unlock(passcode: LogonBench.passcode) } == .userAlreadyLoggedIn)
            let key = try #require(await logon.vaultKey)
            try await logon.lock()
            try await logon.lock()
            #expect(await logon.state == .locked)
            #expect(await logon.registration == nil)

            // As a process does that finds the key in kernel memory.
            let other = try bench.logon()
            try await other.unlock(key: PasscodeVaultKey(bytes: key.bytes))
            #expect(await other.state == .unlocked)
            try await logon.unlock(passcode: LogonBench.passcode)
            #expect(await states.value == [.unlocked, .locked, .unlocked])
        }
    }

    @Test func anotherPasscode() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            let (old, new) = (LogonBench.passcode, "Unk3nrufe")
            func change(_ old: String, _ new: String, _ repeated: String) async -> LogonError.Code? {
                await logonCode { try await logon.changePasscode(from: old, to: new, repeated: repeated) }
            }
            #expect(await change(old, new, new + "n") == .passwordsNotEqual)
            #expect(await change("wr0ngwrong", new, new) == .invalidParameter)
            #expect(await change(old, "short", "short") == .invalidParameter)
            #expect(await change(old, new, new) == nil)
            #expect(await logon.state == .unlocked)
            // Changing the passcode of a locked vault opens it, too.
            try await logon.lock()
            #expect(await change("wr0ngwrong", old, old) == .invalidParameter)
            #expect(await logon.state == .locked)
            #expect(await change(new, old, old) == nil)
            #expect(await logon.state == .unlocked)
            #expect(try await bench.backEnd(logon).isRegistered)
            try await logon.deleteUser()
            #expect(await change(old, new, new) == .passcodeChangeNotEnabled)
        }
    }

    /// The device is locked while the passcode changes: the new one counts, and the vault stays locked.
    @Test(arguments: [true, false]) func lockedWhileThePasscodeChanges(isOpen: Bool) async throws {
        try await withLogon { bench in
            let vault = Mutex<PasscodeVault?>(nil)
            let logon = try bench.logon { point in
                if point == .changeCommitted { vault.withLock { $0 }?.lock() }
            }
            let (old, new) = (LogonBench.passcode, "Unk3nrufe")
            try await logon.register(bench.input())
            try await logon.makeVault(passcode: old, repeated: old)
            let made = await logon.vault
            vault.withLock { $0 = made }
            if !isOpen { try await logon.lock() }
            try await logon.changePasscode(from: old, to: new, repeated: new)
            #expect(await logon.state == .locked)
            #expect(await logon.registration == nil)
            #expect(await logonCode { try await logon.unlock(passcode: old) } == .invalidParameter)
            try await logon.unlock(passcode: new)
            #expect(try await bench.backEnd(logon).isRegistered)
        }
    }

    /// The last wrong passcode removes the registration, too.
    @Test func wiped() async throws {
        try await withLogon { bench in
            bench.landscape.mobileRule.properties["PasswordPolicyRetryLimit"] = .number(2)
            let logon = try await bench.registered()
            let manager = bench.manager(logon.configurator)
            try await logon.lock()
            #expect(await logonCode { try await logon.unlock(passcode: "wr0ngwrong") } == .invalidParameter)
            #expect(await logonCode { try await logon.unlock(passcode: "wr0ngwrong") } == .operationNotAllowed)
            #expect(await logon.state == .nothing)
            #expect(await (try bench.logon()).state == .nothing)
            #expect(await logonCode { try await bench.backEnd(manager) } == .operationNotAllowed)
            try await logon.register(bench.input())
            // The old managers belong to another person.
            #expect(await logonCode { try await bench.backEnd(manager) } == .operationNotAllowed)
            #expect(try await bench.backEnd(logon).user == "alice")
        }
    }

    @Test func lockingCancelsWhatIsInProgress() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            let gate = bench.landscape.holdMobileConnections()
            async let code = logonCode { try await logon.refreshSettings() }
            try await gate.waitForWaiters(1)
            try await logon.lock()
            #expect(await code == .operationCancelled)
            gate.release()
            #expect(await logon.state == .locked)
            #expect(await logonCode { try await logon.refreshSettings() } == .operationNotAllowed)
            #expect(await logonCode { try await logon.unregister() } == .operationNotAllowed)
        }
    }

    // MARK: The server

    @Test func newerSettings() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            bench.landscape.mobileRule.properties["PasswordPolicyRetryLimit"] = .number(3)
            bench.landscape.mobileRule.properties["ConnectionLogLevel"] = .text("DEBUG")
            #expect(try await logon.refreshSettings()?.log.level == "DEBUG")
            #expect(try await logon.passwordPolicy().retryLimit == 3)
            #expect(await logon.registration?.settings?.passwordPolicy.retryLimit == 3)
            let next = try bench.logon()
            #expect(try await next.attemptsLeft() == 3)
            try await next.unlock(passcode: LogonBench.passcode)
            #expect(await next.registration?.settings?.log.level == "DEBUG")
        }
    }

    /// Invalid answers change nothing.
    @Test(arguments: MobileFault.allCases) func badSettings(fault: MobileFault) async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            let before = await logon.registration
            bench.landscape.mobileRule.fault = fault
            #expect(await logonCode { try await logon.refreshSettings() } == .communicationManagerError)
            bench.landscape.mobileRule.fault = nil
            #expect(await logon.registration == before)
            let next = try bench.logon()
            try await next.unlock(passcode: LogonBench.passcode)
            #expect(await next.registration == before)
            #expect(try await bench.backEnd(next).isRegistered)
        }
    }

    /// The connection is registered again, once, and the vault gets its id.
    @Test func aConnectionThatTheServerHasForgotten() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            bench.landscape.deleteMobileConnections()
            #expect(try await logon.refreshSettings() != nil)
            #expect(bench.landscape.mobileConnections.count == 1)
            #expect(bench.landscape.mobileCounters.registrations == 2)
            #expect(
                bench.landscape.mobileProperty("DeviceType", of: bench.landscape.mobileConnections[0])
                    == .text("iPhone"))
            let next = try bench.logon()
            try await next.unlock(passcode: LogonBench.passcode)
            try await next.logon()
            #expect(try await bench.backEnd(next).connection == bench.landscape.mobileConnections[0])
            #expect(bench.landscape.mobileCounters.registrations == 2)
        }
    }

    @Test func anotherBackendPassword() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            #expect(try await bench.backEnd(logon).user == "alice")
            bench.landscape.addUser("alice", password: "looking-glass")
            #expect(await logonCode { try await logon.changeBackendPassword("wrong") } == .invalidBackendPassword)
            // The old id is stored, and no longer valid.
            bench.landscape.expireMobileSessions()
            try await logon.lock()
            try await logon.unlock(passcode: LogonBench.passcode)
            #expect(await logonCode { try await logon.logon() } == .invalidBackendPassword)
            try await logon.changeBackendPassword("looking-glass")
            #expect(try await bench.backEnd(logon).isRegistered)
            let next = try bench.logon()
            try await next.unlock(passcode: LogonBench.passcode)
            try await next.logon()
            #expect(bench.landscape.mobileCounters.registrations == 1)
        }
    }

    @Test func noPasswordToChange() async throws {
        try await withLogon { bench in
            var input = bench.input("mobile/saml")
            input.authentication.types = ["saml2.web.redirect"]
            var login = CommonAuthenticationConfigurator()
            let answers = try FormAnswers(
                ["user": .text("alice"), "password": .text("wonderland"), "username": .text("alice")],
                origins: [bench.landscape.urlString(), bench.landscape.identityProvider()])
            login.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: nil, answers: answers))
            let logon = try await bench.registered(input, login: login)
            #expect(await logonCode { try await logon.changeBackendPassword("new") } == .operationNotAllowed)
            try await logon.logon()
        }
    }

    @Test func theServerCannotBeTold() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            await bench.transport.shutdown()
            let error = await logonError { try await logon.unregister() }
            #expect(error?.code == .communicationManagerError && error?.underlyingError is MobileServicesError)
            #expect(await logon.state == .unlocked)
            #expect(PasscodeVault.exists(at: bench.directory))
            #expect(try await logon.deleteUser() == false)
            #expect(await logon.state == .nothing)
            #expect(!PasscodeVault.exists(at: bench.directory))
            #expect(await logonCode { try await logon.deleteUser() } == .operationNotAllowed)
        }
    }

    /// Someone who forgot the passcode can start over.
    @Test func deletedWhileLocked() async throws {
        try await withLogon { bench in
            _ = try await bench.registered()
            let logon = try bench.logon()
            #expect(try await logon.deleteUser() == false)
            #expect(await logon.state == .nothing)
            #expect(bench.landscape.mobileConnections.count == 1)
            let other = try await bench.registered()
            #expect(try await other.deleteUser() == true)
            #expect(bench.landscape.mobileConnections.count == 1)
            // Unregistering works before there is a vault, too.
            try await other.register(bench.input())
            try await other.unregister()
            #expect(await other.state == .nothing && bench.landscape.mobileConnections.count == 1)
        }
    }
}
