import Foundation
import HttpC
import LandscapeSupport
import TestSupport
import Testing

@testable import HttpCClient

/// Proxies of the command line, profiles and the environment.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ProxyTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private static let secret = "through-the-wall"

    private func address(_ kind: String = "http", _ user: String = "") -> String {
        "\(kind)://\(user)127.0.0.1:\(landscape.port(kind == "https" ? .secureProxy : .proxy))"
    }

    private func run(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> RunningCommand.Outcome {
        try await sandbox.httpc(["-sS"] + arguments, environment: environment)
    }

    // MARK: Which one

    @Test(arguments: ["http", "https", "socks5h", "socks5"], [LandscapeOrigin.main, .secure])
    func goesThroughEveryKind(kind: String, origin: LandscapeOrigin) async throws {
        let authority = try sandbox.authority(of: landscape)
        let outcome = try await run(
            [
                "--cacert", authority, "--proxy-cacert", authority, "-v", "-x", address(kind), "-u",
                "alice:wonderland", landscape.urlString(origin, "/basic/realm1/page"),
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("\"alice\""))
        #expect(!landscape.proxyRecords.isEmpty)
        let shown = address(kind == "socks5h" ? "socks5" : kind)
        #expect(outcome.errors.contains("through the proxy \(shown)"), "\(outcome.errors)")
    }

    /// The places that name a proxy, and whether it is used.
    static let choices: [(arguments: [String], environment: [String: String], isUsed: Bool)] = [
        (["-x", "PROXY"], [:], true), (["-xPROXY"], [:], true), (["--proxy=PROXY"], [:], true),
        // The environment's is not for this machine (security rule S11).
        ([], ["all_proxy": "PROXY"], false), (["--noproxy", ""], ["http_proxy": "PROXY"], false),
        (["-x", "PROXY"], ["http_proxy": "http://127.0.0.1:1"], true), (["--profile", "work"], [:], true),
        (["--profile", "work"], ["http_proxy": "http://127.0.0.1:1"], true),
        (["--profile", "direct", "-x", "PROXY"], [:], true),
        (["-x", "PROXY", "--noproxy", "*"], [:], false), (["-x", "PROXY", "--noproxy", "127.0.0.0/8"], [:], false),
        (["-x", "PROXY"], ["no_proxy": "127.0.0.1"], false), (["-x", "PROXY"], ["NO_PROXY": "127.0.0.1"], false),
        (["-x", "PROXY", "--noproxy", ""], ["no_proxy": "127.0.0.1"], true),
        (["--profile", "except", "-x", "PROXY"], [:], false),
        (["--profile", "except", "-x", "PROXY", "--noproxy", "other"], [:], true),
    ]

    @Test(arguments: choices.indices) func theNearestWordCounts(_ index: Int) async throws {
        let choice = Self.choices[index]
        try sandbox.write(
            """
            [profiles.work]
            proxy = "\(address())"
            [profiles.direct]
            proxy = ""
            [profiles.except]
            no-proxy = ["127.0.0.1"]
            """, to: "config/httpc/config.toml")
        let fill = { (text: String) in text.replacing("PROXY", with: address()) }
        let outcome = try await run(
            choice.arguments.map(fill) + [landscape.urlString(.main, "/json")], choice.environment.mapValues(fill))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(landscape.count(path: "/json") == 1)
        #expect(landscape.proxyRecords.count == (choice.isUsed ? 1 : 0))
    }

    /// The variables that name a proxy for another machine, and whether it is used.
    static let variables:
        [(proxy: String?, bypass: String?, profile: String?, environment: [String: String], isUsed: Bool)] = [
            (nil, nil, nil, ["http_proxy": "p"], true), (nil, nil, nil, ["all_proxy": "p"], true),
            (nil, nil, nil, ["ALL_PROXY": "p"], true),
            // In a CGI program, `HTTP_PROXY` comes from the client's request.
            (nil, nil, nil, ["HTTP_PROXY": "p"], false), (nil, nil, nil, ["https_proxy": "p"], false),
            ("", nil, nil, ["http_proxy": "p"], false), (nil, nil, "direct", ["http_proxy": "p"], false),
            (nil, nil, nil, ["http_proxy": "p", "no_proxy": "localhost, h"], false),
            (nil, "other", nil, ["http_proxy": "p", "no_proxy": "h"], true),
            (nil, nil, "except", ["http_proxy": "p"], false), (nil, "other", "except", ["http_proxy": "p"], true),
        ]

    @Test(arguments: variables.indices) func theEnvironmentCountsLast(_ index: Int) async throws {
        let choice = Self.variables[index]
        let profiles = try ProfileParser(shownPath: "config.toml", directory: "/", home: nil, isPrivate: true).parse(
            "[profiles.direct]\nproxy = ''\n[profiles.except]\nno-proxy = ['h']\n")
        var connection = ConnectionSettings()
        (connection.proxy, connection.proxyBypass) = (choice.proxy, choice.bypass)
        let target = try TargetURL("http://h/")
        let settings = try await ProxyPlan.settings(
            connection, profiles.first { $0.name == choice.profile }, for: [target], environment: choice.environment)
        #expect(try settings.proxy(for: target)?.origin.host == (choice.isUsed ? "p" : nil))
    }

    /// Security rule S25.
    @Test(arguments: ["ftp://127.0.0.1", "socks4://127.0.0.1", "http://canary:a/b@127.0.0.1", "http://127.1", ":1"])
    func aProxyThatIsNoneIsNotGoneAround(text: String) async throws {
        let url = landscape.urlString(.main, "/json")
        let named = try await run(["-x", text, url])
        #expect(named.status == 2 && named.errors.contains("--proxy"), "\(named.errors)")
        let port = landscape.port(.main)
        let other = ["--resolve", "www.example.com:\(port):127.0.0.1", "http://www.example.com:\(port)/json"]
        let surrounding = try await run(other, ["http_proxy": text])
        #expect(surrounding.status == 2 && surrounding.errors.contains("http_proxy"), "\(surrounding.errors)")
        let around = try await run(["--noproxy", "example.com"] + other, ["http_proxy": text])
        #expect(around.status == 0, "\(around.errors)")
        #expect(!(named.errors + surrounding.errors).contains("canary"))
        #expect(landscape.count(path: "/json") == 1)
    }

    // MARK: Passwords

    @Test(
        arguments: ["http", "https", "socks5h"], [LandscapeProxyRule.Authentication.basic, .digest])
    func thePasswordIsTheProxysAlone(kind: String, authentication: LandscapeProxyRule.Authentication) async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: authentication)
        let authority = try sandbox.authority(of: landscape)
        try sandbox.write(
            """
            [profiles.work]
            proxy = "\(address(kind))"
            proxy-user = "paula"
            proxy-password-env = "PROXY_PASSWORD"
            proxy-cacert = "\(authority)"
            """, to: "config/httpc/config.toml")
        let url = landscape.urlString(.secure, "/basic/realm1/page")
        let base = ["-v", "--cacert", authority, "-u", "alice:wonderland"]
        let trust = ["--proxy-cacert", authority]
        for (arguments, environment) in [
            (trust + ["-x", address(kind), "--proxy-user", "paula:\(Self.secret)"], [:]),
            (trust + ["-x", address(kind, "paula:through%2Dthe%2Dwall@")], [:]),
            (trust + ["-x", address(kind, "x:y@"), "-U", "paula:\(Self.secret)"], [:]),
            (["--profile", "work"], ["PROXY_PASSWORD": Self.secret]),
        ] as [([String], [String: String])] {
            let outcome = try await run(base + arguments + [url], environment)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(landscape.proxyRecords.last?.user == "paula")
            #expect(Canary.forms(of: Self.secret, in: outcome.errors + outcome.text) == [], "\(outcome.errors)")
        }
        let wire = landscape.requests(path: "/basic/realm1/page").flatMap(\.fields).map(\.value).joined(
            separator: " ")
        #expect(Canary.forms(of: Self.secret, in: wire) == [])
        let seen = landscape.proxyRecords.map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
        #expect(Canary.forms(of: "wonderland", in: seen) == [])
    }

    @Test func aRedirectMayLeadThroughTheProxy() async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: .basic)
        let there = "http://localhost:\(landscape.port(.main))/json"
        let outcome = try await run(
            [
                "-f", "--noproxy", "127.0.0.1", "-x", address(), "-U", "paula:\(Self.secret)",
                landscape.urlString(.main, "/redirect/302?to=\(there)"),
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(landscape.proxyRecords.map(\.target).allSatisfy { $0 == there })
        #expect(landscape.proxyRecords.last?.user == "paula")
    }

    @Test(arguments: [LandscapeOrigin.main, .secure])
    func aLoginThatIsMissingIsSaidToBe(origin: LandscapeOrigin) async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: .basic)
        let url = landscape.urlString(origin, "/basic/realm1/page")
        for more in [[], ["-U", "paula:wrong"], ["-u", "paula:\(Self.secret)"]] {
            let outcome = try await run(["-f", "-k", "-x", address()] + more + [url])
            #expect(outcome.status == (origin == .main ? 22 : 56), "\(outcome.errors)")
            #expect(outcome.errors.contains("--proxy-user"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("ProxyServer") && !outcome.errors.contains("Provider"))
            #expect(outcome.text.isEmpty)
        }
        #expect(landscape.count(path: "/basic/realm1/page") == 0)
    }

    @Test func asksForThePasswordWithoutEcho() async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: .digest)
        let line =
            "\(BuiltProduct.httpc) -x \(address()) -U paula \(landscape.urlString(.main, "/json")); stty -a"
        let command = try RunningCommand(onTerminal: line, in: sandbox)
        try await command.waitForOutput("httpc: password of paula for the proxy \(address()): ")
        #expect(landscape.proxyRecords.isEmpty, "asked before anything is sent")
        try command.type("\(Self.secret)\n")
        let outcome = try await command.outcome(after: "speed")
        #expect(landscape.count(path: "/json") == 1, "\(outcome.text)")
        #expect(!outcome.text.contains(Self.secret))
        #expect(outcome.text.contains(" echo "), "echo is back")
    }

    @Test func withoutATerminalItSaysWhatToDo() async throws {
        let outcome = try await sandbox.withoutTerminal(
            "-x", address(), "-U", "paula", landscape.urlString(.main, "/json"))
        #expect(outcome.status == 67)
        #expect(outcome.errors.contains("proxy-password-env"), "\(outcome.errors)")
        #expect(landscape.proxyRecords.isEmpty)
        // No prompt for a proxy that is not used.
        let direct = try await run(
            ["-x", address(), "-U", "paula", "--noproxy", "*", landscape.urlString(.main, "/json")])
        #expect(direct.status == 0, "\(direct.errors)")
    }

    @Test(arguments: [["login"], ["tokens", "--access-token"], ["logout"]])
    func tokenRequestsGoTheSameWay(command: [String]) async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: .basic)
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        let environment = OAuth2Profile.secrets
        let proxy = ["-x", address("http", "paula:\(Self.secret)@")]
        #expect(try await sandbox.httpc(["login"] + proxy, environment: environment).status == 0)
        let outcome = try await sandbox.httpc(command + proxy, environment: environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let passed = landscape.proxyRecords.filter { $0.user == "paula" }
        #expect(passed.count == landscape.requests().count && !passed.isEmpty)
        let direct = try await sandbox.httpc("login", "-x", "http://127.0.0.1:1", environment: environment)
        #expect(direct.status == 7, "\(direct.errors)")
    }

    @Test(arguments: ["terminal", "chromium"]) func webLoginsGoTheSameWay(web: String) async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: .digest)
        let keys = """
            web = "\(web)"
            proxy = "\(address())"
            proxy-user = "paula"
            proxy-password-env = "PROXY_PASSWORD"
            """
        let profile = try WebProfile(landscape, in: sandbox, keys, tables: WebProfile.answers)
        let command = try RunningCommand(
            ["-sS"] + (web == "chromium" ? ["--headless"] : []) + [profile.url("/saml/post-post/x")], in: sandbox,
            environment: WebProfile.environment.merging(["PROXY_PASSWORD": Self.secret]) { $1 })
        let outcome = await command.outcome()
        #expect(outcome.text.contains("\"user\":\"alice\""), "\(outcome.errors)")
        let passed = landscape.proxyRecords.filter { $0.user == "paula" }
        // Compares ports: the identity provider uses another name of this machine.
        let targets = Set(passed.compactMap { $0.target.split(separator: ":", maxSplits: 2).last.map(String.init) })
        let around = landscape.requests().map { "\(landscape.port($0.origin))\($0.target)" }
            .filter { !targets.contains($0) }
        #expect(around.isEmpty && targets.count > 3, "\(around)")
    }

    // MARK: What goes wrong

    @Test(
        arguments: [
            ("unknown host", [5], "http://nowhere.invalid:1", nil), ("nobody listens", [7], "http://127.0.0.1:1", nil),
            ("502 with a page", [56], "PROXY", .badGateway), ("cut", [97], "PROXY", .cut),
            ("no proxy at all", [97], "PROXY", .answers(Array("SSH-2.0-x\r\n".utf8))),
            ("never answers", [28], "PROXY", .silence), ("SOCKS says no", [56], "SOCKS", .socksReply(2)),
            ("SOCKS garbage", [97], "SOCKS", .answers(Array("HTTP/1.1 400\r\n\r\n".utf8))),
            // The garbage may come together with the answer or after it.
            ("garbage in the tunnel", [35, 97], "PROXY", .garbageInTunnel),
        ] as [(String, Set<Int32>, String, LandscapeProxyFault?)])
    func exitStatus(name: String, statuses: Set<Int32>, proxy: String, fault: LandscapeProxyFault?) async throws {
        landscape.proxyRule.fault = fault
        let address = proxy.replacing("PROXY", with: address()).replacing("SOCKS", with: address("socks5"))
        let outcome = try await run(
            [
                "-k", "-c", sandbox.path("jar"), "--connect-timeout", statuses == [28] ? "2" : "30", "-x", address,
                landscape.urlString(.secure, "/json"),
            ])
        #expect(statuses.contains(outcome.status), "\(name): \(outcome.status) \(outcome.errors)")
        #expect(outcome.text.isEmpty, "a proxy's page is nobody's answer")
        #expect(outcome.errors.contains("proxy") || statuses.contains(35) || statuses == [28], "\(outcome.errors)")
        #expect(!String(decoding: sandbox.read("jar") ?? Data(), as: UTF8.self).contains("poison"))
        #expect(landscape.count(path: "/json") == 0)
    }
}
