import Foundation
import TestSupport
import Testing

extension RealServerTests.SAML2 {
    /// Logins without a page: mod_auth_mellon and Shibboleth with SimpleSAMLphp, by Basic, and by Negotiate before it.
    @Suite(.serialized) struct ECP {
        /// A service provider that offers ECP.
        private enum Kind: String, CaseIterable, CustomTestStringConvertible {
            case mellon = "paos"
            case shibboleth = "shibpaos"

            var testDescription: String { rawValue }
        }

        private static let endpoint = "/simplesaml/saml2/idp/SSOService.php"

        private struct Site {
            let kind: Kind
            let server: RealServer
            let directory: URL
            private let authority: String
            private let before: Int

            init(_ kind: Kind) async throws {
                self.kind = kind
                server = try await RealServers.shared.server(.saml)
                authority = try await RealServers.shared.authority().path
                directory = try TemporaryPlace.folder("httpc-ecp")
                before = try server.received(ECP.endpoint).count { $0.method == "POST" }
            }

            func remove() { try? FileManager.default.removeItem(at: directory) }

            func url(_ path: String) -> String {
                server.url("/\(kind.rawValue)/\(path)", kind == .shibboleth ? .third : .plain)
            }

            var identityProvider: String {
                server.url(ECP.endpoint, kind == .shibboleth ? .impatient : .second)
                    .replacing("127.0.0.1", with: "localhost")
            }

            /// The number of requests to the identity provider's endpoint.
            var logins: Int {
                get throws { try server.received(ECP.endpoint).count { $0.method == "POST" } - before }
            }

            func httpc(
                _ arguments: [String], password: String = TestUsers.alice.password
            ) async throws -> Program.Outcome {
                let file = directory.appending(path: "config.toml")
                let text = """
                    [profiles.site]
                    match = ["\(url(""))"]
                    cacert = "\(authority)"
                    [profiles.site.saml2]
                    ecp = "\(identityProvider)"
                    username = "\(TestUsers.alice.name)"
                    password-env = "SITE_PASSWORD"
                    """
                try Data(text.utf8).write(to: file)
                return try await Program.run(
                    BuiltProduct.httpc, ["--config", file.path] + arguments,
                    environment: [
                        "XDG_STATE_HOME": directory.appending(path: "state").path, "SITE_PASSWORD": password,
                    ], seconds: 60)
            }
        }

        @Test(
            "A page without a browser; no output shows the login, and the second run needs none",
            arguments: Kind.allCases)
        private func page(kind: Kind) async throws {
            let site = try await Site(kind)
            defer { site.remove() }
            let (har, trace) = (site.directory.appending(path: "har"), site.directory.appending(path: "trace"))
            let outcome = try await site.httpc(
                ["-vv", "--har", har.path, "--trace", trace.path, site.url("page")])
            #expect(outcome.status == 0 && outcome.text == Fixture.hello, "\(outcome.errors)")
            #expect(outcome.errors.contains("by ECP, without a page"), "\(outcome.errors)")
            let files = try [har, trace].map { try String(contentsOf: $0, encoding: .utf8) }
            let shown = outcome.errors + files.joined()
            let secret = Data("\(TestUsers.alice.name):\(TestUsers.alice.password)".utf8).base64EncodedString()
            // The password is a word that is shown anyway.
            for text in [secret, "Assertion ", "SignatureValue"] {
                #expect(!shown.contains(text), "\(text) is shown")
            }
            #expect(try await site.httpc(["-sS", site.url("page")]).text == Fixture.hello)
            #expect(try site.logins == 1)
        }

        @Test("200 requests at once need one login", arguments: Kind.allCases)
        private func parallel(kind: Kind) async throws {
            let site = try await Site(kind)
            defer { site.remove() }
            let urls = (0..<200).flatMap { ["\(site.url("page"))?\($0)", "-o", "/dev/null"] }
            let outcome = try await site.httpc(
                ["-sS", "-Z", "--parallel-max", "50", "-w", "%{http_code}\n"] + urls)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text.split(separator: "\n") == Array(repeating: "200", count: 200))
            #expect(try site.logins == 1)
        }

        @Test("A POST as the first request gets in by itself", arguments: Kind.allCases)
        private func post(kind: Kind) async throws {
            let site = try await Site(kind)
            defer { site.remove() }
            let outcome = try await site.httpc(["-sS", "-d", "amount=7", site.url("sink")])
            let arrived = try Arrived(outcome.text)
            #expect(arrived.method == "POST" && arrived.length == 8, "\(outcome.errors)")
            #expect(try site.logins == 1)
        }

        @Test("A wrong password is sent once", arguments: Kind.allCases)
        private func wrongPassword(kind: Kind) async throws {
            let site = try await Site(kind)
            defer { site.remove() }
            let outcome = try await site.httpc(["-sS", site.url("page")], password: "c4nary")
            #expect(outcome.status == 67 && outcome.text.isEmpty && !outcome.errors.contains("c4nary"))
            #expect(outcome.errors.contains("WRONGUSERPASS"), "\(outcome.errors)")
            #expect(try site.logins == 1)
        }

        @Test("Nothing outside the match is offered ECP, and its page is not opened")
        func outside() async throws {
            let site = try await Site(.mellon)
            defer { site.remove() }
            let outcome = try await site.httpc(["-sS", "--profile", "site", site.server.url("/post/page")])
            #expect(outcome.status == 67 && outcome.text.isEmpty, "\(outcome.errors)")
            let received = try site.server.received(below: "/post/page")
            #expect(received.last != nil && received.allSatisfy { $0.field("PAOS") == nil })
            #expect(try site.server.received(below: "/paos/").contains { $0.field("PAOS") != nil })
            #expect(try site.logins == 0)
        }

        @Test(
            "A ticket logs in to an identity provider behind mod_auth_gssapi; without one nobody gets in",
            arguments: Kind.allCases)
        private func negotiate(kind: Kind) async throws {
            let realm = try await KerberosRealm.withTicket()
            defer { realm.remove() }
            let site = try await Site(kind)
            defer { site.remove() }
            let path = "/idp/\(site.server.port(.second))\(Self.endpoint)"
            let table = "[profiles.job.saml2]\necp = \"\(realm.server.url(path, .second))\""
            for (cache, isIn) in [("empty", false), ("own", true)] {
                let outcome = try await realm.httpc(
                    profile: "cache = \"\(realm.path(cache))\"", table, at: site.url(""),
                    ["-sS", site.url("page")])
                #expect(outcome.text == (isIn ? Fixture.hello : ""), "\(outcome.errors)")
                #expect(outcome.status == (isIn ? 0 : 67), "\(outcome.errors)")
            }
            #expect(try site.logins == 1)
            let tokens = try realm.server.received(path).compactMap { $0.field("Authorization") }
            #expect(tokens.contains { $0.hasPrefix("Negotiate ") })
        }
    }
}
