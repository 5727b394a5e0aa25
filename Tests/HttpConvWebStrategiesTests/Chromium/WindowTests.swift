#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation
import TestLandscape
import TestSupport
import Testing

@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// A real window on a virtual display.
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
                // A page that is being loaded would stay.
                var page: JSONValue?
                while page == nil {
                    let targets = try await browser.connection.call("Target.getTargets", within: .seconds(60))
                    page = targets["targetInfos"]?.elements.first {
                        $0["type"]?.text == "page" && $0["url"]?.text?.hasSuffix("/start") == true
                    }
                    try await Task.sleep(for: .milliseconds(10))
                }
                browser.connection.send("Target.closeTarget", ["targetId": try #require(page?["targetId"])])
                let error = await #expect(throws: WebLoginError.self) { _ = try await task.value }
                #expect(error?.code == .cancelled)
                await browser.end()
                #expect(BrowserBench.remains().subtracting(before) == [])
            }
        }

        /// The window as a person sees it. `scripts/screenshot` keeps the picture.
        @Test func theWindowShowsThePage() async throws {
            try await withWindow { bench in
                let folder = try TemporaryPlace.folder("shot")
                defer { try? FileManager.default.removeItem(at: folder) }
                let picture = folder.appending(path: "window.png").path(percentEncoded: false)
                var environment = Program.environment
                environment["DISPLAY"] = bench.options.environment["DISPLAY"]
                let arguments = ["-window", "root", "-trim", "+repage", "-colors", "64", picture]
                let size = {
                    _ = try await Program.run("/usr/bin/import", arguments, environment: environment)
                    return try Data(contentsOf: URL(filePath: picture)).count
                }
                #expect(try await size() < 1_000)
                let start = try #require(URL(string: bench.landscape.finishEndpoint(.main, variant: "post-post")))
                let task = Task { [bench] in try await bench.perform(bench.login(from: start)) }
                // At first the picture is black with a white window.
                while try await size() < 3_000 { try await Task.sleep(for: .milliseconds(100)) }
                #expect(bench.landscape.samlCounters.loginForms == 1)
                if let kept = environment["SCREENSHOT"] {
                    try Data(contentsOf: URL(filePath: picture)).write(to: URL(filePath: kept))
                }
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
            }
        }

        @Test func withoutADisplayThereIsNoWindow() async throws {
            try await withLandscape { landscape in
                var bench = try BrowserBench(landscape)
                bench.options.isHeadless = false
                bench.options.environment["DISPLAY"] = nil
                bench.options.environment["WAYLAND_DISPLAY"] = nil
                let error = try await bench.failure(try bench.login())
                #expect(error.code == .noWindow)
                #expect(error.message.contains("no display"))
            }
        }

        /// A display that is named and does not answer.
        @Test func aDisplayThatIsGone() async throws {
            try await withLandscape { landscape in
                var bench = try BrowserBench(landscape)
                bench.options.isHeadless = false
                bench.options.environment["DISPLAY"] = ":54321"
                bench.options.environment["WAYLAND_DISPLAY"] = nil
                let error = try await bench.failure(try bench.login())
                #expect(error.code == .noWindow, "\(error)")
                #expect(landscape.count(path: "/start") == 0)
            }
        }

        /// The window shows whose page it is, and the browser keeps no password.
        @Test func theWindowIsAnOrdinaryOne() async throws {
            try await withWindow { bench in
                bench.page(
                    "/start", "<script>location = '/finish?' + [locationbar.visible, toolbar.visible].join()</script>")
                let outcome = try await bench.perform(try bench.login())
                #expect(outcome.finish.value.hasSuffix("/finish?true,true"), "\(outcome.finish.value)")
            }
        }

        @Test func theProfileKeepsNoPasswords() throws {
            let profile = try BrowserProfile()
            defer { profile.remove() }
            let file = profile.profile + "/Default/Preferences"
            let text = try #require(JSONValue(Array(Data(contentsOf: URL(filePath: file)))))
            #expect(text["credentials_enable_service"]?.bool == false)
            #expect(text["profile"]?["password_manager_enabled"]?.bool == false)
            #expect(text["net"]?["network_prediction_options"] == .integer(2))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }

        /// The person is asked about a session at an origin that nobody has named, after the window is gone.
        @Test(arguments: [true, false]) func aSessionThatNobodyNamedIsAQuestion(isKept: Bool) async throws {
            try await withWindow { bench in
                bench.options.closingTime = .zero
                let asked = AskedOrigins()
                let before = BrowserBench.remains()
                bench.options.confirmsSession = { origin in
                    await asked.add(origin, hasBrowser: !BrowserBench.remains().subtracting(before).isEmpty)
                    return isKept
                }
                let port = bench.landscape.port(.raw)
                bench.redirect("/start", to: "http://localhost:\(port)/idp", headers: "Set-Cookie: own=1\r\n")
                bench.page(
                    "/idp", "<script>onload = () => location = 'http://127.0.0.1:\(port)/finish'</script>",
                    headers: "Set-Cookie: SSO=1; HttpOnly\r\n")
                let policy = try SingleSignOnPolicy(origins: [])
                let store = SingleSignOnStore()
                let context = try bench.context()
                let strategy = SingleSignOnStrategy(bench.strategy, at: policy, in: store)
                let outcome = try await strategy.perform(try bench.login(), in: context)
                let idp = try TargetURL("http://localhost:\(port)/").origin
                #expect(await asked.origins == [idp])
                #expect(await !asked.hadBrowser)
                #expect(outcome.cookies.map(\.name) == ["own"])
                #expect(try await store.origins(for: policy) == (isKept ? [idp] : []))
            }
        }

        private actor AskedOrigins {
            var origins: [Origin] = []
            var hadBrowser = false
            func add(_ origin: Origin, hasBrowser: Bool) {
                origins.append(origin)
                hadBrowser = hadBrowser || hasBrowser
            }
        }

        /// The last page says for a moment that the login is over. The login stays done if the browser ends meanwhile.
        @Test func theWindowSaysThatTheLoginIsOver() async throws {
            try await withWindow { bench in
                bench.options.closingTime = .seconds(60)
                bench.redirect("/start", to: "/finish", headers: "Set-Cookie: a=1\r\n")
                let before = BrowserBench.remains()
                let browser = try await BrowserProcess.start(
                    try BrowserFinder().find(nil), isHeadless: false, authorityPEM: nil,
                    environment: bench.options.environment)
                let task = Task { [bench] in
                    try await bench.strategy.follow(bench.login(), in: bench.context(), browser)
                }
                var titles: [String] = []
                while !titles.contains("Login finished") {
                    let targets = try await browser.connection.call("Target.getTargets", within: .seconds(60))
                    titles = targets["targetInfos"]?.elements.compactMap { $0["title"]?.text } ?? []
                    try await Task.sleep(for: .milliseconds(10))
                }
                kill(try BrowserBench.browser(), SIGKILL)
                #expect(try await task.value.cookies.map(\.name) == ["a"])
                #expect(await browser.end() == 137)
                #expect(bench.landscape.count(path: "/finish") == 0)
                #expect(BrowserBench.remains().subtracting(before) == [])
            }
        }
    }
}
#endif
