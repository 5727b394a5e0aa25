import Foundation
import LandscapeSupport
import Testing

/// The landscape's proxies, as seen by curl.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ProxyTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private func curl(
        _ landscape: Landscape, _ proxy: String, _ url: String, _ more: String...
    ) async throws -> (curl: Curl, status: Int) {
        let authority = try TemporaryFile(contents: Data(landscape.certificates.authorityPEM.utf8))
        let curl = try await Curl.run(
            [
                "-x", proxy, "--cacert", authority.path, "--proxy-cacert", authority.path, "-w",
                "\n%{http_code} %{http_connect}",
            ]
                + more + [url])
        return (curl, Int(curl.text.split(separator: "\n").last?.split(separator: " ").first ?? "") ?? -1)
    }

    private func address(_ landscape: Landscape, _ kind: String) -> String {
        let port = landscape.port(kind == "https" ? .secureProxy : .proxy)
        return kind == "https" ? "https://localhost:\(port)" : "\(kind)://127.0.0.1:\(port)"
    }

    @Test(arguments: ["http", "https", "socks5h"], [LandscapeOrigin.main, .secure])
    func passesRequestsOn(kind: String, origin: LandscapeOrigin) async throws {
        let url = landscape.urlString(origin, "/basic/realm1/page")
        let user = "alice:wonderland"
        let answer = try await curl(landscape, address(landscape, kind), url, "-u", user)
        #expect(answer.status == 200, "\(answer.curl.errors)")
        let record = try #require(landscape.proxyRecords.first)
        let isAbsolute = kind != "socks5h" && origin == .main
        #expect(record.kind == (kind == "socks5h" ? .socks5 : isAbsolute ? .absolute : .connect))
        #expect(record.target == (isAbsolute ? url : "127.0.0.1:\(landscape.port(origin))"))
        let secret = Data(user.utf8).base64EncodedString()
        #expect(record.saw(secret) == (origin == .main), "what is not encrypted is seen")
        #expect(
            landscape.requests(path: "/basic/realm1/page").last?.values(of: "Authorization") == ["Basic \(secret)"])
    }

    @Test(arguments: ["http", "https", "socks5h"], [LandscapeProxyRule.Authentication.basic, .digest])
    func demandsPassword(kind: String, authentication: LandscapeProxyRule.Authentication) async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: authentication)
        let (proxy, url) = (address(landscape, kind), landscape.urlString(.secure, "/json"))
        for wrong in [[], ["--proxy-user", "paula:wrong"], ["--proxy-user", "alice:wonderland"]] {
            let refused = try await Curl.run(
                ["-k", "--proxy-insecure", "--proxy-anyauth", "-x", proxy] + wrong + [url])
            #expect([56, 97].contains(refused.exitCode), "\(refused.errors)")
        }
        #expect(landscape.count(path: "/json") == 0)
        let answer = try await curl(
            landscape, proxy, url, "--proxy-anyauth", "--proxy-user", "paula:through-the-wall")
        #expect(answer.curl.exitCode == 0, "\(answer.curl.errors)")
        #expect(landscape.proxyRecords.last?.user == "paula")
        #expect(landscape.count(path: "/json") == 1)
        #expect(landscape.requests().allSatisfy { $0.values(of: "Proxy-Authorization").isEmpty })
    }

    @Test func keepsConnectionsAndPassesBodiesOn() async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: .digest)
        let body = String(repeating: "x", count: 100_000)
        let url = landscape.urlString(.main, "/upload")
        for more in [["-d", body], ["-H", "Transfer-Encoding: chunked", "-d", body], ["-I"]] {
            let answer = try await Curl.run(
                ["-x", address(landscape, "http"), "--proxy-digest", "--proxy-user", "paula:through-the-wall"]
                    + more
                    + [url, url])
            #expect(answer.exitCode == 0, "\(answer.errors)")
        }
        let records = landscape.proxyRecords
        #expect(Set(records.map(\.connection)).count == 3, "407 and repeated URLs share connections")
        #expect(
            landscape.requests(path: "/upload", method: "POST").filter { $0.bodyLength == body.utf8.count }.count
                == 4
        )
    }

    @Test(arguments: ["http", "https", "socks5h"]) func failsAsConfigured(kind: String) async throws {
        let (proxy, url) = (address(landscape, kind), landscape.urlString(.secure, "/json"))
        let faults: [(LandscapeProxyFault, Set<Int32>)] = [
            (.badGateway, [56, 97]), (.garbageInTunnel, [35]), (.cut, [35, 52, 56, 97]), (.silence, [28]),
            (.socksReply(2), [0, 97]),
        ]
        for (fault, codes) in faults {
            landscape.proxyRule.fault = fault
            let answer = try await Curl.run([
                "-k", "--proxy-insecure", "-x", proxy, "-m", codes == [28] ? "1" : "20", url,
            ])
            #expect(codes.contains(answer.exitCode), "\(fault): \(answer.exitCode) \(answer.errors)")
        }
        landscape.reset()
        #expect(landscape.proxyRecords.isEmpty && landscape.proxyRule.fault == nil)
    }

    @Test func reachesThisMachineOnlyWhateverIsNamed() async throws {
        let url = "http://www.example.com:\(landscape.port(.main))/json"
        for kind in ["http", "socks5h"] {
            #expect(try await curl(landscape, address(landscape, kind), url).status == 200)
        }
        #expect(landscape.proxyRecords.map(\.target) == [url, "www.example.com:\(landscape.port(.main))"])
        let nobody = try await curl(landscape, address(landscape, "http"), "http://127.0.0.1:1/")
        #expect(nobody.status == 502)
    }

    @Test func theAdministratorMayDemandThePassword() async throws {
        let admin = landscape.urlString(.main, "/admin/proxy")
        let token = "X-Landscape-Token: \(landscape.adminToken)"
        _ = try await Curl.run("-X", "POST", "-H", token, admin + "?authentication=digest")
        #expect(landscape.proxyRule.authentication == .digest)
        #expect(
            try await curl(landscape, address(landscape, "http"), landscape.urlString(.main, "/json")).status == 407
        )
        let records = try await Curl.run("-H", token, admin + "/requests")
        #expect(records.text.contains("\"kind\":\"absolute\"") || records.text.contains("\"kind\" : \"absolute\""))
    }
}
