import Foundation
import LandscapeSupport
import Testing

/// Many processes with one profile.
@Suite(.landscape, .timeLimit(.minutes(1)), .serialized) struct WebProcessesTests {
    private let landscape: Landscape
    private let sandbox: Sandbox
    private let profile: WebProfile

    init() throws {
        landscape = try .current
        sandbox = try Sandbox()
        profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
    }

    @Test(arguments: [2, 10, 20]) func manyProcessesOneLogin(count: Int) async throws {
        let url = profile.url("/saml/post-post/x")
        #expect(try await profile.run(url).status == 0)
        landscape.expireSAMLSessions()
        landscape.expireIdentityProviderSessions()
        let gate = landscape.holdIdentityProvider()
        let commands = try (0..<count).map { _ in try profile.start([url]) }
        // Two requests more: one of the first run, and its repetition.
        try await landscape.waitFor(count: count + 2, path: "/saml/post-post/x")
        gate.release()
        for command in commands {
            let outcome = await command.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text.contains("\"user\":\"alice\""))
        }
        #expect(landscape.samlCounters.logins == 2)
        // The processes leave the session that they used.
        #expect(try await profile.run(url).status == 0)
        #expect(landscape.samlCounters.logins == 2)
    }

    /// Each further attempt would bring the account closer to being locked.
    @Test func waitingProcessesDoNotRepeatRefusedAnswers() async throws {
        let profile = try WebProfile(landscape, in: sandbox)
        let gate = landscape.holdIdentityProvider()
        let arguments = ["--answer", "user=alice", "--answer", "password=wrong", profile.url("/saml/post-post/x")]
        let commands = try (0..<4).map { _ in try profile.start(arguments) }
        while commands.count(where: { $0.errorsSoFar.contains("this one waits") }) < 3 {
            try await Task.sleep(for: .milliseconds(10))
        }
        gate.release()
        for command in commands {
            let outcome = await command.outcome()
            #expect(outcome.status == 67)
            #expect(outcome.errors.contains("Unknown user or wrong password"), "\(outcome.errors)")
        }
        #expect(landscape.samlCounters.failedPasswords == 1)
    }

    @Test func aKilledProcessLeavesNoLease() async throws {
        let url = profile.url("/saml/post-post/x")
        let gate = landscape.holdIdentityProvider()
        let first = try RunningCommand([url], in: sandbox, environment: WebProfile.environment)
        try await landscape.waitFor(count: 1, path: "/SAMLAuthLauncher")
        let second = try profile.start([url])
        while !second.errorsSoFar.contains("this one waits") { try await Task.sleep(for: .milliseconds(10)) }
        first.signal(SIGKILL)
        gate.release()
        #expect(await first.outcome().status == 128 + SIGKILL)
        #expect(await second.outcome().text.contains("\"user\":\"alice\""))
    }

    /// A stopped process loses the login to a waiter. Its late cookies do not replace the waiter's.
    @Test func aStoppedProcessLosesTheLogin() async throws {
        let url = profile.url("/saml/post-post/x")
        let gate = landscape.holdIdentityProvider()
        let first = try RunningCommand([url], in: sandbox, environment: WebProfile.environment)
        try await landscape.waitFor(count: 1, path: "/SAMLAuthLauncher")
        first.signal(SIGSTOP)
        let second = try profile.start([url])
        while !second.errorsSoFar.contains("this one waits") { try await Task.sleep(for: .milliseconds(10)) }
        gate.release()
        let outcome = await second.outcome()
        #expect(outcome.text.contains("\"user\":\"alice\""), "\(outcome.errors)")
        let kept = try await sandbox.cookies("work")
        #expect(kept.contains { $0.hasPrefix("SAML_SESSION") })
        first.signal(SIGCONT)
        let late = await first.outcome()
        #expect(late.text.contains("\"user\":\"alice\""), "\(late.errors)")
        #expect(late.errors.contains("has taken the login over"), "\(late.errors)")
        #expect(landscape.samlCounters.logins == 2)
        #expect(try await sandbox.cookies("work") == kept)
    }

    /// A waiting process holds nothing, and leaves nothing.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL]) func aWaitingProcessLeavesNothing(number: Int32) async throws {
        let url = profile.url("/saml/post-post/x")
        let gate = landscape.holdIdentityProvider()
        let first = try profile.start([url])
        try await landscape.waitFor(count: 1, path: "/SAMLAuthLauncher")
        let directory = sandbox.path("state/httpc/work")
        let before = Set(try FileManager.default.contentsOfDirectory(atPath: directory))
        #expect(before.contains { $0.contains("-lease-") })
        let second = try RunningCommand([url], in: sandbox, environment: WebProfile.environment)
        while !second.errorsSoFar.contains("this one waits") { try await Task.sleep(for: .milliseconds(10)) }
        second.signal(number)
        #expect(await second.outcome().status == 128 + number)
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: directory)) == before)
        gate.release()
        #expect(await first.outcome().text.contains("\"user\":\"alice\""))
        #expect(landscape.samlCounters.logins == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(!names.contains { $0.contains("-lease-") }, "nothing is held any more")
    }

    /// The second factor for a second process, in the same half minute.
    @Test func aUsedCodeIsSentByNoOtherProcess() async throws {
        let url = profile.url("/otp/saml/x")
        #expect(try await profile.run(url).text.contains("[\"SAML2\",\"OTP\"]"))
        #expect(landscape.otpCounters.accepted == 1)
        #expect(try await sandbox.httpc("cookies", "clear", "work").status == 0)
        let second = try RunningCommand([url], in: sandbox, environment: WebProfile.environment)
        // If the next code is due by now, it is sent, and nothing is waited for.
        while !second.errorsSoFar.contains(Self.waits), landscape.otpCounters.accepted < 2 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(landscape.otpCounters.forms >= 2, "it came to the form")
        second.signal(SIGINT)
        _ = await second.outcome()
        #expect(landscape.otpCounters.repeated + landscape.otpCounters.wrong == 0)
        #expect((1...2).contains(landscape.otpCounters.accepted), "a wait may end before the signal")
    }

    private static let waits = "for the next one-time code"

    /// The same holds for a later code that another process has used up; the test writes its record.
    @Test func aCodeOfTheFutureIsWaitedFor() async throws {
        let url = profile.url("/otp/saml/x")
        #expect(try await profile.run(url).status == 0)
        #expect(try await sandbox.httpc("cookies", "clear", "work").status == 0)
        try await sandbox.withVault(of: "work") { vault in
            let record = try #require(try await vault.read("used one-time codes", in: "httpc"))
            var steps = try JSONDecoder().decode([String: UInt64].self, from: Data(record.value))
            let now = UInt64(Date().timeIntervalSince1970 / 30)
            let (secret, used) = try #require(steps.first)
            #expect(steps.count == 1 && (now - 2...now).contains(used) && secret.count == 32)
            steps[secret] = now + 1
            try await vault.write(Array(try JSONEncoder().encode(steps)), for: "used one-time codes", in: "httpc")
        }
        let second = try RunningCommand([url], in: sandbox, environment: WebProfile.environment)
        while !second.errorsSoFar.contains(Self.waits) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(landscape.otpCounters.forms >= 2, "it came to the form")
        second.signal(SIGINT)
        #expect(await second.outcome().status == 128 + SIGINT)
        #expect(landscape.otpCounters.accepted == 1)
    }
}
