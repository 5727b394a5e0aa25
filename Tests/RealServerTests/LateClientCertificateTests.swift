import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests {
    /// Apache's `SSLVerifyClient require` for some paths: renegotiation, 403 under TLS 1.3, HTTP_1_1_REQUIRED.
    @Suite(.serialized) struct LateClientCertificates {
        /// A port, and its newest version of HTTP.
        private static let ways: [(RealServer.Port, String)] = [
            (.located, "--http2"), (.located, "--http1.1"), (.located12, "--http2"), (.located12, "--http1.1"),
        ]

        @Test("httpc gets in where one path wants a certificate, and shows none elsewhere", arguments: ways)
        func command(port: RealServer.Port, version: String) async throws {
            let server = try await RealServers.shared.server(.apache)
            let base = try await RealServers.shared.directory()
            let client = try await base.client("alice").path
            let options = [
                "-sS", "-i", version, "--cacert", base.authority.path, "--cert", "\(client)/client.p12:secret",
            ]
            for host in ["127.0.0.1", "localhost"] {
                let url = server.url("/open/staff", port).replacingOccurrences(of: "127.0.0.1", with: host)
                let outcome = try await Program.httpc(options + [url])
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.text.hasSuffix(Fixture.hello))
                #expect(outcome.text.contains("CN=alice"), "\(outcome.text)")
            }
            let open = try await Program.httpc(options + [server.url("/open/all", port)])
            #expect(open.text.hasSuffix(Fixture.hello))
            #expect(!open.text.contains("CN="))
        }

        @Test("A body arrives whole and once", arguments: ways)
        func body(port: RealServer.Port, version: String) async throws {
            let server = try await RealServers.shared.server(.apache)
            let base = try await RealServers.shared.directory()
            let client = try await base.client("alice").path
            let body = String(repeating: "b", count: 70_000)
            let outcome = try await Program.httpc([
                "-sS", version, "--cacert", base.authority.path, "--cert", "\(client)/client.p12:secret",
                "--data-binary", body, server.url("/sink/staff", port),
            ])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try Arrived(outcome.text).length == body.utf8.count)
        }

        @Test("Without a certificate it says that one is demanded (98)", arguments: ways)
        func demanded(port: RealServer.Port, version: String) async throws {
            let server = try await RealServers.shared.server(.apache)
            let authority = try await RealServers.shared.authority().path
            let outcome = try await Program.httpc([
                "-sS", version, "--cacert", authority, server.url("/open/staff", port),
            ])
            #expect(outcome.status == 98, "\(outcome.errors)")
            #expect(outcome.errors.contains("demands a client certificate"), "\(outcome.errors)")
            #expect(outcome.text.isEmpty)
        }

        @Test("One that the server does not accept (58)", arguments: ways)
        func refused(port: RealServer.Port, version: String) async throws {
            let server = try await RealServers.shared.server(.apache)
            let base = try await RealServers.shared.directory()
            let stranger = try await base.client("mallory", isKnown: false).path
            let outcome = try await Program.httpc([
                "-sS", version, "--cacert", base.authority.path, "--cert", "\(stranger)/client.p12:secret",
                server.url("/open/staff", port),
            ])
            #expect(outcome.status == 58, "\(outcome.errors)")
            #expect(outcome.errors.contains("does not accept"), "\(outcome.errors)")
        }

        @Test("A server of TLS 1.3 alone cannot ask: the error says so")
        func onlyTLS13() async throws {
            let server = try await RealServers.shared.server(.apache)
            let base = try await RealServers.shared.directory()
            let client = try await base.client("alice").path
            let outcome = try await Program.httpc([
                "-sS", "--cacert", base.authority.path, "--cert", "\(client)/client.p12:secret",
                server.url("/open/staff", .located13),
            ])
            #expect(outcome.status == 98, "\(outcome.errors)")
            #expect(outcome.errors.contains("TLS 1.3"), "\(outcome.errors)")
            let open = try await Program.httpc([
                "-sS", "--cacert", base.authority.path, server.url("/open/all", .located13),
            ])
            #expect(open.text == Fixture.hello)
        }

        @Test("Two people over one transport: each path names its own, one is asked once", arguments: ways)
        func two(port: RealServer.Port, version: String) async throws {
            let server = try await RealServers.shared.server(.apache)
            let transport = try await Library.transport {
                if version == "--http1.1" { $0.newestVersion = .http11 }
            }
            let managers = try await Library.certificateManagers(["alice", "bob"], over: transport)
            let field = try #require(HTTPField.Name("X-Client"))
            try await withThrowingTaskGroup { group in
                for index in 0..<20 {
                    for (name, manager) in managers {
                        group.addTask {
                            let path = index % 4 == 3 ? "/open/all" : "/open/staff"
                            let response = try await manager.data(for: HTTPRequest(.get, server.url(path, port)))
                            #expect(response.text == Fixture.hello)
                            if path == "/open/staff" {
                                #expect(response.headerFields[field]?.contains("CN=\(name)") == true)
                            }
                            #expect(response.headerFields[HTTPField.Name("X-Resumed") ?? .server] != "Resumed")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
