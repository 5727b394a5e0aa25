#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConvWebStrategies
import HttpConversation
import LandscapeSupport
import Testing

extension ChromiumTests {
    @Suite(.landscape) struct NavigationTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        @Test func theEndIsSeenBeforeItIsSent() async throws {
            let bench = try BrowserBench(landscape)
            bench.redirect("/start", to: "/middle", headers: "Set-Cookie: a=1; HttpOnly\r\n")
            bench.redirect("/middle", to: "/finish?done=1", headers: "Set-Cookie: b=2; Path=/\r\n")
            let outcome = try await bench.perform(try bench.login())
            #expect(outcome.finish.value == landscape.urlString(.raw, "/finish?done=1"))
            #expect(outcome.cookies.map(\.name).sorted() == ["a", "b"])
            #expect(landscape.count(path: "/middle") == 1)
            #expect(landscape.count(path: "/finish") == 0)
        }

        @Test func anEndWithAnotherSchemeIsSeen() async throws {
            let bench = try BrowserBench(landscape)
            bench.redirect("/start", to: "com.example.app:/callback?code=c0de")
            let outcome = try await bench.perform(
                try bench.login(to: "com.example.app:/callback", returnsCookies: false))
            #expect(outcome.finish.value == "com.example.app:/callback?code=c0de")
        }

        @Test func aFrameDoesNotEndTheLogin() async throws {
            let bench = try BrowserBench(landscape)
            bench.page(
                "/start",
                "<iframe src='/finish?frame' onload=\"fetch('/told?frame').then(() => location = '/finish?page')\"></iframe>"
            )
            bench.page("/finish", "a page")
            bench.page("/told", "yes")
            let outcome = try await bench.perform(try bench.login())
            #expect(outcome.finish.value.hasSuffix("/finish?page"))
            #expect(landscape.requests(path: "/finish").map(\.target) == ["/finish?frame"])
        }

        /// The window opens because the form is filled in like by a person.
        @Test func anotherWindowDoesNotEndTheLogin() async throws {
            var bench = try BrowserBench(landscape)
            bench.options.answers = try FormAnswers(["user": .text("alice")], origins: [bench.targets[0].origin])
            bench.page(
                "/start",
                """
                <form onsubmit="event.preventDefault();
                  window.open('/finish?window').onload = () => location = '/finish?page'">
                <input name="user"><button>Go on</button></form>
                """)
            bench.page("/finish", "a page")
            let outcome = try await bench.perform(try bench.login())
            #expect(outcome.finish.value.hasSuffix("/finish?page"))
            #expect(landscape.requests(path: "/finish").map(\.target) == ["/finish?window"])
        }

        /// A window for a link to another application is closed. The page sees it.
        @Test func aWindowForAnotherApplicationIsClosed() async throws {
            var bench = try BrowserBench(landscape)
            bench.options.answers = try FormAnswers(["user": .text("alice")], origins: [bench.targets[0].origin])
            bench.page(
                "/start",
                """
                <form onsubmit="event.preventDefault(); const other = window.open('tel:1');
                  setInterval(() => { if (!other || other.closed) location = '/finish?' + !!other }, 50)">
                <input name="user"><button>Go on</button></form>
                """)
            let outcome = try await bench.perform(try bench.login())
            #expect(outcome.finish.value.hasSuffix("/finish?true"))
        }

        /// A link to another application leaves the page's own requests alone, in a frame and in the page.
        @Test(arguments: ["document.body.append(frame)", "location = frame.src"])
        func aLinkToAnotherApplicationAbortsNothing(script: String) async throws {
            let bench = try BrowserBench(landscape)
            bench.page(
                "/start",
                """
                <body><script>
                const frame = document.createElement('iframe');
                frame.src = 'okta-verify:x';
                fetch('/late').then(() => location = '/finish', () => location = '/finish?failed');
                setTimeout(() => \(script), 500);
                </script>
                """)
            let page = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            landscape.raw.respond(path: "/late", script: WireScript([.pause(.seconds(2)), .bytes(Array(page.utf8))]))
            let outcome = try await bench.perform(try bench.login())
            #expect(outcome.finish.value == landscape.urlString(.raw, "/finish"))
        }

        /// A frame of a window that leads to another application leaves the window open.
        @Test func aWindowWithAFrameForAnotherApplicationStays() async throws {
            var bench = try BrowserBench(landscape)
            bench.options.answers = try FormAnswers(["user": .text("alice")], origins: [bench.targets[0].origin])
            bench.page(
                "/start",
                """
                <form onsubmit="event.preventDefault(); window.open('/window')">
                <input name="user"><button>Go on</button></form>
                """)
            bench.page(
                "/window",
                "<iframe src='tel:1'></iframe><script>setTimeout(() => { opener.location = '/finish' }, 1000)</script>")
            _ = try await bench.perform(try bench.login())
            #expect(landscape.count(path: "/window") == 1)
        }

        /// Without a window, the page's dialogs would block the login for ever.
        @Test func dialogsDoNotStopALoginThatNobodySees() async throws {
            let bench = try BrowserBench(landscape)
            bench.page("/start", "<script>alert('hello'); if (!confirm('?')) location = '/finish'</script>")
            let outcome = try await bench.perform(try bench.login())
            #expect(outcome.finish.value.hasSuffix("/finish"))
        }

        @Test func downloadsAreDenied() async throws {
            let bench = try BrowserBench(landscape)
            bench.page("/start", "<script>location = '/file'; setInterval(() => fetch('/tick'), 50)</script>")
            bench.page("/tick", "")
            bench.page("/file", "canary", headers: "Content-Disposition: attachment; filename=file.bin\r\n")
            let task = Task { try await bench.perform(try bench.login()) }
            try await landscape.waitFor(count: 1, path: "/file")
            let ticks = landscape.count(path: "/tick")
            // Well after the file arrived.
            try await landscape.waitFor(count: ticks + 20, path: "/tick")
            let parent = FileManager.default.temporaryDirectory.path(percentEncoded: false)
            let names = FileManager.default.enumerator(atPath: parent)?.compactMap { $0 as? String } ?? []
            #expect(names.contains { $0.contains("weblogin-") })
            #expect(
                !names.contains { $0.contains("weblogin-") && ($0.hasSuffix(".bin") || $0.contains("crdownload")) })
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }

        @Test func anUnreachableStartIsAClearFailure() async throws {
            let bench = try BrowserBench(landscape)
            landscape.raw.respond(path: "/start", script: WireScript([.reset]))
            let error = try await bench.failure(try bench.login())
            #expect(error.code == .pageFailed)
            #expect(error.message.contains("net::ERR_"))
        }
    }
}
#endif
