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
    /// Requests to servers that are shown a client certificate go through the conversation.
    @Suite(.landscape) struct HeldRequestTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        /// A provider for one server. It has no identity, because the test's transport never asks for one.
        private struct Provider: ClientCertProvider {
            let origin: Origin
            var isInteractive: Bool { false }
            func serves(_ destination: CredentialDestination) -> Bool { destination.target.origin == origin }
            func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity { .none }
        }

        private func bench(_ site: HeldSite) throws -> BrowserBench {
            var bench = try BrowserBench(landscape)
            let target = try TargetURL(HeldSite.base)
            bench.configuration.challengeFilters.add(
                ClientCertificateFilter(providers: [Provider(origin: target.origin)]))
            bench.transport = site
            bench.targets.append(target)
            return bench
        }

        private func fields(_ name: String, _ value: String) throws -> HTTPFields {
            var fields = HTTPFields()
            fields.append(try HTTPField(checking: name, value))
            return fields
        }

        private func start(_ bench: BrowserBench) throws -> WebLogin {
            try bench.login(from: URL(string: HeldSite.base + "/start"))
        }

        @Test func formsCookiesAndRedirects() async throws {
            let site = HeldSite([
                "GET /start": HeldSite.page(
                    """
                    <form method="post" action="/next"><input name="user" value="älice &amp; co"></form>
                    <script>document.title = document.cookie; document.forms[0].submit()</script>
                    """,
                    HeldSite.setting(
                        "strict=1; Path=/; HttpOnly; Secure; SameSite=Strict", "page=2; Secure",
                        "deep=3; Path=/deep; Secure", "foreign=4; Domain=example.com; Secure",
                        "gone=5; Max-Age=0; Secure")),
                "POST /next": .init(
                    .found, HeldSite.setting("after=6; Secure; HttpOnly", fields: [.location: "/hop"])),
                "GET /hop": .init(.seeOther, [.location: "/finish?x=1"]),
            ])
            let bench = try bench(site)
            bench.configuration.session.cookies.insert(
                Cookie(
                    name: "brought", value: "0", domain: "held.localhost", isHostOnly: true, isSecure: true,
                    isHttpOnly: true))
            let outcome = try await bench.perform(try start(bench))
            #expect(site.lines == ["GET /start", "POST /next", "GET /hop"])
            #expect(outcome.finish.value == HeldSite.base + "/finish?x=1")
            func cookies(_ line: String) -> [String] {
                (site.arrival(line)?.fields[.cookie] ?? "").split(separator: "; ").map(String.init).sorted()
            }
            #expect(cookies("GET /start") == ["brought=0"])
            #expect(cookies("POST /next") == ["brought=0", "page=2", "strict=1"])
            #expect(cookies("GET /hop") == ["after=6", "brought=0", "page=2", "strict=1"])
            let post = try #require(site.arrival("POST /next"))
            #expect(post.body == "user=%C3%A4lice+%26+co")
            #expect(post.fields[.contentType] == "application/x-www-form-urlencoded")
            #expect(post.fields[.origin] == HeldSite.base)
            let back = Dictionary(grouping: outcome.cookies, by: \.name).compactMapValues(\.first)
            #expect(Set(back.keys) == ["after", "brought", "deep", "page", "strict"])
            #expect(back["strict"]?.isHttpOnly == true && back["strict"]?.sameSite == "Strict")
            #expect(back["strict"]?.isSecure == true && back["strict"]?.isHostOnly == true)
            #expect(back["deep"]?.path == "/deep" && back["page"]?.isHttpOnly == false)
        }

        /// A document's requests to its own server, even without a `Referer`.
        @Test(arguments: ["strict-origin", "no-referrer"])
        func whatAPageAsksOfItsOwnServer(policy: String) async throws {
            let site = HeldSite([
                "GET /start": HeldSite.page(
                    """
                    <script src="/script.js"></script>
                    """, try fields("Referrer-Policy", policy)),
                "GET /script.js": .init(
                    .ok, [.contentType: "text/javascript"],
                    body: """
                        fetch('/api', {method: 'PUT', body: 'what', headers: {'X-Own': '1'}})
                          .then(answer => answer.json()).then(json => location = json.next)
                        """),
                "PUT /api": .init(
                    .ok, HeldSite.setting("api=1; Secure", fields: [.contentType: "application/json"]),
                    body: #"{"next": "/finish"}"#),
            ])
            let bench = try bench(site)
            let outcome = try await bench.perform(try start(bench))
            #expect(site.lines == ["GET /start", "GET /script.js", "PUT /api"])
            let put = try #require(site.arrival("PUT /api"))
            #expect(
                put.body == "what" && put.fields.contains { $0.name.canonicalName == "x-own" && $0.value == "1" })
            #expect(put.fields[.origin] == HeldSite.base)
            #expect(outcome.cookies.map(\.name) == ["api"])
        }

        /// A page stays if the answer to a navigation is empty.
        @Test func aPageThatStaysAsksItsOwnServer() async throws {
            let site = HeldSite([
                "GET /start": HeldSite.page(
                    """
                    <script>
                    const ask = () => fetch('/api').then(answer => answer.text()).then(
                      next => { location = next }, () => setTimeout(ask, 100));
                    onload = () => { location = '/empty'; setTimeout(ask, 300) }
                    </script>
                    """, try fields("Referrer-Policy", "no-referrer")),
                "GET /empty": .init(.noContent),
                "GET /api": .init(.ok, [.contentType: "text/plain"], body: "/finish"),
            ])
            let bench = try bench(site)
            _ = try await bench.perform(try start(bench))
            #expect(site.lines == ["GET /start", "GET /empty", "GET /api"])
        }

        /// A page of another server requests one that may be shown the certificate: the browser sends it without.
        @Test func whatAnotherServersPageAsks() async throws {
            var bench = try BrowserBench(landscape)
            let asked = landscape.urlString(.mutualOptional, "/certificate").replacingOccurrences(
                of: "127.0.0.1", with: "localhost")
            let site = HeldSite([:])
            bench.configuration.challengeFilters.add(
                ClientCertificateFilter(providers: [Provider(origin: try TargetURL(asked).origin)]))
            bench.transport = site
            bench.options.authorityPEM = landscape.certificates.authorityPEM
            bench.page(
                "/start",
                """
                <meta name="referrer" content="no-referrer">
                <img src="\(asked)?image"><script>
                const ask = options => fetch('\(asked)?fetch', options).then(r => r.text()).catch(() => 'no');
                Promise.all([ask({credentials: 'include'}), ask({method: 'PUT', body: 'x'}), ask({mode: 'no-cors'})])
                  .then(answers => { location = '/finish?' + answers.join() })
                </script>
                """)
            let outcome = try await bench.perform(try bench.login())
            #expect(outcome.finish.value.hasSuffix("/finish?no,no,"))
            let arrived = landscape.requests(path: "/certificate", origin: .mutualOptional)
            #expect(arrived.contains { $0.target.hasSuffix("?fetch") })
            #expect(arrived.allSatisfy { $0.certificate == nil && $0.method != "PUT" })
            #expect(site.lines.isEmpty)
        }

        /// A page that another server's page opens or embeds follows its own server's rules about frames.
        @Test func framesObeyTheirServer() async throws {
            let page = { (name: String) in "<script>top.postMessage('\(name)', '*')</script>" }
            let site = HeldSite([
                "GET /closed": HeldSite.page(page("closed"), try fields("X-Frame-Options", "DENY")),
                "GET /open": HeldSite.page(page("open")),
            ])
            let bench = try bench(site)
            bench.page(
                "/start",
                """
                <script>let seen = []; onmessage = event => seen.push(event.data)</script>
                <iframe src="\(HeldSite.base)/closed" onload="this.nextElementSibling.src = '\(HeldSite.base)/open'">
                </iframe><iframe></iframe>
                <script>setInterval(() => { if (seen.length) location = '/finish?' + seen.join() }, 300)</script>
                """)
            let outcome = try await bench.perform(try bench.login())
            #expect(outcome.finish.value.hasSuffix("/finish?open"))
            #expect(site.lines == ["GET /closed", "GET /open"])
        }

        @Test func passwordsBehindTheCertificate() async throws {
            let site = HeldSite(
                [
                    "GET /start": HeldSite.page("<script>location = '/next'</script>"),
                    "GET /next": .init(.found, [.location: "/finish"]),
                ], wantsPassword: true)
            var bench = try bench(site)
            bench.configuration.challengeFilters.add(
                UsernamePasswordFilter(providers: [
                    try StaticCredentialProvider(
                        username: "alice", password: "wonderland", for: [HeldSite.base])
                ]))
            _ = try await bench.perform(try start(bench))
            // The password is asked for once in a login.
            #expect(site.arrivals.map { $0.fields[.authorization] != nil } == [false, true, true])
        }

        // MARK: Requests that cannot be held

        @Test func tooLarge() async throws {
            let site = HeldSite([
                "GET /start": HeldSite.page(String(repeating: "x", count: HeldRequests.maximumBody + 1))
            ])
            let error = try await failure(site)
            #expect(error.code == .pageFailed, "\(error)")
            #expect(error.message.contains("--web terminal"), "\(error)")
        }

        @Test func aServerThatWantsAnotherCertificate() async throws {
            let site = HeldSite([
                "GET /start": .failure(ConversationError(.clientCertificateRequired, "It demands one."))
            ])
            let error = try await failure(site)
            #expect(error.code == .pageFailed && error.message.contains("It demands one."), "\(error)")
        }

        @Test func aWebSocket() async throws {
            let site = HeldSite([
                "GET /start": HeldSite.page("<script>new WebSocket('wss://held.localhost/socket')</script>")
            ])
            let error = try await failure(site)
            #expect(error.message.contains("WebSocket to https://held.localhost"), "\(error)")
            #expect(error.message.contains("--web terminal"), "\(error)")
        }

        /// A missing image does not end the login.
        @Test func whatIsNoPageMayFail() async throws {
            let site = HeldSite([
                "GET /start": HeldSite.page("<img src='/picture' onerror=\"location = '/finish'\">"),
                "GET /picture": .failure(ConversationError(.connectionFailed, "Nobody there.")),
            ])
            let bench = try bench(site)
            _ = try await bench.perform(try start(bench))
            #expect(site.lines == ["GET /start", "GET /picture"])
        }

        private func failure(_ site: HeldSite) async throws -> WebLoginError {
            var bench = try bench(site)
            bench.options.stallLimit = .seconds(3)
            return try await bench.failure(try start(bench))
        }
    }
}
#endif
