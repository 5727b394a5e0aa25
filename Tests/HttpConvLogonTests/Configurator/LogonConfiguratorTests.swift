import Foundation
import HTTPTypes
import HttpC
import HttpConvVault
import HttpConversationTesting
import MobileServices
import Synchronization
import TestLandscape
import Testing

@testable import HttpConvLogon

/// The behaviour of managers that a logon configures.
@Suite("Logon configurator", .timeLimit(.minutes(1))) struct LogonConfiguratorTests {
    /// A person who knows the passcode, or refuses to enter it.
    private final class Person: LogonUnlocker {
        private let passcode: String?
        /// Whether the vault has no passcode, and gets this one.
        private let isNew: Bool
        private let count = Atomic<Int>(0)
        private let gate: AsyncStream<Void>
        private let release: AsyncStream<Void>.Continuation
        private let asked: AsyncStream<Void>
        private let ask: AsyncStream<Void>.Continuation

        init(_ passcode: String?, isNew: Bool = false) {
            self.passcode = passcode
            self.isNew = isNew
            (gate, release) = AsyncStream<Void>.makeStream()
            (asked, ask) = AsyncStream<Void>.makeStream()
        }

        var questions: Int { count.load(ordering: .acquiring) }

        func waitUntilAsked() async { for await _ in asked { return } }

        func answerNow() { release.finish() }

        func unlock(_ logon: Logon) async throws {
            count.add(1, ordering: .acquiringAndReleasing)
            ask.yield()
            for await _ in gate {}
            guard let passcode else { throw LogonError(.operationCancelled, "The person said no.") }
            guard isNew else { return try await logon.unlock(passcode: passcode) }
            try await logon.changePasscode(from: nil, to: passcode, repeated: passcode)
        }
    }

    @Test func beforeTheLogon() async throws {
        try await withLogon { bench in
            let logon = try bench.logon()
            let manager = bench.manager(logon.configurator)
            let error = await #expect(throws: ConversationError.self) { _ = try await bench.backEnd(manager) }
            #expect(error?.code == .authenticationFailed)
            #expect((error?.underlyingError as? LogonError)?.code == .operationNotAllowed)
            #expect(error?.message.contains("register first") == true)
            #expect(bench.landscape.requests().isEmpty)
            // The same manager works afterwards.
            try await logon.register(bench.input())
            #expect(try await bench.backEnd(manager).user == "alice")
            try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            #expect(try await bench.backEnd(manager).user == "alice")
            try await logon.unregister()
            #expect(await logonCode { try await bench.backEnd(manager) } == .operationNotAllowed)
        }
    }

    @Test func nobodyIsThereWhileLocked() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            let manager = bench.manager(logon.configurator)
            #expect(try await bench.backEnd(manager).user == "alice")
            try await logon.lock()
            let sent = bench.landscape.requests().count
            let error = await #expect(throws: ConversationError.self) { _ = try await bench.backEnd(manager) }
            #expect((error?.underlyingError as? LogonError)?.message.contains("locked") == true)
            #expect(bench.landscape.requests().count == sent)
            try await logon.unlock(passcode: LogonBench.passcode)
            #expect(try await bench.backEnd(manager).user == "alice")
        }
    }

    /// One question serves all requests; they hold no connection, and nothing is sent meanwhile.
    @Test func twentyRequestsWhileLocked() async throws {
        try await withLogon { bench in
            _ = try await bench.registered()
            let logon = try bench.logon()
            let person = Person(LogonBench.passcode)
            let managers = (0..<4).map { _ in bench.manager(logon.configurator.asking(person)) }
            let sent = bench.landscape.requests().count
            let answers = try await withThrowingTaskGroup(of: LogonBench.BackEnd.self) { group in
                for number in 0..<20 { group.addTask { try await bench.backEnd(managers[number % 4]) } }
                await person.waitUntilAsked()
                #expect(bench.landscape.requests().count == sent)
                person.answerNow()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(person.questions == 1)
            #expect(answers.count == 20 && answers.allSatisfy { $0.user == "alice" && $0.isRegistered })
        }
    }

    @Test func thePersonDeclines() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            try await logon.lock()
            let person = Person(nil)
            person.answerNow()
            let manager = bench.manager(logon.configurator.asking(person))
            let error = await #expect(throws: ConversationError.self) { _ = try await bench.backEnd(manager) }
            #expect(error?.code == .cancelled)
            #expect(person.questions == 1)
        }
    }

    /// A vault without a passcode needs no person.
    @Test func withoutAPasscode() async throws {
        try await withLogon { bench in
            _ = try await registered(bench)
            let logon = try bench.logon()
            #expect(await logon.state == .locked)
            #expect(try await logon.hasPasscode() == false)
            let manager = bench.manager(logon.configurator)
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<10 { group.addTask { try await bench.backEnd(manager).user } }
                for try await user in group { #expect(user == "alice") }
            }
        }
    }

    /// Makes a vault without a passcode.
    private func registered(_ bench: LogonBench) async throws -> Logon {
        bench.landscape.mobileRule.properties["PasswordPolicyDefaultPasswordAllowed"] = .flag(true)
        let logon = try bench.logon()
        try await logon.register(bench.input())
        try await logon.makeVault(passcode: nil, repeated: nil)
        return logon
    }

    /// The policy wants a passcode by now: the person is asked for one, once.
    @Test func aPasscodeIsWantedByNow() async throws {
        try await withLogon { bench in
            let logon = try await registered(bench)
            bench.landscape.mobileRule.properties["PasswordPolicyDefaultPasswordAllowed"] = .flag(false)
            try await logon.refreshSettings()
            try await logon.lock()
            let error = await logonError { try await bench.backEnd(logon) }
            #expect((error?.underlyingError as? PasscodeVaultError)?.code == .expired)
            let person = Person(LogonBench.passcode, isNew: true)
            person.answerNow()
            let manager = bench.manager(logon.configurator.asking(person))
            for _ in 0..<2 { #expect(try await bench.backEnd(manager).user == "alice") }
            #expect(person.questions == 1)
        }
    }

    /// The application opens a vault without a passcode at the same moment: the request waits for it.
    @Test func theApplicationOpensItMeanwhile() async throws {
        try await withLogon { bench in
            let logon = try await registered(bench)
            try await logon.lock()
            let manager = bench.manager(logon.configurator)
            let (gate, release) = AsyncStream<Void>.makeStream()
            async let opening: Void = logon.run(.unlock) { () async throws(LogonError) in
                for await _ in gate {}
                try await logon.open { (vault) throws(PasscodeVaultError) in try await vault.unlock(passcode: nil) }
            }
            while await logon.running == nil { try await Task.sleep(for: .milliseconds(1)) }
            async let user = bench.backEnd(manager).user
            while await logon.waiters.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
            release.finish()
            try await opening
            #expect(try await user == "alice")
        }
    }

    /// The vault locks when it is not used; requests count as use.
    @Test func idleTime() async throws {
        try await withLogon { bench in
            let clock = TestClock(at: Date())
            let logon = try await bench.registered(clock: clock)
            let manager = bench.manager(logon.configurator)
            for _ in 0..<4 {
                clock.advance(by: .seconds(200))
                #expect(try await bench.backEnd(manager).user == "alice")
            }
            clock.advance(by: .seconds(301))
            let sent = bench.landscape.requests().count
            #expect(await logonCode { try await bench.backEnd(manager) } == .operationNotAllowed)
            #expect(await logon.state == .locked)
            #expect(bench.landscape.requests().count == sent)
        }
    }

    /// Passwords and certificates go to the registered server only, not to servers that it names.
    @Test func toTheRegisteredServerOnly() async throws {
        try await withLogon { bench in
            let landscape = bench.landscape
            let logon = try await bench.registered()
            let manager = bench.manager(logon.configurator)
            let sent = landscape.requests().count
            #expect(try await manager.get(landscape.urlString(.other, "/basic/data")).status == .unauthorized)
            let seen = landscape.requests().dropFirst(sent)
            #expect(!seen.isEmpty)
            for request in seen {
                #expect(request.values(of: "Authorization").isEmpty)
                #expect(request.values(of: "X-SMP-APPCID").isEmpty && request.values(of: "X-SMP-APPID").isEmpty)
            }
            // The program can name further servers.
            var input = bench.input()
            input.authentication.answerOrigins = [landscape.urlString(.other)]
            try await logon.unregister()
            try await logon.register(input)
            let other = bench.manager(logon.configurator)
            #expect(try await other.get(landscape.urlString(.other, "/basic/data")).status == .ok)
        }
    }

    /// Two persons at one transport.
    @Test func oneLogonIsOnePerson() async throws {
        try await withLogon { bench in
            bench.landscape.addUser("bob", password: "builder")
            let alice = try await bench.registered()
            let other = LogonBench(
                landscape: bench.landscape, transport: bench.transport,
                directory: bench.directory.appendingPathExtension("bob"))
            defer { try? FileManager.default.removeItem(at: other.directory) }
            let bob = try await other.registered(other.input(user: "bob", password: "builder"))
            #expect(try await bench.backEnd(alice).user == "alice")
            #expect(try await other.backEnd(bob).user == "bob")
            #expect(Set(bench.landscape.mobileConnections).count == 2)
            // Two persons on one manager are a problem.
            var configuration = bench.configuration
            configuration.apply(alice.configurator)
            configuration.apply(bob.configurator)
            #expect(configuration.problems.count >= 1)
            // Applying a configurator twice changes nothing.
            var twice = bench.configuration
            twice.apply(alice.configurator)
            let ids = twice.ids
            let count = twice.requestFilters.ids.count
            twice.apply(alice.configurator)
            #expect(twice.ids == ids && twice.requestFilters.ids.count == count && twice.problems.isEmpty)
        }
    }

    /// Tokens against cross-site request forgery, with the same manager.
    @Test func csrf() async throws {
        try await withLogon { bench in
            let logon = try await bench.registered()
            let manager = bench.manager(logon.configurator)
            let response = try await manager.post(bench.landscape.urlString(.main, "/csrf/service/orders"), .text("x"))
            #expect(response.status.code < 300, "\(response.status)")
        }
    }
}
