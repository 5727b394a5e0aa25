#if os(Linux)
import Foundation
import HttpConvAuthFlows
import LandscapeSupport
import Synchronization
import Testing

@testable import HttpConvWebStrategies
@testable import HttpConversation

extension ChromiumTests {
    /// The browser uses the conversation's proxies, and sends passwords for proxies to them only.
    @Suite(.landscape) struct ProxyTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        /// A provider for the proxy, or for servers.
        private final class Provider: UsernamePasswordProvider {
            let proxies: Bool
            let password: String
            private let asked = Mutex(0)
            var count: Int { asked.withLock { $0 } }

            init(proxies: Bool, _ password: String) {
                self.proxies = proxies
                self.password = password
            }

            func serves(_ destination: CredentialDestination) -> Bool { !proxies }
            func serves(_ proxy: ProxyServer) -> Bool { proxies }
            var isInteractive: Bool { false }
            func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
                asked.withLock { $0 += 1 }
                let user = proxies ? "paula" : "alice"
                return .credential(UsernamePassword(username: user, password: password), persistence: .session)
            }
        }

        private func bench(
            _ landscape: Landscape, _ kind: ProxyServer.Kind = .http, login: ProxyLogin? = nil,
            bypass: ProxyBypassList = ""
        ) throws -> BrowserBench {
            var bench = try BrowserBench(landscape)
            let port = landscape.port(kind == .https ? .secureProxy : .proxy)
            let proxy = try ProxyServer(kind, host: "127.0.0.1", port: port, login: login)
            bench.configuration.proxies = ProxySettings(http: proxy, https: proxy, bypass: bypass)
            bench.options.authorityPEM = landscape.certificates.authorityPEM
            // A page over http whose frame needs the server's own password, then one over TLS.
            let frame = landscape.urlString(.main, "/basic/realm1/page")
            let secure = landscape.urlString(.secure, "/redirect/302?to=\(landscape.urlString(.raw, "/finish"))")
            bench.page("/start", "<iframe src='\(frame)' onload=\"location = '\(secure)'\"></iframe>")
            return bench
        }

        @Test(arguments: [ProxyServer.Kind.http, .https, .socks5])
        func everythingGoesThroughTheProxy(kind: ProxyServer.Kind) async throws {
            var bench = try bench(landscape, kind)
            bench.configuration.challengeFilters.add(
                UsernamePasswordFilter(providers: [Provider(proxies: false, "wonderland")]))
            _ = try await bench.perform(try bench.login())
            let records = landscape.proxyRecords
            let pages = landscape.requests().filter { $0.status == 200 }
            #expect(pages.map(\.path).contains("/basic/realm1/page") && pages.map(\.path).contains("/start"))
            let expected: Set<ProxyRecord.Kind> = kind == .socks5 ? [.socks5] : [.absolute, .connect]
            #expect(expected.isSubset(of: Set(records.map(\.kind))), "\(records.map(\.target))")
        }

        @Test(arguments: [true, false]) func eachGetsItsOwnPassword(isConfigured: Bool) async throws {
            landscape.proxyRule = LandscapeProxyRule(authentication: .basic)
            let secret = landscape.proxyRule.user.password
            let login = isConfigured ? ProxyLogin(username: "paula", password: secret) : nil
            var bench = try bench(landscape, login: login)
            let (forServers, forProxies) = (Provider(proxies: false, "wonderland"), Provider(proxies: true, secret))
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(forServers)
            configurator.add(forProxies)
            bench.configuration.apply(configurator)
            _ = try await bench.perform(try bench.login())
            #expect(landscape.requests(path: "/basic/realm1/page").last?.status == 200)
            #expect(landscape.proxyRecords.contains { $0.user == "paula" })
            #expect((forProxies.count > 0) == !isConfigured && forServers.count > 0)
            let forProxy = landscape.proxyRecords.flatMap { $0.values(of: "Proxy-Authorization") }
            #expect(!forProxy.contains { $0.contains("YWxpY2U6") || $0.contains("alice") })
            let fields = landscape.requests().flatMap(\.fields)
            #expect(
                !fields.contains { $0.name.lowercased() == "proxy-authorization" || $0.value.contains("cGF1bGE6") })
        }

        @Test func aWrongPasswordEndsTheLogin() async throws {
            landscape.proxyRule = LandscapeProxyRule(authentication: .basic)
            let bench = try bench(landscape, login: ProxyLogin(username: "paula", password: "wrong"))
            let secure = try bench.login(from: landscape.url(.secure, "/json"))
            let error = try await bench.failure(secure)
            #expect(error.code == .pageFailed, "\(error)")
            #expect(landscape.proxyRecords.count { !$0.values(of: "Proxy-Authorization").isEmpty } == 1)
            #expect(landscape.requests().isEmpty)
        }

        /// Loopback bypasses the proxy only if the list says so, although the browser would always let it.
        @Test(
            arguments: [("127.0.0.0/8", false), ("localhost", true), ("example.com", true)] as [(ProxyBypassList, Bool)]
        )
        func whatGoesAroundIsWhatTheListSays(bypass: ProxyBypassList, isUsed: Bool) async throws {
            let bench = try bench(landscape, bypass: bypass)
            _ = try await bench.perform(try bench.login())
            // The browser also sends requests of its own to other hosts.
            let ours = landscape.proxyRecords.filter { $0.target.contains("127.0.0.1") }
            #expect(ours.isEmpty != isUsed, "\(ours.map(\.target))")
        }

        @Test func aPasswordForSOCKSIsNothingItCanSay() async throws {
            let bench = try bench(landscape, .socks5, login: ProxyLogin(username: "paula", password: "canary"))
            let error = try await bench.failure(try bench.login())
            #expect(error.code == .invalidConfiguration && error.message.contains("--web terminal"))
            #expect(!error.message.contains("canary"))
        }
    }
}

@Suite struct BrowserProxyTests {
    private static let local = "<-loopback>;localhost;*.localhost;127.0.0.0/8;0:0:0:0:0:0:0:1/128"

    @Test(
        arguments: [
            (["all_proxy": "http://a:b@p"], "", "http://p:1080", local),
            (["http_proxy": "p:1", "https_proxy": "https://q"], "", "http=http://p:1;https=https://q:443", local),
            (["https_proxy": "socks5h://[::1]:2"], "", "https=socks5://[::1]:2", local),
            (
                ["all_proxy": "p"], ".b.example, a, 10.0.0.0/8, ::1", "http://p:1080",
                "<-loopback>;a;*.a;b.example;*.b.example;localhost;*.localhost;10.0.0.0/8;0:0:0:0:0:0:0:1/128;127.0.0.0/8"
            ),
        ] as [([String: String], ProxyBypassList, String, String)])
    func isSaidInTheBrowsersWords(
        variables: [String: String], bypass: ProxyBypassList, server: String, rules: String
    ) throws {
        let proxy = try BrowserProxy(.environment(variables, bypass: bypass))
        #expect(proxy.arguments == ["--proxy-server=\(server)", "--proxy-bypass-list=\(rules)"])
    }

    @Test func aNamedProxyIsForThisMachine() throws {
        let proxy = try BrowserProxy(.always(ProxyServer("p")))
        #expect(proxy.arguments.last == "--proxy-bypass-list=<-loopback>")
    }

    @Test func withoutOneTheDesktopsIsNotUsed() throws {
        for settings in [
            ProxySettings.none, .environment(["HTTP_PROXY": "p"]), .environment(["all_proxy": "p", "no_proxy": "*"]),
        ] {
            #expect(try BrowserProxy(settings).arguments == ["--no-proxy-server"])
        }
    }

    @Test func oneThatIsNoneIsAnError() {
        #expect(throws: ConversationError.self) { try BrowserProxy(.environment(["https_proxy": "ftp://p"])) }
    }

    /// A variable may contain a password (security rule S17).
    @Test func theBrowsersEnvironmentKnowsNoProxy() {
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "HTTP_PROXY"]
        let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "http://u:canary@p") })
        #expect(BrowserEnvironment.scrubbed(environment.merging(["PATH": "/bin"]) { $1 }) == ["PATH": "/bin"])
    }
}
#endif
