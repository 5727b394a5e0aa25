#if os(Linux)
import Foundation
import Glibc
import HttpConvAuthFlows
import HttpConversation
import TestLandscape
import TestSupport
import Testing

@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// Logins that end early; each time nothing is left (see ``BrowserBench``).
    @Suite struct EndTests {
        private func waiting(
            _ change: (inout BrowserBench) -> Void = { _ in },
            _ end: @escaping (BrowserBench, Task<WebLoginOutcome, any Error>) async throws -> Void
        ) async throws {
            try await withLandscape { landscape in
                var bench = try BrowserBench(landscape)
                change(&bench)
                bench.page("/start", "waiting")
                let task = Task { [bench] in try await bench.perform(try bench.login()) }
                try await landscape.waitFor(count: 1, path: "/start")
                try await end(bench, task)
            }
        }

        @Test func aKilledBrowserIsAnError() async throws {
            try await waiting { _, task in
                kill(try BrowserBench.browser(), SIGKILL)
                let error = await #expect(throws: WebLoginError.self) { _ = try await task.value }
                #expect(error?.code == .browserFailed)
                #expect(error?.message.contains("137") == true)
            }
        }

        @Test func aBrowserThatHangsIsAnError() async throws {
            try await waiting({ $0.options.healthTimeout = .seconds(8) }) { _, task in
                kill(try BrowserBench.browser(), SIGSTOP)
                let error = await #expect(throws: WebLoginError.self) { _ = try await task.value }
                #expect(error?.code == .browserFailed)
                #expect(error?.message.contains("hangs") == true)
            }
        }

        @Test func aCrashedPageIsAnError() async throws {
            try await withLandscape { landscape in
                let bench = try BrowserBench(landscape)
                bench.page("/start", "waiting")
                let task = Task { try await bench.perform(try bench.login()) }
                try await landscape.waitFor(count: 1, path: "/start")
                for identifier in BrowserProcess.processes(naming: BrowserProfile.parent + "weblogin-") {
                    let line = FileManager.default.contents(atPath: "/proc/\(identifier)/cmdline") ?? Data()
                    if String(decoding: line, as: UTF8.self).contains("--type=renderer") { kill(identifier, SIGSEGV) }
                }
                let error = await #expect(throws: WebLoginError.self) { _ = try await task.value }
                #expect(error?.code == .browserFailed)
            }
        }

        @Test func cancellationEndsTheBrowser() async throws {
            try await waiting { _, task in
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
            }
        }

        @Test func timeRunsOut() async throws {
            try await withLandscape { landscape in
                var bench = try BrowserBench(landscape)
                bench.options.timeLimit = .seconds(3)
                bench.page("/start", "waiting")
                #expect(try await bench.failure(try bench.login()).code == .timedOut)
            }
        }

        @Test func theBrowserDoesNotInheritSecrets() async throws {
            try await waiting({ $0.options.environment["WORK_PASSWORD"] = "canary-4711" }) { _, task in
                let environment = FileManager.default.contents(atPath: "/proc/\(try BrowserBench.browser())/environ")
                let text = String(decoding: try #require(environment), as: UTF8.self)
                #expect(text.contains("HOME=") && text.contains("/weblogin-"))
                #expect(!text.contains("canary-4711"))
                task.cancel()
                _ = try? await task.value
            }
        }

        /// The case that this process is killed: the pipe closes, and no code of ours cleans up.
        @Test func theBrowserGoesWithItsPipe() async throws {
            let before = BrowserBench.remains()
            let browser = try await BrowserProcess.start(
                try BrowserFinder().find(nil), isHeadless: true, authorityPEM: nil,
                environment: ProcessInfo.processInfo.environment)
            try await browser.connection.call("Browser.getVersion", within: .seconds(60))
            #expect(FileManager.default.fileExists(atPath: browser.profile.directory))
            #expect(!browser.connection.isClosedByBrowser)
            await browser.connection.close()
            while !BrowserBench.remains().subtracting(before).isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
        }

        @Test func aProgramThatIsNoBrowserIsAnError() async throws {
            try await withLandscape { landscape in
                var bench = try BrowserBench(landscape)
                for program in ["/bin/true", "/nowhere/browser", "no-such-browser"] {
                    bench.options.program = program
                    #expect(try await bench.failure(try bench.login()).code == .browserFailed)
                }
            }
        }
    }
}
#endif
