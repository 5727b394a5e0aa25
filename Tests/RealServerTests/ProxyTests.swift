import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests {
    /// Requests through squid, tinyproxy and microsocks with one password, to servers with another one.
    @Suite(.serialized) struct Proxies {
        private static func canaries(_ user: TestUsers.User) -> [String] {
            let basic = Data("\(user.name):\(user.password)".utf8).base64EncodedString()
            return [user.password, basic, basic.replacingOccurrences(of: "=", with: "%3D")]
        }

        /// Checks that neither side has seen the other's credentials.
        private static func expectApart(_ proxy: RealProxy.Running, _ lines: [String]) throws {
            let log = try proxy.log()
            #expect(
                !log.isEmpty && !canaries(TestUsers.alice).contains { log.contains("=\($0)") || log.contains(" \($0)") }
            )
            let seen = lines.joined(separator: "\n")
            #expect(!canaries(RealProxy.user).contains { seen.contains($0) })
            #expect(!seen.lowercased().contains("proxy-auth"))
        }

        @Test(
            "httpc and the library, to an https origin that wants Basic", arguments: RealProxy.allCases, Client.allCases
        )
        func basic(proxy: RealProxy, client: Client) async throws {
            let apache = try await RealServers.shared.server(.apache)
            let running = try await proxy.running()
            let path = "/basic/\(proxy.rawValue)-\(client.rawValue)"
            let text: String
            switch client {
            case .httpc:
                text = try await client.get(
                    apache.url(path, .third), as: TestUsers.alice,
                    options: [
                        "-x", running.address, "--proxy-user", "\(RealProxy.user.name):\(RealProxy.user.password)",
                    ]
                ).text
            case .library:
                let manager = try await Library.manager(TestUsers.alice)
                let login = ProxyLogin(username: RealProxy.user.name, password: RealProxy.user.password)
                let server = try ProxyServer(running.address).with(login: login)
                manager.update { $0.proxies = .always(server) }
                for _ in 0..<3 { _ = try await manager.data(for: HTTPRequest(.get, apache.url(path, .third))) }
                text = try await manager.data(for: HTTPRequest(.get, apache.url(path, .third))).text
                // squid logs a tunnel when it ends.
                await manager.transport.shutdown()
            }
            #expect(text == Fixture.hello)
            let received = try apache.received(path)
            #expect(received.last?.carriesCredentials == true)
            try Self.expectApart(running, received.map(\.line))
            #expect(try await running.logsConnection(to: apache.port(.third)))
        }

        @Test("Requests in absolute form, over and over", arguments: [RealProxy.squidBasic, .squidDigest, .tinyproxy])
        func absoluteForm(proxy: RealProxy) async throws {
            let apache = try await RealServers.shared.server(.apache)
            let running = try await proxy.running()
            let path = "/digest/\(proxy.rawValue)"
            let manager = try await Library.manager(TestUsers.alice)
            let login = ProxyLogin(username: RealProxy.user.name, password: RealProxy.user.password)
            let server = try ProxyServer(running.address).with(login: login)
            manager.update { $0.proxies = .always(server) }
            for _ in 0..<5 {
                let response = try await manager.data(for: HTTPRequest(.get, apache.url(path)))
                #expect(response.text == Fixture.hello)
            }
            let received = try apache.received(path)
            #expect(received.count == 6, "one 401, then ahead")
            try Self.expectApart(running, received.map(\.line))
        }

        @Test("Without the proxy's password nothing reaches the server", arguments: RealProxy.allCases)
        func refused(proxy: RealProxy) async throws {
            let apache = try await RealServers.shared.server(.apache)
            let running = try await proxy.running()
            let path = "/open/refused-\(proxy.rawValue)"
            let authority = try await RealServers.shared.authority().path
            let words = ["", "--proxy-user paula:wrong", "-u paula:\(RealProxy.user.password)"]
            for more in words.map({ $0.split(separator: " ").map(String.init) }) {
                let outcome = try await Program.httpc(
                    ["-sS", "--cacert", authority, "-x", running.address] + more + [apache.url(path, .third)])
                #expect(outcome.status == 56, "\(outcome.errors)")
                #expect(outcome.errors.contains("proxy") && outcome.text.isEmpty, "\(outcome.errors)")
            }
            #expect(try apache.received(path).isEmpty)
        }

        @Test(
            "SAML2 on the terminal and in Chromium, through each", .timeLimit(.minutes(4)),
            arguments: RealProxy.allCases,
            ["terminal", "chromium"])
        func saml2(proxy: RealProxy, web: String) async throws {
            let site = try await SAMLSite.running(.secure)
            let running = try await proxy.running()
            let directory = TemporaryPlace.unused("httpc-proxy")
            defer { try? FileManager.default.removeItem(at: directory) }
            let folder = directory.appending(path: "httpc")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let text = """
                [profiles.site]
                match = ["\(site.url(""))"]
                web = "\(web)"
                cacert = "\(try await RealServers.shared.authority().path)"
                answer-origins = ["\(site.identityProvider)"]
                proxy = "\(running.address)"
                proxy-user = "\(RealProxy.user.name)"
                proxy-password-env = "PROXY_PASSWORD"
                [profiles.site.saml2]
                finish-endpoint = "\(site.loginEndpoint)"
                finish-parameter = "\(SAMLSite.finishParameter)"
                [profiles.site.answers]
                username = { env = "SITE_USER" }
                password = { env = "SITE_PASSWORD" }
                """
            try Data(text.utf8).write(to: folder.appending(path: "config.toml"))
            let before = try site.logins()
            let outcome = try await Program.run(
                BuiltProduct.httpc, ["-sS"] + (web == "chromium" ? ["--headless"] : []) + [site.url("page")],
                environment: [
                    "XDG_CONFIG_HOME": directory.path, "XDG_STATE_HOME": directory.appending(path: "state").path,
                    "SITE_USER": TestUsers.alice.name, "SITE_PASSWORD": TestUsers.alice.password,
                    "PROXY_PASSWORD": RealProxy.user.password,
                ], seconds: 90)
            // With a trusted authority of its own, the conversation sends Chromium's requests, so the SOCKS proxy's
            // password works, too.
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text == Fixture.hello)
            #expect(try site.logins() - before == 1)
            try Self.expectApart(running, try site.server.log("forensic.log"))
            #expect(try await running.logsConnection(to: site.server.port(.third)))
            #expect(try await running.logsConnection(to: site.server.port(.impatient), of: "localhost"))
        }
    }
}
