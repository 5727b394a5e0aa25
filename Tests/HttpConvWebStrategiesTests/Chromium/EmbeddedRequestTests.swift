#if os(Linux)
import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import LandscapeSupport
import Testing

@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// Requests of pages to other servers, if the browser cannot reach any of them.
    @Suite(.landscape) struct EmbeddedRequestTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        /// A provider for all servers. It has no certificate, because the transport asks for none.
        private struct Provider: ClientCertProvider {
            var isInteractive: Bool { false }
            func serves(_ destination: CredentialDestination) -> Bool { true }
            func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity { .none }
        }

        private static let other = "https://static.localhost"

        /// Performs a login whose pages only the conversation can fetch. There are a password and a certificate for all
        /// servers.
        private func perform(
            _ pages: [String: ScriptedTransport.Answer], cookies: [Cookie] = [],
            wantsPassword: Bool = false, stallLimit: Duration? = nil
        ) async throws -> (site: HeldSite, outcome: WebLoginOutcome) {
            let site = HeldSite(pages, wantsPassword: wantsPassword, connectionPolicy: ConnectionPolicy([.authorities]))
            var bench = try BrowserBench(landscape)
            bench.transport = site
            bench.targets += [try TargetURL(HeldSite.base), try TargetURL(Self.other)]
            if let stallLimit { bench.options.stallLimit = stallLimit }
            bench.configuration.challengeFilters.add(ClientCertificateFilter(providers: [Provider()]))
            bench.configuration.challengeFilters.add(
                UsernamePasswordFilter(providers: [
                    try StaticCredentialProvider(
                        username: "alice", password: "wonderland", for: [HeldSite.base, Self.other])
                ]))
            for cookie in cookies { bench.configuration.session.cookies.insert(cookie) }
            let outcome = try await bench.perform(
                try bench.login(from: URL(string: HeldSite.base + "/start")))
            return (site, outcome)
        }

        private func isAnonymous(_ arrival: HeldSite.Arrival) -> Bool {
            !arrival.presentsIdentity && arrival.fields[.authorization] == nil
                && arrival.fields.contains {
                    $0.name.canonicalName == "sec-fetch-site" && $0.value == "cross-site"
                }
        }

        private static func script(_ text: String, _ fields: HTTPFields = [:]) -> ScriptedTransport.Answer {
            var fields = fields
            fields[.contentType] = "text/javascript"
            return .init(.ok, fields, body: text)
        }

        /// The form of the page does nothing without the script of the other server.
        @Test func aLoginThatNeedsAnotherServersScript() async throws {
            let (site, outcome) = try await perform([
                "GET /start": HeldSite.page(
                    "<form method=post><input name=user value=alice></form><script src='\(Self.other)/form.js'></script>"
                ),
                "GET /form.js": Self.script("document.forms[0].action = '/next'; document.forms[0].submit()"),
                "POST /next": .init(.seeOther, [.location: "/finish"]),
            ])
            #expect(outcome.finish.value == HeldSite.base + "/finish")
            #expect(site.lines == ["GET /start", "GET /form.js", "POST /next"])
            let embedded = try #require(site.arrival("GET /form.js"))
            #expect(embedded.host == "static.localhost" && isAnonymous(embedded), "\(embedded)")
            // The page itself may show a certificate.
            #expect(site.arrival("GET /start")?.presentsIdentity == true)
        }

        /// Markup that sends a request to the other server, that request, and the result that the page sees.
        @Test(
            arguments: [
                ("<img src='O/x.svg' onload=\"told('shown')\" onerror=\"told('failed')\">", "GET /x.svg", "shown"),
                ("<link rel=stylesheet href='O/x.css' onload=\"told('applied')\">", "GET /x.css", "applied"),
                ("<script type=module src='O/free.js'></script>", "GET /free.js", "ran"),
                (
                    "<script>new FontFace('f', \"url('O/x')\").load().catch(() => told('refused'))</script>", "GET /x",
                    "refused"
                ),
                ("<script>ask('O/free')</script>", "GET /free", "text"),
                ("<script>ask('O/x')</script>", "GET /x", "refused"),
                ("<script>ask('O/free', {method: 'PUT', body: 'x'})</script>", "OPTIONS /free", "refused"),
                ("<script>ask('O/x', {mode: 'no-cors', method: 'POST', body: 'x'})</script>", "POST /x", ""),
                (
                    "<script>const x = new XMLHttpRequest(); x.open('GET', 'O/free'); x.onload = () => told(x.responseText);"
                        + " x.send()</script>", "GET /free", "text"
                ),
                ("<script>navigator.sendBeacon('O/x', 'x'); ask('O/free')</script>", "POST /x", "text"),
                ("<script>new Worker('/worker.js').onmessage = e => told(e.data)</script>", "GET /free", "text"),
                ("<script src='O/closed.js' onerror=\"told('refused')\"></script>", "GET /closed.js", "refused"),
            ])
        func kinds(markup: String, line: String, told: String) async throws {
            let consent: HTTPFields = [.accessControlAllowOrigin: "*", .contentType: "text/plain"]
            var closed = HTTPFields()
            closed.append(try HTTPField(checking: "Cross-Origin-Resource-Policy", "same-origin"))
            let told = told
            let (site, outcome) = try await perform([
                "GET /start": HeldSite.page(
                    """
                    <script>
                    const told = text => { location = '/finish?' + text }
                    const ask = (url, options) =>
                      fetch(url, options).then(r => r.text()).then(told, () => told('refused'))
                    </script>
                    """ + markup.replacing("O/", with: Self.other + "/")),
                "GET /worker.js": Self.script(
                    "fetch('\(Self.other)/free').then(r => r.text()).then(postMessage, () => postMessage('refused'))"
                ),
                "GET /x.svg": .init(
                    .ok, [.contentType: "image/svg+xml"],
                    body: "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>"),
                "GET /x.css": .init(.ok, [.contentType: "text/css"], body: "p { color: red }"),
                "GET /free.js": Self.script("told('ran')", [.accessControlAllowOrigin: "*"]),
                "GET /closed.js": Self.script("told('ran')", closed),
                "GET /free": .init(.ok, consent, body: "text"),
                "OPTIONS /free": .init(.ok, consent),
            ])
            #expect(outcome.finish.value == HeldSite.base + "/finish?" + told)
            let arrivals = site.arrivals.filter { $0.host == "static.localhost" }
            #expect(arrivals.contains { $0.line == line }, "\(site.lines)")
            #expect(arrivals.allSatisfy(isAnonymous), "\(arrivals)")
            #expect(!site.lines.contains { $0.hasPrefix("PUT") })
        }

        /// The browser's own rules decide which cookies are sent and stored.
        @Test func cookiesAreTheBrowsers() async throws {
            func cookie(_ name: String, _ sameSite: String) -> Cookie {
                Cookie(
                    name: name, value: "1", domain: "static.localhost", isHostOnly: true, isSecure: true,
                    sameSite: sameSite)
            }
            let (site, outcome) = try await perform(
                [
                    "GET /start": HeldSite.page(
                        "<script src='\(Self.other)/form.js'></script><script crossorigin src='\(Self.other)/cors.js'></script>"
                    ),
                    "GET /form.js": Self.script(
                        "", HeldSite.setting("new-none=1; Secure; SameSite=None", "new-lax=1; Secure; SameSite=Lax")
                    ),
                    "GET /cors.js": Self.script("location = '/finish'", [.accessControlAllowOrigin: "*"]),
                ], cookies: [cookie("none", "None"), cookie("lax", "Lax"), cookie("strict", "Strict")])
            #expect(site.arrival("GET /form.js")?.fields[.cookie] == "none=1")
            // The page asks for that script without credentials.
            #expect(site.arrival("GET /cors.js").map { $0.fields[.cookie] == nil } == true)
            let names = Set(outcome.cookies.map(\.name))
            #expect(names.contains("new-none") && !names.contains("new-lax"), "\(names)")
        }

        /// The browser stores cookies of such answers without their partitions.
        @Test func partitionedCookies() async throws {
            let (_, outcome) = try await perform([
                "GET /start": HeldSite.page(
                    "<script src='\(Self.other)/form.js'></script>",
                    HeldSite.setting("own=1; Secure; SameSite=None; Partitioned")),
                "GET /form.js": Self.script(
                    "const frame = document.createElement('iframe'); frame.src = '\(Self.other)/frame';"
                        + "frame.onload = () => { location = '/finish' }; document.documentElement.append(frame)",
                    HeldSite.setting("plain=1; Secure; SameSite=None", "script=1; Secure; SameSite=None; partitioned")),
                "GET /frame": HeldSite.page(
                    "a frame", HeldSite.setting("frame=1; Secure; SameSite=None;Partitioned ; Path=/")),
            ])
            let names = Set(outcome.cookies.map(\.name))
            #expect(names == ["own", "plain"], "\(names)")
        }

        /// Never sent: only the page's own server gets the password.
        @Test func noPassword() async throws {
            let (site, _) = try await perform(
                [
                    "GET /start": HeldSite.page(
                        "<script src='\(Self.other)/form.js' onerror=\"location = '/finish'\"></script>")
                ], wantsPassword: true)
            #expect(site.arrivals.map(\.line) == ["GET /start", "GET /start", "GET /form.js"])
            #expect(site.arrivals.map { $0.fields[.authorization] != nil } == [false, true, false])
        }

        /// The conversation cannot open a WebSocket.
        @Test func aWebSocket() async throws {
            let error = await #expect(throws: WebLoginError.self) {
                _ = try await perform(
                    [
                        "GET /start": HeldSite.page("<script>new WebSocket('wss://static.localhost/socket')</script>")
                    ], stallLimit: .seconds(3))
            }
            #expect(error?.message.contains("WebSocket to https://static.localhost") == true, "\(error as Any)")
            #expect(error?.message.contains("named authorities") == true, "\(error as Any)")
        }
    }
}
#endif
