import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests {
    @Suite(.serialized) struct ClientCertificates {
        private static let kinds = [ServerKind.apache, .nginx]
        private static let ports = [RealServer.Port.mutual12, .mutual13]
        private static let body = Fixture.hello

        private static func url(_ server: RealServer, _ port: RealServer.Port, host: String = "127.0.0.1") -> String {
            server.url("/hello.txt", port).replacingOccurrences(of: "127.0.0.1", with: host)
        }

        @Test("httpc gets in with a PKCS#12 file, and with PEM", arguments: kinds, ports)
        func command(kind: ServerKind, port: RealServer.Port) async throws {
            let server = try await RealServers.shared.server(kind)
            let base = try await RealServers.shared.directory()
            let client = try await base.client("alice").path
            let authority = ["-sS", "-i", "--cacert", base.authority.path]
            for host in ["127.0.0.1", "localhost"] {
                for options in [
                    ["--cert", "\(client)/client.p12:secret"],
                    ["-E", "\(client)/client.pem", "--key", "\(client)/client.key"],
                    ["--cert", "\(client)/client.p12", "--pass", "secret", "--cert-type", "p12"],
                ] {
                    let outcome = try await Program.httpc(authority + options + [Self.url(server, port, host: host)])
                    #expect(outcome.status == 0, "\(outcome.errors)")
                    #expect(outcome.text.hasSuffix(Self.body))
                    #expect(outcome.text.contains("CN=alice") || outcome.text.contains("CN = alice"))
                }
            }
        }

        @Test("Without a certificate it says that one is demanded (98)", arguments: kinds, ports)
        func demanded(kind: ServerKind, port: RealServer.Port) async throws {
            let server = try await RealServers.shared.server(kind)
            let authority = try await RealServers.shared.authority().path
            let outcome = try await Program.httpc(["-sS", "--cacert", authority, Self.url(server, port)])
            #expect(outcome.status == 98, "\(outcome.errors)")
            #expect(outcome.errors.contains("demands a client certificate"))
            #expect(outcome.text.isEmpty)
        }

        @Test("A certificate that cannot be used, or is not accepted (58)", arguments: kinds, ports)
        func unusable(kind: ServerKind, port: RealServer.Port) async throws {
            let server = try await RealServers.shared.server(kind)
            let base = try await RealServers.shared.directory()
            let client = try await base.client("alice").path
            let stranger = try await base.client("mallory", isKnown: false).path
            let cases = [
                (["--cert", "\(client)/client.p12:wrong"], "passphrase"),
                (["--cert", "\(client)/client.p12"], "passphrase"),
                (["--cert", "\(client)/client.pem", "--key", "\(stranger)/client.key"], "belongs to none"),
                (["--cert", "\(client)/client.pem"], "no private key"),
                (["--cert", "\(client)/nothing.p12"], "nothing.p12"),
                (["--cert", "\(stranger)/client.p12:secret"], "does not accept"),
            ]
            for (options, words) in cases {
                let outcome = try await Program.httpc(
                    ["-sS", "--cacert", base.authority.path] + options + [Self.url(server, port)])
                #expect(outcome.status == 58, "\(options): \(outcome.errors)")
                #expect(outcome.errors.contains(words), "\(outcome.errors)")
                #expect(outcome.text.isEmpty)
                #expect(!outcome.errors.contains("secret"))
            }
        }

        @Test(
            "Two people at one server over one transport; resumed sessions are their own", arguments: kinds, ports)
        func two(kind: ServerKind, port: RealServer.Port) async throws {
            let server = try await RealServers.shared.server(kind)
            let transport = try await Library.transport()
            let managers = try await Library.certificateManagers(["alice", "bob"], over: transport)
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    for (name, manager) in managers {
                        group.addTask {
                            let response = try await manager.data(for: HTTPRequest(.get, Self.url(server, port)))
                            let client = response.headerFields[HTTPField.Name("X-Client") ?? .server] ?? ""
                            #expect(response.text == Self.body)
                            #expect(client.contains("CN=\(name)"))
                            let resumed = response.headerFields[HTTPField.Name("X-Resumed") ?? .server]
                            #expect(resumed == "." || resumed == "Initial")
                        }
                    }
                }
                try await group.waitForAll()
            }
            if port == .mutual12 { try await expectResumption(server, port) }
        }

        /// Checks that the server resumes sessions if a client offers one.
        private func expectResumption(_ server: RealServer, _ port: RealServer.Port) async throws {
            let base = try await RealServers.shared.directory()
            let client = try await base.client("alice").path
            let outcome = try await Program.run(
                "/usr/bin/openssl",
                [
                    "s_client", "-connect", "127.0.0.1:\(server.port(port))", "-tls1_2", "-reconnect", "-CAfile",
                    base.authority.path, "-cert", "\(client)/client.pem", "-key", "\(client)/client.key",
                ])
            #expect(outcome.text.contains("Reused,"), "\(outcome.errors)")
        }

        @Test("Pins, and certificates to trust from a directory", arguments: kinds)
        func pins(kind: ServerKind) async throws {
            let server = try await RealServers.shared.server(kind)
            let base = try await RealServers.shared.directory()
            let url = server.url("/open/pins", kind == .apache ? .third : .second)
            let folder = base.url.appending(path: "authorities-\(kind.rawValue)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try FileManager.default.copyItem(at: base.authority, to: folder.appending(path: "ca.crt"))
            let trusting = ["-sS", "--capath", folder.path]
            #expect(try await Program.httpc(trusting + [url]).text == Fixture.hello)
            let other = "sha256//" + Data(repeating: 7, count: 32).base64EncodedString()
            let refused = try await Program.httpc(trusting + ["--pinnedpubkey", other, url])
            #expect(refused.status == 90, "\(refused.errors)")
            let pin = try #require(refused.errors.firstMatch(of: #/sha256\/\/[A-Za-z0-9+\/=]+/#)).output
            let accepted = try await Program.httpc(trusting + ["--pinnedpubkey", "\(other);\(pin)", url])
            #expect(accepted.text == Fixture.hello, "\(accepted.errors)")
            // A matching pin does not replace a known issuer.
            let unknown = try await Program.httpc(["-sS", "--pinnedpubkey", String(pin), url])
            #expect(unknown.status == 60, "\(unknown.errors)")
            #expect(try await Program.httpc(["-sS", "--pinnedpubkey", "sha256//short", url]).status == 2)
            #expect(
                try await Program.httpc(["-sS", "--capath", base.url.appending(path: "none").path, url]).status == 77)
        }

        @Test("A profile's certificate", arguments: kinds)
        func profile(kind: ServerKind) async throws {
            let server = try await RealServers.shared.server(kind)
            let base = try await RealServers.shared.directory()
            let client = try await base.client("alice").path
            let url = Self.url(server, .mutual13)
            let text = """
                [profiles.work]
                match = ["\(url)"]
                cacert = "\(base.authority.path)"
                [profiles.work.cert]
                file = "\(client)/client.p12"
                passphrase-env = "P12_PASS"
                """
            let configuration = try base.file("certificates.toml", Array(text.utf8))
            let outcome = try await Program.run(
                BuiltProduct.httpc, ["-sS", "-v", "--config", configuration.path, url],
                environment: ["P12_PASS": "secret", "XDG_STATE_HOME": base.url.path], seconds: 40)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text == Self.body)
            #expect(outcome.errors.contains("asks for a client certificate and is shown"))
            #expect(outcome.errors.contains("CN=alice"))
        }
    }
}
