import Foundation
import TestSupport
import Testing

extension RealServerTests {
    /// Other programs through `httpc relay`, which logs in for them.
    @Suite(.serialized) struct Relays {
        /// Runs a program with a relay to a server, as Alice. `{url}` stands for the relay's URL.
        private func relayed(
            to url: String, _ program: [String], environment: [String: String] = [:]
        ) async throws -> Program.Outcome {
            let user = TestUsers.alice
            let environment = environment.merging(["PASSWORD": user.password]) { $1 }
            let profile = """
                [profiles.staff]
                match = ["\(url)"]
                [profiles.staff.basic]
                username = "\(user.name)"
                password-env = "PASSWORD"
                """
            let file = try await RealServers.shared.directory().file("relay.toml", Array(profile.utf8))
            return try await Program.run(
                BuiltProduct.httpc, ["relay", "--config", file.path, url, "--"] + program, environment: environment,
                seconds: 50)
        }

        private func folder() async throws -> URL {
            let folder = try await RealServers.shared.directory().file("relay")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            return folder
        }

        /// A file of ten megabytes does not fit into what the relay keeps of an upload.
        @Test("git clones, commits and pushes through Basic")
        func git() async throws {
            let apache = try await RealServers.shared.server(.apache)
            let name = "relay-\(UInt32.random(in: 0...UInt32.max)).git"
            let bare = apache.directory.appending(path: "git/\(name)").path
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
            let outcome = try await relayed(
                to: apache.url("/basic-git/"), ["/bin/sh", "-c", script, "sh", "{url}"], environment: environment)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let requests = try apache.received(below: "/basic-git/\(name)")
            #expect(requests.contains { $0.path.hasSuffix("/git-receive-pack") })
            // Once for each directory of the protection space: two, whatever the number of requests.
            #expect(requests.count { !$0.fields.contains { $0.0.lowercased() == "authorization" } } == 2)
            #expect(requests.count > 6)
            // Without the relay's login there is no repository.
            let direct = try await Program.run(
                "/usr/bin/git", ["clone", "-q", apache.url("/basic-git/\(name)"), "\(home)/third"],
                environment: environment, seconds: 20)
            #expect(direct.status != 0)
        }

        @Test("A file is uploaded and downloaded, by parts as well")
        func files() async throws {
            let apache = try await RealServers.shared.server(.apache)
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
            let outcome = try await relayed(to: apache.url("/basic-dav/"), ["/bin/sh", "-c", script, home, "{url}"])
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test("Compressed answers are unpacked once")
        func compressed() async throws {
            let apache = try await RealServers.shared.server(.apache)
            let outcome = try await relayed(
                to: apache.url("/compressed/"), ["curl", "-sSf", "--compressed", "{url}/x"])
            #expect(outcome.text == Fixture.long, "\(outcome.errors)")
        }
    }
}
