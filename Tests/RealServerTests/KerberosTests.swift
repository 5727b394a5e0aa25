import Foundation
import LandscapeSupport
import TestSupport
import Testing

extension RealServerTests {
    /// Negotiate with tickets of a realm of our own: Apache httpd with mod_auth_gssapi, squid, and an acceptor that
    /// checks bindings to TLS and lies where it is asked to.
    @Suite(.serialized) struct Kerberos {
        private static func tokens(_ server: RealServer, _ path: String) throws -> [String] {
            try server.received(path).compactMap { $0.field("Authorization") }
        }

        // MARK: Logging in

        @Test("A ticket of kinit logs in, and no output shows it", arguments: [RealServer.Port.plain, .second])
        func login(port: RealServer.Port) async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let path = "/krb/login-\(port)"
            let har = realm.path("har")
            let outcome = try await realm.httpc(
                ["--negotiate", "-vv", "-i", "--har", har, realm.server.url(path, port)])
            #expect(outcome.status == 0 && outcome.text.hasSuffix(Fixture.hello), "\(outcome.errors)")
            #expect(outcome.text.contains("alice@TEST.EXAMPLE"))
            let received = try realm.server.received(path)
            #expect(received.map(\.carriesCredentials) == [false, true])
            let token = try #require(received.last?.field("Authorization")?.dropFirst("Negotiate ".count))
            let shown = outcome.errors + (try String(contentsOfFile: har, encoding: .utf8))
            #expect(token.count > 400 && !shown.contains(token.prefix(60)) && !shown.contains(token.suffix(60)))
            #expect(outcome.errors.contains("Again, now with a Kerberos ticket"))
        }

        @Test("A keytab, a password and a named cache give tickets, and leave the user's cache alone")
        func sources() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let match = realm.server.url("/krb", .second)
            let url = realm.server.url("/krb/sources", .second)
            for table in [
                "keytab = \"\(realm.keytab)\"", "keytab = \"\(realm.keytab)\"\nprincipal = \"alice\"",
                "principal = \"alice@TEST.EXAMPLE\"\npassword-env = \"SECRET\"",
                "cache = \"\(realm.path("own"))\"", "cache = \"FILE:\(realm.path("own"))\"",
                "keytab = \"\(realm.keytab)\"\nnaming = \"hostbased\"",
            ] {
                let outcome = try await realm.httpc(
                    profile: table, at: match, [url], environment: ["SECRET": TestUsers.alice.password])
                #expect(outcome.status == 0 && outcome.text == Fixture.hello, "\(table): \(outcome.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: realm.path("none")))
            let wrong = try await realm.httpc(
                profile: "principal = \"alice\"\npassword-env = \"SECRET\"", at: match, [url],
                environment: ["SECRET": "c4nary"])
            #expect(wrong.status == 67 && wrong.text.isEmpty && !wrong.errors.contains("c4nary"), "\(wrong.errors)")
            #expect(wrong.errors.contains("password"))
        }

        @Test("A logon registers with a ticket")
        func logon() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            try await withLandscape { landscape in
                let root = "/mobile/\(landscape.port(.main))"
                // The server before the mobile server says nothing about it, so it cannot be detected.
                let options = realm.path("logon.json")
                try Data(#"{ "UseFlowMode": false }"#.utf8).write(to: URL(filePath: options))
                let logon = "[profiles.job.logon]\napplication = \"com.example.app\"\noptions = \"\(options)\""
                func httpc(cache: String, _ arguments: String...) async throws -> Program.Outcome {
                    try await realm.httpc(
                        profile: "cache = \"\(realm.path(cache))\"", logon, at: realm.server.url(root, .second),
                        arguments, environment: ["CODE": "abcd1234"])
                }
                let without = try await httpc(cache: "empty", "logon", "--profile", "job", "--passcode-env", "CODE")
                #expect(without.status == 67 && landscape.mobileConnections.isEmpty, "\(without.errors)")
                let outcome = try await httpc(cache: "own", "logon", "--profile", "job", "--passcode-env", "CODE")
                #expect(outcome.status == 0 && landscape.mobileConnections.count == 1, "\(outcome.errors)")
                let received = try realm.server.received(below: root)
                #expect(received.contains { $0.field("Authorization")?.hasPrefix("Negotiate ") == true })
                let lock = try await realm.run(BuiltProduct.httpc, ["lock", "--profile", "job"])
                #expect(lock.status == 0, "\(lock.errors)")
            }
        }

        @Test("50 requests at once are 50 logins, and the first one alone is tried")
        func parallel() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let urls = (0..<50).map { realm.server.url("/krb/parallel-\($0)", .second) }
            let outcome = try await realm.httpc(
                ["--negotiate", "-s", "-Z", "--parallel-max", "50", "-w", "%{http_code}\n"]
                    + urls.flatMap { [$0, "-o", "/dev/null"] })
            #expect(outcome.status == 0 && outcome.text.split(separator: "\n") == Array(repeating: "200", count: 50))
            let received = try realm.server.received(below: "/krb/parallel-")
            #expect(received.count { $0.carriesCredentials } == 50)
        }

        @Test("A server that knows the person by the connection asks once")
        func boundToTheConnection() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let urls = (0..<3).map { realm.server.url("/bound/\($0)", .second) }
            let outcome = try await realm.httpc(["--negotiate"] + urls)
            #expect(outcome.text == String(repeating: Fixture.hello, count: 3), "\(outcome.errors)")
            #expect(try realm.server.received(below: "/bound/").count { $0.carriesCredentials } == 1)
        }

        @Test("A server acts for the person only if that is wanted", arguments: [nil, "none", "policy", "always"])
        func delegation(level: String?) async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let options = level.map { ["--delegation", $0] } ?? []
            let outcome = try await realm.httpc(
                ["--negotiate"] + options + [realm.server.url("/delegated", .mutual12)])
            #expect(outcome.text == (level == "always" ? "yes" : "no"), "\(outcome.errors)")
        }

        @Test("--service-name asks for another service")
        func serviceName() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let url = realm.server.url("/krb/service", .second).replacing("127.0.0.1", with: "localhost")
            let outcome = try await realm.httpc(["--negotiate", "--service-name", "khttp", url])
            #expect(outcome.text == Fixture.hello, "\(outcome.errors)")
            let listed = try await realm.run("/usr/bin/klist", ["-c", realm.path("own")])
            #expect(listed.text.contains("khttp/localhost@") && !listed.text.contains("HTTP/localhost@"))
        }

        @Test("httpc init writes a profile that logs in with a ticket")
        func initialisation() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let url = realm.server.url("/krb/init", .second)
            let made = try await realm.httpc(["init", "--yes", "--profile", "intra", url])
            #expect(made.status == 0 && made.errors.contains("wants a Kerberos ticket"), "\(made.errors)")
            #expect(made.errors.contains("[profiles.intra.kerberos]"))
            #expect(try await realm.httpc(["-sS", url]).text == Fixture.hello)
            let both = realm.server.url("/basic-too/init", .second)
            let other = try await realm.httpc(["init", "--yes", "--profile", "both", "--match", both, both])
            #expect(other.status == 0 && other.errors.contains("[profiles.both.kerberos]"), "\(other.errors)")
        }

        // MARK: Without a ticket

        @Test("Without a ticket a password answers, and a profile's login fails")
        func fallback() async throws {
            let realm = try await KerberosRealm()
            defer { realm.remove() }
            let url = realm.server.url("/basic-too/x", .second)
            let user = "alice:\(TestUsers.alice.password)"
            let both = try await realm.httpc(["--negotiate", "-v", "-u", user, url], cache: "none")
            #expect(both.status == 0 && both.text == Fixture.hello, "\(both.errors)")
            #expect(both.errors.contains("No Kerberos ticket is of use"))
            let alone = try await realm.httpc(
                profile: "cache = \"\(realm.path("none"))\"", at: realm.server.url("/basic-too", .second), [url])
            #expect(alone.status == 67 && alone.text.isEmpty && alone.errors.contains("kinit"), "\(alone.errors)")
            let sent = try Self.tokens(realm.server, "/basic-too/x")
            #expect(!sent.isEmpty && sent.allSatisfy { $0.hasPrefix("Basic ") })
        }

        @Test("An expired ticket is not sent")
        func expired() async throws {
            let realm = try await KerberosRealm()
            defer { realm.remove() }
            try await realm.kinit("-l", "1s")
            try await realm.waitForExpiry(of: "own")
            let outcome = try await realm.httpc(["--negotiate", "-f", realm.server.url("/krb/expired", .second)])
            #expect(outcome.status == 22 && outcome.errors.contains("expired"), "\(outcome.errors)")
            #expect(try realm.server.received("/krb/expired").map(\.carriesCredentials) == [false])
        }

        @Test("A ticket of another realm is refused once")
        func otherRealm() async throws {
            let realm = try await KerberosRealm()
            defer { realm.remove() }
            try await realm.kinit(realm: "OTHER.EXAMPLE")
            for (host, count) in [("127.0.0.1", 0), ("localhost", 1)] {
                let path = "/krb/realm-\(count)"
                let url = realm.server.url(path, .second).replacing("127.0.0.1", with: host)
                let outcome = try await realm.httpc(["--negotiate", "-f", url])
                #expect(outcome.status == 22 && outcome.text.isEmpty, "\(outcome.errors)")
                #expect(try Self.tokens(realm.server, path).count == count, "\(outcome.errors)")
            }
        }

        @Test("A clock that differs is named")
        func clockSkew() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let url = realm.server.url("/krb/skew", .second)
            // The ticket is there already, so the server sees the clock.
            #expect(try await realm.httpc(["--negotiate", url]).status == 0)
            let library = try #require(
                try FileManager.default.contentsOfDirectory(atPath: "/usr/lib").map {
                    "/usr/lib/\($0)/faketime/libfaketime.so.1"
                }
                .first { FileManager.default.fileExists(atPath: $0) }, "faketime is missing: run scripts/setup")
            let outcome = try await realm.httpc(
                ["--negotiate", "-f", url],
                environment: ["LD_PRELOAD": library, "FAKETIME": "+20m", "FAKETIME_DONT_FAKE_MONOTONIC": "1"])
            #expect(outcome.status == 22 && outcome.errors.contains("Clock skew"), "\(outcome.errors)")
        }

        // MARK: Servers that are not who they seem

        @Test(
            "Without the server's proof nothing of the answer is used",
            arguments: ["/silent", "/bare", "/lying", "/garbage", "/replay"])
        func noProof(path: String) async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let url = realm.server.url(path, .mutual12)
            if path == "/replay" { _ = try await realm.httpc(["--negotiate", url]) }
            let jar = realm.path("jar")
            let outcome = try await realm.httpc(["--negotiate", "-c", jar, url])
            #expect(outcome.status == 67 && outcome.text.isEmpty, "\(outcome.text)")
            #expect(outcome.errors.contains("has not proved who it is"), "\(outcome.errors)")
            #expect(try realm.accepted(path).contains { $0.contains("true") })
        }

        @Test("A server with another key refuses the ticket, and gets it once")
        func strangeKey() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let url = realm.server.url("/strange/x", .second).replacing("127.0.0.1", with: "localhost")
            let outcome = try await realm.httpc(["--negotiate", "-f", url])
            #expect(outcome.status == 22 && outcome.text.isEmpty, "\(outcome.errors)")
            #expect(try Self.tokens(realm.server, "/strange/x").count == 1)
        }

        @Test("The login is bound to the certificate of the connection")
        func channelBindings() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let right = try await realm.httpc(["--negotiate", realm.server.url("/bound", .mutual12)])
            #expect(right.status == 0 && right.text == "bound", "\(right.errors)")
            let wrong = try await realm.httpc(["--negotiate", "-f", realm.server.url("/wrong", .mutual12)])
            #expect(wrong.status == 22, "\(wrong.errors)")
            #expect(try realm.accepted("/wrong").contains { $0.contains("ChannelBindings") })
            // Without TLS there is nothing to bind to, and the server sees that.
            let plain = try await realm.httpc(["--negotiate", realm.server.url("/bound", .mutual13)])
            #expect(plain.text == "not bound", "\(plain.errors)")
        }

        // MARK: Who gets a ticket

        @Test("A server that was not named gets no ticket, wherever the request came from")
        func notNamed() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let port = realm.server.port(.mutual13)
            let away = realm.server.url("/away/http/\(port)/not-named")
            let outcome = try await realm.httpc(["--negotiate", "-f", away])
            #expect(outcome.status == 22)
            let unasked = try await realm.httpc(["-f", realm.server.url("/not-named", .mutual13)])
            #expect(unasked.status == 22 && unasked.errors.contains("--negotiate"), "\(unasked.errors)")
            let outside = try await realm.httpc(
                profile: "keytab = \"\(realm.keytab)\"", at: realm.server.url("/elsewhere", .mutual13),
                ["--profile", "job", "-f", realm.server.url("/not-named", .mutual13)])
            #expect(outside.status != 0)
            let lines = try realm.accepted("/not-named")
            #expect(lines.count == 3 && lines.allSatisfy { $0.contains("false") }, "\(lines)")
        }

        @Test("A proxy gets a ticket if it is named, and a server's is not for it")
        func proxy() async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let proxy = "http://127.0.0.1:\(realm.server.port(.third))"
            for (port, path) in [(RealServer.Port.second, "/krb/tunnel"), (.plain, "/krb/absolute")] {
                let url = realm.server.url(path, port)
                let alone = try await realm.httpc(["--negotiate", "-f", "-x", proxy, url])
                #expect(alone.status != 0 && alone.text.isEmpty)
                let logged = try realm.server.log("proxy.log", with: "Negotiate%20")
                #expect(!logged.contains { $0.contains(path) || $0.contains(":\(realm.server.port(port)) ") })
                let both = try await realm.httpc(["--negotiate", "--proxy-negotiate", "-x", proxy, url])
                #expect(both.status == 0 && both.text == Fixture.hello, "\(both.errors)")
                let received = try realm.server.received(path)
                #expect(received.contains { $0.carriesCredentials })
                #expect(!received.contains { $0.field("Proxy-Authorization") != nil })
            }
            // The profile's proxy, without a login at the server.
            let outcome = try await realm.httpc(
                profile: "keytab = \"\(realm.keytab)\"\nproxy = true", "proxy = \"\(proxy)\"",
                at: realm.server.url("/open", .second), [realm.server.url("/open/x", .second)])
            #expect(outcome.text == Fixture.hello, "\(outcome.errors)")
            let users = try realm.server.log("proxy.log", with: " 200 user=alice@TEST.EXAMPLE")
            #expect(!users.isEmpty)
        }
    }
}
