import Foundation
import TestLandscape
import Testing

/// Several processes that need the tokens of one profile.
@Suite(.timeLimit(.minutes(1))) struct SharedLoginTests {
    private static let waits = "httpc: another process is logging in with the profile \"work\"; this one waits."

    private func withDevice(
        _ body: (Landscape, Sandbox) async throws -> Void
    ) async throws {
        let sandbox = try Sandbox()
        var configuration = LandscapeConfiguration()
        configuration.oauthRule.deviceInterval = .seconds(1)
        try await withLandscape(configuration) { landscape in
            try OAuth2Profile.install("device", landscape, in: sandbox)
            try await body(landscape, sandbox)
        }
    }

    /// Waits until a login shows its code.
    private func code(of login: RunningCommand) async throws -> String {
        while true {
            if let match = login.errorsSoFar.firstMatch(of: /enter +([A-Z]{4}-[A-Z]{4})\n/) { return String(match.1) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// After any end of a login, the next one begins at once.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL]) func aSignalEndsTheLease(number: Int32) async throws {
        try await withDevice { landscape, sandbox in
            let first = try RunningCommand(["login"], in: sandbox)
            _ = try await code(of: first)
            first.signal(number)
            #expect(await first.outcome().status == 128 + number)
            let second = try RunningCommand(["login"], in: sandbox)
            #expect(landscape.approveDevice(userCode: try await code(of: second)))
            let outcome = await second.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(!outcome.errors.contains("waits"), "\(outcome.errors)")
        }
    }

    /// A stopped process keeps its lease until it goes on or is killed.
    @Test func aStoppedProcessHoldsItsLease() async throws {
        try await withDevice { _, sandbox in
            let first = try RunningCommand(["login"], in: sandbox)
            _ = try await code(of: first)
            first.signal(SIGSTOP)
            let second = try RunningCommand(["login"], in: sandbox)
            while !second.errorsSoFar.contains(Self.waits) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(!second.errorsSoFar.contains("enter"))
            first.signal(SIGKILL)
            _ = try await code(of: second)
            second.signal(SIGINT)
            #expect(await second.outcome().status == 130)
            _ = await first.outcome()
        }
    }

    @Test func whoWaitsSaysForWhichProfileAndUsesWhatCame() async throws {
        try await withDevice { landscape, sandbox in
            let login = try RunningCommand(["login"], in: sandbox)
            let code = try await code(of: login)
            let requests = try (1...2).map { number in
                try RunningCommand([landscape.urlString(.main, "/api/\(number)")], in: sandbox)
            }
            let quiet = try RunningCommand(["-s", landscape.urlString(.main, "/api/3")], in: sandbox)
            for request in requests {
                while !request.errorsSoFar.contains(Self.waits) { try await Task.sleep(for: .milliseconds(5)) }
            }
            #expect(landscape.approveDevice(userCode: code))
            #expect(await login.outcome().status == 0)
            for request in requests {
                let outcome = await request.outcome()
                #expect(outcome.text.contains("\"client\":\"tv\""), "\(outcome.errors)")
                // A wait of more than a second is told once more, with the tokens' server.
                let lines = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("httpc: Waiting for ") }
                #expect(lines == [Self.waits[...]], "\(outcome.errors)")
            }
            let outcome = await quiet.outcome()
            #expect(outcome.text.contains("\"client\":\"tv\"") && outcome.errors.isEmpty, "\(outcome.errors)")
        }
    }

    @Test func whoWaitsCanBeInterrupted() async throws {
        try await withDevice { landscape, sandbox in
            let login = try RunningCommand(["login"], in: sandbox)
            _ = try await code(of: login)
            let request = try RunningCommand([landscape.urlString(.main, "/api/1")], in: sandbox)
            while !request.errorsSoFar.contains(Self.waits) { try await Task.sleep(for: .milliseconds(5)) }
            request.signal(SIGINT)
            let outcome = await request.outcome()
            #expect(outcome.status == 130)
            #expect(outcome.output.isEmpty)
            login.signal(SIGINT)
            _ = await login.outcome()
        }
    }
}
