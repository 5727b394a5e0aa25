import Foundation
import TestSupport
import Testing

extension RealServerTests.SAML2 {
    /// `httpc` gets a protected page with only a profile.
    @Suite(.serialized) struct Command {
        /// A directory with a configuration, for one test.
        private struct Home {
            let directory: URL
            let environment: [String: String]

            /// - Parameters:
            ///   - keys: further keys of the profile
            ///   - more: further tables
            init(
                _ site: SAMLSite, _ finish: SAMLBench.Finish, password: String = TestUsers.alice.password,
                keys: String = "", more: String = ""
            ) async throws {
                directory = TemporaryPlace.unused("httpc-saml")
                let folder = directory.appending(path: "httpc")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let header = site.kind == .marked ? "header = \"\(SAMLSite.identifyingHeader)\"" : ""
                let text = """
                    [profiles.site]
                    match = ["\(site.url(""))"]
                    web = "terminal"
                    cacert = "\(try await RealServers.shared.authority().path)"
                    answer-origins = ["\(site.identityProvider)"]
                    \(keys)
                    [profiles.site.saml2]
                    \(header)
                    finish-endpoint = "\(finish == .page ? site.finishEndpoint : site.loginEndpoint)"
                    finish-parameter = "\(SAMLSite.finishParameter)"
                    [profiles.site.answers]
                    username = { env = "SITE_USER" }
                    password = { env = "SITE_PASSWORD" }
                    \(more)
                    """
                try Data(text.utf8).write(to: folder.appending(path: "config.toml"))
                environment = [
                    "XDG_CONFIG_HOME": directory.path, "XDG_STATE_HOME": directory.appending(path: "state").path,
                    "SITE_USER": TestUsers.alice.name, "SITE_PASSWORD": password,
                ]
            }

            func httpc(_ arguments: String...) async throws -> Program.Outcome { try await run(["-sS"] + arguments) }

            func run(_ arguments: [String]) async throws -> Program.Outcome {
                try await Program.run(BuiltProduct.httpc, arguments, environment: environment, seconds: 40)
            }

            func remove() { try? FileManager.default.removeItem(at: directory) }
        }

        @Test(
            "A protected page, by each binding; the second run needs no login",
            arguments: [
                SAMLSite.Kind.redirect, .post, .artifact, .marked, .secure,
            ])
        func page(_ kind: SAMLSite.Kind) async throws {
            let site = try await SAMLSite.running(kind)
            let before = try site.logins()
            let home = try await Home(site, kind == .secure ? .loginPage : .page)
            defer { home.remove() }
            for _ in 0..<2 {
                let outcome = try await home.httpc(site.url("page"))
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.text == Fixture.hello)
            }
            #expect(try site.logins() - before == 1)
        }

        @Test(
            "A POST as the first request gets in by itself", arguments: [SAMLSite.Kind.redirect, .post, .marked],
            SAMLBench.Finish.allCases)
        func post(_ kind: SAMLSite.Kind, _ finish: SAMLBench.Finish) async throws {
            let site = try await SAMLSite.running(kind)
            let before = try site.logins()
            let home = try await Home(site, finish)
            defer { home.remove() }
            let outcome = try await home.httpc("-X", "POST", "-d", "amount=7", site.url("sink"))
            #expect(outcome.status == 0, "\(outcome.errors)")
            let arrived = try Arrived(outcome.text)
            #expect(arrived.method == "POST")
            #expect(arrived.length == 8)
            #expect(try site.logins() - before == 1)
        }

        /// mod_auth_mellon's redirects differ by binding, but the identity provider is the same.
        @Test("Two service providers at one identity provider, with one login; logout ends both sessions")
        func twoServiceProviders() async throws {
            let (first, second) = (try await SAMLSite.running(.post), try await SAMLSite.running(.redirect))
            let before = try first.logins()
            let home = try await Home(
                first, .page,
                keys: "sso = \"office\"\nlogout-url = \"\(first.invalidation)\"",
                more: """
                    [profiles.other]
                    match = ["\(second.url(""))"]
                    web = "terminal"
                    sso = "office"
                    sso-origins = ["\(second.identityProvider)"]
                    [profiles.other.saml2]
                    finish-endpoint = "\(second.finishEndpoint)"
                    finish-parameter = "\(SAMLSite.finishParameter)"
                    """)
            defer { home.remove() }
            // The second profile has no answers: it can ask nothing.
            for arguments in [[first.url("page")], [second.url("page")], ["--headless", second.url("page")]] {
                if arguments.count > 1 { _ = try await home.run(["cookies", "clear", "other"]) }
                let outcome = try await home.run(["-sS"] + arguments)
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.text == Fixture.hello)
            }
            #expect(try first.logins() - before == 1)
            let logout = try await home.run(["logout", "--profile", "site"])
            #expect(logout.status == 0 && logout.errors.contains("is forgotten here"), "\(logout.errors)")
            _ = try await home.run(["cookies", "clear", "other"])
            #expect(try await home.httpc(second.url("page")).status == 67)
            #expect(try await home.httpc(first.url("page")).text == Fixture.hello)
            #expect(try first.logins() - before == 2)
        }

        @Test("A wrong password is sent once, and the page is heard")
        func wrongPassword() async throws {
            let site = try await SAMLSite.running(.redirect)
            let before = try site.passwordsSent()
            let home = try await Home(site, .page, password: "wrong")
            defer { home.remove() }
            let outcome = try await home.httpc(site.url("page"))
            #expect(outcome.status == 67)
            #expect(outcome.text.isEmpty)
            #expect(outcome.errors.contains("Incorrect username or password"), "\(outcome.errors)")
            #expect(try site.passwordsSent() - before == 1)
        }
    }
}
