#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import LandscapeSupport
import Testing

@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// Logins that wait for a one-time code, with a page that changes meanwhile.
    @Suite(.landscape) struct AwaitedCodeTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        /// Opens a login page with a field for a code. The page runs `leave` while the login waits for the code.
        private func login(
            _ bench: inout BrowserBench, leave: String, _ meanwhile: () async throws -> Void
        ) async throws -> Result<WebLoginOutcome, any Error> {
            let clock = TestClock(at: Date(timeIntervalSince1970: 3015))
            let secret = try TOTPSecret(base32: TOTPSecret.unused())
            let used = InMemoryUsedCodeStorage()
            _ = await used.note(100, of: secret.fingerprint, unlessLastIn: 0...0)
            bench.options.answers = try FormAnswers(
                ["code": .totp(secret)], origins: [bench.landscape.url(.raw, "/")], clock: clock, usedCodes: used)
            bench.options.stallLimit = .seconds(10)
            bench.page(
                "/start",
                """
                <form action=/finish><input name=code><button>Go on</button></form><script>
                const timer = setInterval(async () => {
                  if (!(await fetch('/leave')).ok) return;
                  clearInterval(timer);
                  \(leave)
                }, 200);
                </script>
                """)
            let task = Task { [bench] in try await bench.perform(bench.login()) }
            await clock.waitForSleepers()
            bench.page("/leave", "now")
            try await meanwhile()
            clock.advance(by: .seconds(15))
            return await task.result
        }

        /// A code is not for the page that came meanwhile (security rule S14). The browser may give its world the same
        /// number.
        @Test func aCodeIsNotForThePageThatCameMeanwhile() async throws {
            var bench = try BrowserBench(landscape)
            let site = landscape.urlString(.raw, "").replacing("127.0.0.1", with: "localhost")
            bench.page(
                "/other",
                """
                <form action=/taken style="display: none">
                <input name=code oninput="fetch('/taken?' + btoa(value))"><button>Go on</button></form>
                <script>setTimeout(() => location = '\(landscape.urlString(.raw, "/finish"))', 3000)</script>
                """)
            let result = try await login(&bench, leave: "location = '\(site)/other'") {
                try await landscape.waitFor(count: 1, path: "/other")
            }
            _ = try result.get()
            #expect(landscape.count(path: "/taken") == 0)
        }

        /// A page that stays, because its navigation leads to nothing, gets the code that was meant for it.
        @Test func aPageThatStaysGetsItsCode() async throws {
            var bench = try BrowserBench(landscape)
            landscape.raw.respond(path: "/nothing", text: "HTTP/1.1 204 No Content\r\n\r\n")
            let result = try await login(&bench, leave: "location = '/nothing'") {
                try await landscape.waitFor(count: 1, path: "/nothing")
                // Not a synchronisation: longer than the delay before a page that stayed is filled in.
                try await Task.sleep(for: .seconds(4))
            }
            #expect(try result.get().finish.value.contains("?code="))
        }
    }
}
#endif
