import Foundation
import TestSupport
import Testing

extension RealServerTests {
    /// `httpc` as the helper of other programs.
    @Suite(.serialized) struct Helpers {
        @Test("git clones and pushes over smart HTTP with a profile's password")
        func gitWithAPassword() async throws {
            let server = try await RealServers.shared.server(.apache)
            let home = try HelperHome(
                """
                [profiles.git]
                match = ["\(server.url("/basic-git"))"]
                [profiles.git.basic]
                username = "alice"
                password-env = "GIT_PASSWORD"
                [profiles.person]
                match = ["\(server.url("/basic"))"]
                [profiles.person.oauth2]
                grant = "code"
                issuer = "https://login.example"
                client-id = "native"
                """, environment: ["GIT_PASSWORD": TestUsers.alice.password])
            defer { home.remove() }
            let url = try await home.makeRepository(on: server, below: "/basic-git/")
            try await home.cloneAndPush(url)
            // Another place on the same server gets nothing; git may not ask.
            let outside = try await home.git("ls-remote", server.url("/basic-dav/none.git"))
            #expect(outside.status != 0)
            #expect(outside.errors.contains("could not read Username"), "\(outside.errors)")
            // If only a person can log in, git shows the command for that, and asks for no password.
            let person = try await home.git("ls-remote", server.url("/basic/none.git"))
            #expect(person.status != 0)
            #expect(person.errors.contains("httpc login --profile person"), "\(person.errors)")
            #expect(person.errors.contains("told us to quit"), "\(person.errors)")
        }

        @Test("git clones and pushes over smart HTTP with a token, and gets a new one after a refusal")
        func gitWithAToken() async throws {
            let server = try await RealServers.shared.server(.apache)
            let issuer = try await RealServers.shared.server(.oauth)
            let home = try HelperHome(
                """
                [profiles.git]
                match = ["\(server.url("/token-git"))"]
                [profiles.git.oauth2]
                grant = "client-credentials"
                issuer = "\(OAuthBench.issuer(issuer))"
                client-id = "machine"
                client-secret-env = "GIT_SECRET"
                """, environment: ["GIT_SECRET": "machine secret: 100%"])
            defer { home.remove() }
            try Data(issuer.url("").utf8).write(to: server.directory.appending(path: "git/issuer"))
            let url = try await home.makeRepository(on: server, below: "/token-git/")
            let before = try issuer.received("/o/token/").count
            try await home.cloneAndPush(url)
            #expect(try issuer.received("/o/token/").count == before + 1)
            // The server ends the token. git is refused, and has the helper forget it.
            _ = try await Program.run(
                "/usr/bin/curl", ["-fsS", issuer.url("/control/expire")], environment: Program.environment)
            let refused = try await home.git("ls-remote", url)
            #expect(refused.status != 0)
            let again = try await home.git("ls-remote", url)
            #expect(again.status == 0, "\(again.errors)")
            #expect(try issuer.received("/o/token/").count == before + 2)
        }

        /// The version that every kubectl of the last years knows; the other by its documents.
        @Test("kubectl gets a token, and a client certificate")
        func kubectl() async throws {
            let issuer = try await RealServers.shared.server(.oauth)
            let server = try await RealServers.shared.server(.apache)
            let files = try await RealServers.shared.directory().client("alice")
            let (token, certificate) = (issuer.url("", .impatient), server.url("", .mutual13))
            let home = try HelperHome(
                """
                [profiles.token]
                match = ["\(token)/"]
                [profiles.token.oauth2]
                grant = "client-credentials"
                issuer = "\(OAuthBench.issuer(issuer))"
                client-id = "machine"
                client-secret-env = "CLUSTER_SECRET"
                [profiles.certificate]
                match = ["\(certificate)/"]
                [profiles.certificate.cert]
                file = "\(files.appending(path: "client.p12").path)"
                passphrase-env = "CLUSTER_PASSPHRASE"
                """, environment: ["CLUSTER_SECRET": "machine secret: 100%", "CLUSTER_PASSPHRASE": "secret"])
            defer { home.remove() }
            let resource = try await home.kubectl("/api/read/7", at: token)
            #expect(resource.status == 0 && resource.text.contains("\"user\""), "\(resource.errors)")
            let page = try await home.kubectl("/open/hello.txt", at: certificate)
            #expect(page.status == 0 && page.text == Fixture.hello, "\(page.errors)")
            let refused = try await home.kubectl("/open/hello.txt", at: server.url("", .third))
            #expect(
                refused.status != 0 && refused.errors.contains("No profile is for this cluster"), "\(refused.errors)")
        }

        @Test("skopeo pushes to Docker's registry, and reads from it")
        func skopeo() async throws {
            let server = try await RealServers.shared.server(.registry)
            let home = try HelperHome(
                """
                [profiles.registry]
                match = ["\(server.url("/"))"]
                [profiles.registry.basic]
                username = "alice"
                password-env = "REGISTRY_PASSWORD"
                """, environment: ["REGISTRY_PASSWORD": TestUsers.alice.password])
            defer { home.remove() }
            let host = "127.0.0.1:\(server.port())"
            try Data("{\"credHelpers\": {\"\(host)\": \"httpc\"}}".utf8).write(
                to: home.directory.appending(path: "auth.json"))
            let certificates = home.directory.appending(path: "certificates")
            try FileManager.default.createDirectory(at: certificates, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: try await RealServers.shared.authority(), to: certificates.appending(path: "ca.crt"))
            let image = try await home.makeImage()
            let pushed = try await home.run(
                "/usr/bin/skopeo",
                [
                    "--insecure-policy", "copy", "-q", "--dest-cert-dir", certificates.path, "dir:\(image)",
                    "docker://\(host)/team/tool:1",
                ])
            #expect(pushed.status == 0, "\(pushed.errors)")
            let tags = ["list-tags", "--cert-dir", certificates.path, "docker://\(host)/team/tool"]
            let listed = try await home.run("/usr/bin/skopeo", tags)
            #expect(listed.status == 0 && listed.text.contains("\"1\""), "\(listed.errors)")
            try Data("{}".utf8).write(to: home.directory.appending(path: "auth.json"))
            let without = try await home.run("/usr/bin/skopeo", tags)
            #expect(without.status != 0 && without.errors.contains("authentication required"), "\(without.errors)")
        }

        /// skopeo fetches the tokens itself, with the password that the helper gives for the registry.
        @Test("skopeo pushes to a registry with a token server")
        func skopeoWithTokens() async throws {
            let registry = try await TokenRegistry(TestUsers.alice.name, TestUsers.alice.password)
            let home = try HelperHome(
                """
                [profiles.registry]
                match = ["http://\(registry.host)/"]
                [profiles.registry.basic]
                username = "alice"
                password-env = "REGISTRY_PASSWORD"
                """, environment: ["REGISTRY_PASSWORD": TestUsers.alice.password])
            defer { home.remove() }
            try Data("{\"credHelpers\": {\"\(registry.host)\": \"httpc\"}}".utf8).write(
                to: home.directory.appending(path: "auth.json"))
            let image = try await home.makeImage()
            let pushed = try await home.run(
                "/usr/bin/skopeo",
                [
                    "--insecure-policy", "copy", "-q", "--dest-tls-verify=false", "dir:\(image)",
                    "docker://\(registry.host)/team/tool:1",
                ])
            #expect(pushed.status == 0, "\(pushed.errors)")
            let tags = ["list-tags", "--tls-verify=false", "docker://\(registry.host)/team/tool"]
            let listed = try await home.run("/usr/bin/skopeo", tags)
            #expect(listed.status == 0 && listed.text.contains("\"1\""), "\(listed.errors)")
            let scopes = try registry.scopes
            #expect(scopes.contains { $0.hasPrefix("repository:team/tool:") && $0.contains("push") }, "\(scopes)")
            #expect(scopes.contains("repository:team/tool:pull"), "\(scopes)")
            try Data("{}".utf8).write(to: home.directory.appending(path: "auth.json"))
            let without = try await home.run("/usr/bin/skopeo", tags)
            #expect(without.status != 0, "the token server asks for a password")
        }

        @Test("pip downloads from an index with a password")
        func pip() async throws {
            let server = try await RealServers.shared.server(.pypi)
            let home = try HelperHome(
                """
                [profiles.index]
                match = ["\(server.url("/"))"]
                [profiles.index.basic]
                username = "alice"
                password-env = "INDEX_PASSWORD"
                """, environment: ["INDEX_PASSWORD": TestUsers.alice.password])
            defer { home.remove() }
            try await home.makePackage(in: server.directory.appending(path: "www"))
            let arguments = [
                "-m", "pip", "--disable-pip-version-check", "--no-input", "--isolated", "--no-cache-dir", "download",
                "--quiet",
                "--no-deps", "--index-url", server.url("/simple/"), "--dest", home.path("wheels"), "probe",
            ]
            let python = ServerKind.pypi.executable
            let without = try await home.run(python, arguments)
            #expect(without.status != 0, "the index asks for a password")
            let outcome = try await home.run(python, arguments + ["--keyring-provider", "subprocess"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(FileManager.default.fileExists(atPath: home.path("wheels/probe-1.0-py3-none-any.whl")))
        }

        /// pip asks for the host alone if it gets nothing for the URL.
        @Test(
            "pip sends no password over plain http",
            arguments: [
                ["--index-url", "http://pypi.example.com/simple/", "probe"],
                ["--index-url", "http://alice@pypi.example.com/simple/", "probe"],
                ["http://pypi.example.com/probe-1.0.tar.gz"],
            ])
        func pipInClear(wanted: [String]) async throws {
            let home = try HelperHome(
                """
                [profiles.index]
                match = ["https://pypi.example.com/"]
                [profiles.index.basic]
                username = "alice"
                password-env = "INDEX_PASSWORD"
                """, environment: ["INDEX_PASSWORD": TestUsers.alice.password])
            defer { home.remove() }
            let arguments = [
                "-m", "pip", "--disable-pip-version-check", "--no-input", "--isolated", "--no-cache-dir", "--retries",
                "0", "--trusted-host", "pypi.example.com", "--keyring-provider", "subprocess", "download", "--quiet",
                "--no-deps", "--dest", home.path("wheels"),
            ]
            let outcome = try await home.behindProxy(ServerKind.pypi.executable, arguments + wanted)
            #expect(outcome.text.contains("http://pypi.example.com/"), "\(outcome.errors)")
            let login = Data("alice:\(TestUsers.alice.password)".utf8).base64EncodedString()
            #expect(!outcome.text.contains(login))
        }
    }
}
