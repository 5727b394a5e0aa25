import Foundation
import HttpConvAuthFlows
import HttpConvVault
import HttpConversation
import Synchronization
import TestLandscape
import Testing

@testable import HttpConvLogon

/// The second step of a registration makes the vault, while other processes start and tokens are renewed.
@Suite("Making the vault of a logon", .timeLimit(.minutes(1))) struct VaultMakingTests {
    /// As soon as there is a vault, it holds the registration: nobody takes it for an unfinished one.
    @Test func anotherProcessStartsMeanwhile() async throws {
        try await withLogon { bench in
            bench.landscape.mobileRule.properties["PasswordPolicyDefaultPasswordAllowed"] = .flag(true)
            let directory = bench.directory
            // The files at the moment when other processes see the vault.
            let copy = LogonBench(
                landscape: bench.landscape, transport: bench.transport,
                directory: directory.appendingPathExtension("copy"))
            defer { try? FileManager.default.removeItem(at: copy.directory) }
            let other = Mutex<Task<Logon, any Error>?>(nil)
            let logon = try bench.logon { point in
                if point == .createFilled { #expect(!PasscodeVault.exists(at: directory)) }
                guard point == .created else { return }
                #expect(PasscodeVault.exists(at: directory))
                #expect(throws: Never.self) { try FileManager.default.copyItem(at: directory, to: copy.directory) }
                other.withLock { other in
                    other = Task {
                        let logon = try bench.logon()
                        try await logon.unlock(passcode: nil)
                        return logon
                    }
                }
            }
            try await logon.register(bench.input())
            try await logon.makeVault(passcode: nil, repeated: nil)
            let connection = try await bench.backEnd(logon).connection
            #expect(connection != nil)
            let second = try await #require(other.withLock { $0 }).value
            let third = try copy.logon()
            try await third.unlock(passcode: nil)
            for logon in [logon, second, third] {
                #expect(await logon.state == .unlocked)
                #expect(try await bench.backEnd(logon).connection == connection)
            }
            #expect(PasscodeVault.exists(at: directory) && PasscodeVault.exists(at: copy.directory))
        }
    }

    /// Tokens that are renewed between their copy and the end of the step are not lost.
    @Test func tokensAreRenewedMeanwhile() async throws {
        try await withLogon { bench in
            let key = OAuth2TokenKey(storageURL: try TargetURL("https://api.example.com/"), supportName: "api")
            let tokens = Mutex<PersonTokenStorage?>(nil)
            let logon = try bench.logon { point in
                guard point == .created else { return }
                let storage = tokens.withLock { $0 }
                #expect(storage?.inMemory[key]?.accessToken.value == "old")
                _ = storage?.changeMemory { $0[key] = OAuth2Tokens(accessToken: "new") }
            }
            try await logon.register(bench.input())
            let storage = logon.person.tokens
            try await storage.save(OAuth2Tokens(accessToken: "old"), for: key)
            tokens.withLock { $0 = storage }
            try await logon.makeVault(passcode: LogonBench.passcode, repeated: LogonBench.passcode)
            #expect(try await storage.tokens(for: key)?.accessToken.value == "new")
            let next = try bench.logon()
            try await next.unlock(passcode: LogonBench.passcode)
            #expect(try await next.person.tokens.tokens(for: key)?.accessToken.value == "new")
        }
    }
}
