#if os(Linux)
import Foundation
import LandscapeSupport
import Testing

@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// A button with `formmethod=dialog` closes a dialog and sends nothing.
    @Suite(.landscape) struct DialogButtonTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        @Test(arguments: ["<button formmethod=dialog>Close</button>", "<input type=submit formmethod=DIALOG name=go>"])
        func isNotPressed(button: String) async throws {
            var bench = try BrowserBench(landscape)
            bench.options.answers = try FormAnswers(
                ["user": .text("alice"), "password": .text("secret"), "go": .text("1")],
                origins: [landscape.url(.raw, "/")])
            bench.options.stallLimit = .seconds(3)
            bench.page(
                "/start",
                "<form action=/finish>\(button)<input name=user><input type=password name=password>"
                    + "<button>Log in</button></form>")
            let outcome = try await bench.perform(bench.login())
            #expect(URL(string: outcome.finish.value)?.query == "user=alice&password=secret")
        }
    }
}
#endif
