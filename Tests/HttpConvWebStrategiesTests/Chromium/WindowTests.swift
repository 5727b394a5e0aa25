#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConversation
import Landscape
import Testing

@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// A real window on a display that nobody looks at.
    @Suite struct WindowTests {
        private func withWindow(_ body: (inout BrowserBench) async throws -> Void) async throws {
            try await VirtualDisplay.with { display in
                try await withLandscape { landscape in
                    var bench = try BrowserBench(landscape)
                    bench.options.isHeadless = false
                    bench.options.environment["DISPLAY"] = display.name
                    bench.options.environment["WAYLAND_DISPLAY"] = nil
                    try await body(&bench)
                }
            }
        }

        @Test func aLoginInAWindowComesToItsEnd() async throws {
            try await withWindow { bench in
                bench.redirect("/start", to: "/finish", headers: "Set-Cookie: a=1; HttpOnly\r\n")
                let outcome = try await bench.perform(try bench.login())
                #expect(outcome.cookies.map(\.name) == ["a"])
                #expect(bench.landscape.count(path: "/finish") == 0)
            }
        }

        @Test func aClosedWindowIsACancellation() async throws {
            try await withWindow { bench in
                bench.page("/start", "waiting")
                let before = BrowserBench.remains()
                let browser = try await BrowserProcess.start(
                    try BrowserFinder().find(nil), isHeadless: false, authorityPEM: nil,
                    environment: bench.options.environment)
                let task = Task { [bench] in
                    try await bench.strategy.follow(bench.login(), in: bench.context(), browser)
                }
                try await bench.landscape.waitFor(count: 1, path: "/start")
                let targets = try await browser.connection.call("Target.getTargets", within: .seconds(60))
                let page = try #require(targets["targetInfos"]?.elements.first { $0["type"]?.text == "page" })
                browser.connection.send("Target.closeTarget", ["targetId": try #require(page["targetId"])])
                let error = await #expect(throws: WebLoginError.self) { _ = try await task.value }
                #expect(error?.code == .cancelled)
                await browser.end()
                #expect(BrowserBench.remains().subtracting(before) == [])
            }
        }

        @Test func withoutADisplayThereIsNoWindow() async throws {
            try await withLandscape { landscape in
                var bench = try BrowserBench(landscape)
                bench.options.isHeadless = false
                bench.options.environment["DISPLAY"] = nil
                bench.options.environment["WAYLAND_DISPLAY"] = nil
                let error = try await bench.failure(try bench.login())
                #expect(error.code == .browserFailed)
                #expect(error.message.contains("no display"))
            }
        }
    }
}
#endif
