import Foundation
import TestSupport
import Testing

extension RealServerTests {
    /// Other programs through `httpc relay`, which logs in for them.
    @Suite(.serialized) struct Relays {
        /// The logins that the relay performs, each at a real server.
        enum Login: String, CaseIterable, CustomTestStringConvertible {
            case basic
            /// mod_auth_mellon with SimpleSAMLphp, on the terminal.
            case saml2
            /// A bearer's token of django-oauth-toolkit.
            case oauth2

            var testDescription: String { rawValue }
        }

        /// A server behind a login, and the profile for it.
        private struct Place {
            let server: RealServer
            let base: String
            private let configuration: URL
            private let environment: [String: String]

            /// - Parameter what: `git`, `index` or `socket`
            init(_ login: Login, _ what: String) async throws {
                var environment: [String: String] = [:]
                let profile: String
                switch login {
                case .basic:
                    server = try await RealServers.shared.server(.apache)
                    base = server.url("/basic-\(what)/")
                    environment["PASSWORD"] = TestUsers.alice.password
                    profile = """
                        [profiles.place.basic]
                        username = "\(TestUsers.alice.name)"
                        password-env = "PASSWORD"
                        """
                case .saml2:
                    self = try await Place(.redirect, what)
                    return
                case .oauth2:
                    server = try await RealServers.shared.server(.apache)
                    base = server.url("/token-\(what)/")
                    let issuer = try await RealServers.shared.server(.oauth)
                    try Data(issuer.url("").utf8).write(to: server.directory.appending(path: "git/issuer"))
                    environment["SECRET"] = "machine secret: 100%"
                    profile = """
                        [profiles.place.oauth2]
                        grant = "client-credentials"
                        issuer = "\(OAuthBench.issuer(issuer))"
                        client-id = "machine"
                        client-secret-env = "SECRET"
                        """
                }
                configuration = try await Self.write("[profiles.place]\nmatch = [\"\(base)\"]\n\(profile)")
                self.environment = environment
            }

            init(_ kind: SAMLSite.Kind, _ what: String) async throws {
                let site = try await SAMLSite.running(kind)
                server = site.server
                base = site.url(what.isEmpty ? "" : what + "/")
                configuration = try await Self.write(
                    """
                    [profiles.place]
                    match = ["\(site.url(""))"]
                    web = "terminal"
                    answer-origins = ["\(site.identityProvider)"]
                    [profiles.place.saml2]
                    finish-endpoint = "\(site.finishEndpoint)"
                    finish-parameter = "\(SAMLSite.finishParameter)"
                    [profiles.place.answers]
                    username = { env = "SITE_USER" }
                    password = { env = "SITE_PASSWORD" }
                    """)
                environment = ["SITE_USER": TestUsers.alice.name, "SITE_PASSWORD": TestUsers.alice.password]
            }

            /// A server of a test's own that takes bearers of a token.
            init(issuer: RealServer, at base: String) async throws {
                server = issuer
                self.base = base
                configuration = try await Self.write(
                    """
                    [profiles.place]
                    match = ["\(base)"]
                    [profiles.place.oauth2]
                    grant = "client-credentials"
                    issuer = "\(OAuthBench.issuer(issuer))"
                    client-id = "machine"
                    client-secret-env = "SECRET"
                    """)
                environment = ["SECRET": "machine secret: 100%"]
            }

            private static func write(_ profile: String) async throws -> URL {
                try await RealServers.shared.directory().file("relay.toml", Array(profile.utf8))
            }

            private func command(_ program: [String], at path: String) -> [String] {
                ["relay", "--config", configuration.path, base + path, "--"] + program
            }

            private func environment(with more: [String: String]) async throws -> [String: String] {
                let state = try await RealServers.shared.directory().file("state")
                return environment.merging(more) { $1 }.merging(["XDG_STATE_HOME": state.path]) { $1 }
            }

            /// Runs a program with a relay. `{url}` stands for the relay's URL.
            func relayed(
                _ program: [String], at path: String = "", environment: [String: String] = [:], seconds: Int = 50
            ) async throws -> Program.Outcome {
                try await Program.run(
                    BuiltProduct.httpc, command(program, at: path),
                    environment: try await self.environment(with: environment), seconds: seconds)
            }

            /// Starts a program with a relay.
            func start(_ program: [String], at path: String = "") async throws -> ChildProcess {
                try ChildProcess(
                    BuiltProduct.httpc, command(program, at: path),
                    environment: Program.environment.merging(try await environment(with: [:])) { $1 })
            }
        }

        private func folder() async throws -> URL {
            let folder = try await RealServers.shared.directory().file("relay")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            return folder
        }

        /// A file of ten megabytes does not fit into what the relay keeps of an upload.
        @Test("git clones, commits and pushes", arguments: Login.allCases)
        func git(_ login: Login) async throws {
            let place = try await Place(login, "git")
            let name = "relay-\(UInt32.random(in: 0...UInt32.max)).git"
            let bare = place.server.directory.appending(path: "git/\(name)").path
            let made = try await Program.run(
                "/bin/sh", ["-c", "git init -q --bare \"$0\" && chmod -R a+rwX \"$0\"", bare])
            #expect(made.status == 0, "\(made.errors)")
            let home = try await folder().path
            let environment = [
                "HOME": home, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A",
                "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
            ]
            let script = """
                set -e
                cd "$HOME"
                git clone -q "$1/\(name)" first
                cd first
                head -c 10485760 /dev/urandom > large
                git add large
                git commit -qm one
                git push -q origin HEAD:main
                git -C "$HOME" clone -q --branch main "$1/\(name)" second
                cmp large "$HOME/second/large"
                """
            let outcome = try await place.relayed(
                ["/bin/sh", "-c", script, "sh", "{url}"], environment: environment)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let path = place.base.split(separator: "/").dropFirst(2).joined(separator: "/")
            let requests = try place.server.received(below: "/\(path)/\(name)")
            #expect(requests.contains { $0.path.hasSuffix("/git-receive-pack") })
            #expect(requests.count > 6)
            if login == .basic {
                // Once for each directory of the protection space: two, whatever the number of requests.
                #expect(requests.count { !$0.fields.contains { $0.0.lowercased() == "authorization" } } == 2)
            }
            // Without the relay's login there is no repository.
            let direct = try await Program.run(
                "/usr/bin/git", ["clone", "-q", "\(place.base)\(name)", "\(home)/third"],
                environment: environment, seconds: 20)
            #expect(direct.status != 0)
        }

        @Test("A file is uploaded and downloaded, by parts as well")
        func files() async throws {
            let place = try await Place(.basic, "dav")
            let name = "relay-\(UInt32.random(in: 0...UInt32.max))"
            let home = try await folder().path
            let script = """
                set -e
                cd "$0"
                head -c 5000000 /dev/urandom > sent
                curl -sSf -T sent "$1/\(name)"
                curl -sSf -o whole "$1/\(name)"
                cmp sent whole
                curl -sSf -r 1000-1999 -o part "$1/\(name)"
                dd if=sent bs=1000 skip=1 count=1 2>/dev/null | cmp - part
                test "$(curl -sSI "$1/\(name)" | tr -d '\\r' | grep -i ^content-length:)" = "Content-Length: 5000000"
                curl -sSf -X MKCOL "$1/\(name)-folder"
                test "$(curl -sS -o /dev/null -w '%{http_code}' "$1/none")" = 404
                """
            let outcome = try await place.relayed(["/bin/sh", "-c", script, home, "{url}"])
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test("Compressed answers are unpacked once")
        func compressed() async throws {
            let apache = try await RealServers.shared.server(.apache)
            let outcome = try await Program.run(
                BuiltProduct.httpc,
                ["relay", apache.url("/compressed/"), "--", "curl", "-sSf", "--compressed", "{url}/x"], seconds: 50)
            #expect(outcome.text == Fixture.long, "\(outcome.errors)")
        }

        /// mod_deflate gives a compressed body a tag of its own, and takes that in no condition.
        @Test("A tag that was read is a condition behind mod_deflate")
        func conditions() async throws {
            let apache = try await RealServers.shared.server(.apache)
            let name = "relay-\(UInt32.random(in: 0...UInt32.max)).txt"
            let file = apache.directory.appending(path: "dav/\(name)")
            try Data(Fixture.long.utf8).write(to: file)
            // The tag of a file that has just changed is a weak one.
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o666, .modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
                ofItemAtPath: file.path)
            let script = """
                set -e
                cd "$0"
                seq 1000 > sent
                tag=$(curl -sSf -D - -o got "$1/\(name)" | tr -d '\\r' | sed -n 's/^[Ee][Tt]ag: //p')
                test -n "$tag"
                cmp got "$2"
                test "$(curl -sS -o /dev/null -w '%{http_code}' -H "If-None-Match: $tag" "$1/\(name)")" = 304
                test "$(curl -sS -o /dev/null -w '%{http_code}' -T sent -H "If-Match: $tag" "$1/\(name)")" = 204
                """
            let outcome = try await Program.run(
                BuiltProduct.httpc,
                [
                    "relay", apache.url("/compressed-dav/"), "--", "/bin/sh", "-c", script, try await folder().path,
                    "{url}",
                    file.path,
                ],
                seconds: 50)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        /// The local URL of a relay ends with it.
        @Test("A clone keeps the server's URL, and the next relay fetches from there")
        func clone() async throws {
            let place = try await Place(.basic, "git")
            let name = "relay-\(UInt32.random(in: 0...UInt32.max)).git"
            let bare = place.server.directory.appending(path: "git/\(name)").path
            let home = try await folder().path
            let made = try await Program.run(
                "/bin/sh", ["-c", "git init -q --bare \"$0\" && chmod -R a+rwX \"$0\"", bare])
            #expect(made.status == 0, "\(made.errors)")
            let instead = "url.{url}/.insteadOf=\(place.base)"
            let environment = ["HOME": home, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"]
            let cloned = try await place.relayed(
                ["git", "-c", instead, "clone", "-q", place.base + name, "\(home)/clone"], environment: environment)
            #expect(cloned.status == 0, "\(cloned.errors)")
            let settings = try String(contentsOfFile: "\(home)/clone/.git/config", encoding: .utf8)
            #expect(settings.contains("url = \(place.base)\(name)\n"), "\(settings)")
            let fetched = try await place.relayed(
                ["git", "-C", "\(home)/clone", "-c", instead, "fetch", "-q"], environment: environment)
            #expect(fetched.status == 0, "\(fetched.errors)")
        }

        /// They do not lead through the secret's part of the local URL.
        @Test("wget follows links that begin with a slash, with the secret in a field")
        func linksFromTheRoot() async throws {
            let apache = try await RealServers.shared.server(.apache)
            let name = "relay-\(UInt32.random(in: 0...UInt32.max))"
            let folder = apache.directory.appending(path: "www/\(name)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try Data("<a href=\"/\(name)/next.html\">next</a>".utf8).write(to: folder.appending(path: "first.html"))
            try Data("the next page".utf8).write(to: folder.appending(path: "next.html"))
            let script = """
                set -e
                cd "$0"
                root=${1%/*}
                wget -q -r -e robots=off --no-proxy --header "Httpc-Relay-Secret: ${1##*/}" "$root/\(name)/first.html"
                grep -q 'the next page' */\(name)/next.html
                """
            let outcome = try await Program.run(
                BuiltProduct.httpc,
                ["relay", apache.url("/"), "--", "/bin/sh", "-c", script, try await self.folder().path, "{url}"],
                seconds: 50)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        /// Its page has links that count from its own URL.
        @Test("pip downloads from an index", arguments: [Login.saml2, .oauth2])
        func pip(_ login: Login) async throws {
            let place = try await Place(login, "index")
            let home = try HelperHome("", environment: [:])
            defer { home.remove() }
            try await home.makePackage(in: place.server.directory.appending(path: "www"))
            let python = ServerKind.pypi.executable
            let arguments = [
                "-m", "pip", "--disable-pip-version-check", "--no-input", "--isolated", "--no-cache-dir", "download",
                "--quiet", "--no-deps", "--index-url", "{url}/simple/", "--dest", home.path("wheels"), "probe",
            ]
            let outcome = try await place.relayed([python] + arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(FileManager.default.fileExists(atPath: home.path("wheels/probe-1.0-py3-none-any.whl")))
        }

        // MARK: WebSockets

        /// A WebSocket server of a test's own.
        private final class Echo: Sendable {
            let port: Int
            private let child: ChildProcess

            /// - Parameter issuer: the server whose tokens it demands; nil: it takes everybody
            init(issuer: RealServer? = nil) async throws {
                let output = try await RealServers.shared.directory().file("echo")
                child = try ChildProcess(
                    "/usr/bin/python3", [Fixture.source("echo_server.py").path] + (issuer.map { [$0.url("")] } ?? []),
                    environment: Program.environment, output: .file(output.path))
                let text = { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
                while !text().hasSuffix("\n") { try await Task.sleep(for: .milliseconds(10)) }
                port = try #require(Int(text().dropLast()))
            }

            deinit { child.signal(SIGKILL) }
        }

        @Test("A WebSocket echoes", arguments: Login.allCases)
        func webSocket(_ login: Login) async throws {
            let client = ["/usr/bin/python3", Fixture.source("echo_client.py").path, "{url}/x"]
            let outcome: Program.Outcome
            switch login {
            case .basic, .saml2:
                let echo = try await Echo()
                outcome = try await Place(login, "socket").relayed(client, at: "\(echo.port)/")
            case .oauth2:
                let issuer = try await RealServers.shared.server(.oauth)
                let echo = try await Echo(issuer: issuer)
                let base = "http://127.0.0.1:\(echo.port)/"
                outcome = try await Place(issuer: issuer, at: base).relayed(client)
                let direct = try await Program.run(client[0], [client[1], base + "x"], seconds: 20)
                #expect(direct.status != 0 && direct.errors.contains("401"), "\(direct.errors)")
            }
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        /// The page tells the server what its WebSocket has brought.
        @Test("A page behind SAML2 opens its WebSocket in Chromium")
        func chromium() async throws {
            let echo = try await Echo()
            let place = try await Place(.post, "files")
            let name = "chat-\(echo.port).html"
            let page = """
                <!DOCTYPE html><script>
                const socket = new WebSocket("ws://" + location.host + "/socket/\(echo.port)/x");
                socket.onopen = () => socket.send("hello");
                socket.onmessage = event => fetch("/page?echoed=" + event.data + "-\(echo.port)");
                socket.onerror = socket.onclose = () => fetch("/page?failed-\(echo.port)");
                </script>
                """
            try Data(page.utf8).write(to: place.server.directory.appending(path: "www/\(name)"))
            let site = try await Place(.post, "")
            let browser = try await site.start(
                [
                    "/usr/bin/chromium", "--headless", "--disable-gpu", "--no-first-run", "--no-sandbox",
                    "--user-data-dir=\(try await folder().path)", "{url}/files/\(name)",
                ])
            let told = { try place.server.log("forensic.log", with: "\(echo.port)").filter { $0.contains("/page?") } }
            while try told().isEmpty { try await Task.sleep(for: .milliseconds(50)) }
            browser.signal(SIGTERM)
            _ = await browser.status
            let line = try #require(try told().first)
            #expect(line.contains("GET /post/page?echoed=hello-\(echo.port)"), "\(line)")
        }

        // MARK: Long transfers

        /// The sessions end after two seconds, and the parts take longer.
        @Test("Sessions end in the middle of 40 MiB of many parts, both ways", .timeLimit(.minutes(5)))
        func sessionsThatEnd() async throws {
            let place = try await Place(.short, "")
            let site = try await SAMLSite.running(.short)
            let name = "large-\(UInt32.random(in: 0...UInt32.max))"
            let large = place.server.directory.appending(path: "www/\(name)").path
            let before = try site.logins()
            let script = """
                set -e
                cd "$0"
                head -c 41943040 /dev/urandom > "$2"
                chmod a+r "$2"
                part=5242880
                for number in $(seq 0 7); do
                    curl -sSf -r "$((number * part))-$((number * part + part - 1))" "$1/files/\(name)" >> down
                    test "$number" -ne 3 || sleep 2.5
                done
                cmp down "$2"
                for number in $(seq 0 7); do
                    dd if="$2" of=piece bs=$part skip=$number count=1 2>/dev/null
                    curl -sSf --retry 3 --data-binary @piece -H 'Content-Type: application/octet-stream' "$1/sink" > answer
                    grep -q "$(sha256sum < piece | cut -d' ' -f1)" answer
                    test "$number" -ne 3 || sleep 2.5
                done
                """
            let outcome = try await place.relayed(
                ["/bin/sh", "-c", script, try await folder().path, "{url}", large], seconds: 250)
            #expect(outcome.status == 0, "\(outcome.errors)")
            try FileManager.default.removeItem(atPath: large)
            #expect(try place.server.received(below: "/short/mellon/login").count > 2)
            #expect(try site.logins() > before)
        }

        /// kubectl's watches are answers that do not end for a while.
        @Test("kubectl watches through SAML2")
        func kubectl() async throws {
            let place = try await Place(.redirect, "")
            let configuration = """
                apiVersion: v1
                kind: Config
                current-context: test
                contexts: [{name: test, context: {cluster: test, user: test}}]
                clusters: [{name: test, cluster: {server: "URLcluster"}}]
                users: [{name: test, user: {}}]
                """
            let file = try await folder().appending(path: "cluster")
            try Data(configuration.utf8).write(to: file)
            let script = """
                set -e
                sed -i "s,URL,${1%/}/," "$0"
                path=${1#http://*/}
                # A raw path counts from the server's root.
                kubectl --kubeconfig "$0" get --raw "/${path%/}/cluster/api/v1/namespaces/default/pods?watch=true"
                kubectl --kubeconfig "$0" --cache-dir "$0.cache" get pods --watch -o name
                """
            let outcome = try await place.relayed(["/bin/sh", "-c", script, file.path, "{url}"])
            #expect(outcome.status == 0, "\(outcome.errors)")
            let lines = outcome.text.split(separator: "\n")
            #expect(lines.prefix(10).allSatisfy { $0.contains("ADDED") }, "\(outcome.text)")
            #expect(lines.dropFirst(10) == (1...13).map { "pod/pod-\($0)" }[...], "\(outcome.text)")
        }
    }
}
