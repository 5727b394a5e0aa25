import Foundation
import TestSupport
import Testing

/// The home directory of a person whose programs use `httpc` as their helper.
struct HelperHome {
    let directory: URL
    private let environment: [String: String]

    /// - Parameters:
    ///   - profiles: the text of the configuration
    ///   - secrets: the variables that the profiles name
    init(_ profiles: String, environment secrets: [String: String]) throws {
        directory = TemporaryPlace.unused("helpers")
        let folder = directory.appending(path: "config/httpc")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(profiles.utf8).write(to: folder.appending(path: "config.toml"))
        let git = """
            [user]
            name = Alice
            email = alice@example.com
            [init]
            defaultBranch = main
            [credential]
            helper = !'\(BuiltProduct.httpc)' credential git
            useHttpPath = true
            """
        try Data(git.utf8).write(to: directory.appending(path: ".gitconfig"))
        let path = { [directory] (name: String) in directory.appending(path: name).path }
        environment = secrets.merging([
            "HOME": path(""), "XDG_CONFIG_HOME": path("config"), "XDG_STATE_HOME": path("state"),
            "PATH": "\(Self.programs):/usr/bin:/bin", "REGISTRY_AUTH_FILE": path("auth.json"),
            "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1",
        ]) { $1 }
    }

    /// The folders of the built command, and of the programs that start it.
    private static let programs =
        "\(URL(filePath: BuiltProduct.httpc).deletingLastPathComponent().path):\(Fixture.package.appending(path: "Support/Helpers").path)"

    func remove() { try? FileManager.default.removeItem(at: directory) }

    func path(_ name: String) -> String { directory.appending(path: name).path }

    func run(_ program: String, _ arguments: [String], input: [UInt8]? = nil) async throws -> Program.Outcome {
        try await Program.run(program, arguments, input: input, environment: environment, seconds: 60)
    }

    // MARK: git

    func git(_ arguments: String...) async throws -> Program.Outcome { try await run("/usr/bin/git", arguments) }

    /// Makes an empty repository that the server's workers can write, and returns its URL.
    func makeRepository(on server: RealServer, below path: String) async throws -> String {
        let name = "\(UUID().uuidString).git"
        let place = server.directory.appending(path: "git/\(name)").path
        let made = try await git("init", "--quiet", "--bare", "--shared=0777", place)
        try #require(made.status == 0, "\(made.errors)")
        let opened = try await run("/bin/chmod", ["-R", "a+rwX", place])
        try #require(opened.status == 0, "\(opened.errors)")
        return server.url(path + name)
    }

    /// Clones, commits, pushes, clones again, and looks for the commit.
    func cloneAndPush(_ url: String) async throws {
        let (first, second) = (path("first"), path("second"))
        for arguments in [
            ["clone", "--quiet", url, first], ["-C", first, "commit", "--quiet", "--allow-empty", "-m", "arrived"],
            ["-C", first, "push", "--quiet", "origin", "main"], ["clone", "--quiet", url, second],
        ] {
            let outcome = try await run("/usr/bin/git", arguments)
            #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
        }
        #expect(try await git("-C", second, "log", "--format=%s").text == "arrived\n")
    }

    // MARK: Others

    /// Requests a path of a cluster's server.
    func kubectl(_ path: String, at server: String) async throws -> Program.Outcome {
        let configuration = """
            apiVersion: v1
            kind: Config
            current-context: test
            contexts: [{name: test, context: {cluster: test, user: test}}]
            clusters:
            - name: test
              cluster: {server: "\(server)", certificate-authority: "\(try await RealServers.shared.authority().path)"}
            users:
            - name: test
              user:
                exec:
                  apiVersion: client.authentication.k8s.io/v1beta1
                  command: httpc
                  args: [credential, kubernetes, "\(server)"]
            """
        try Data(configuration.utf8).write(to: directory.appending(path: "cluster"))
        return try await run("/usr/bin/kubectl", ["--kubeconfig", self.path("cluster"), "get", "--raw", path])
    }

    /// Runs a Python program with the option `--proxy`. The proxy asks for a password in the server's name; its lines
    /// are the URLs and credentials that it got.
    func behindProxy(_ python: String, _ arguments: [String]) async throws -> Program.Outcome {
        let program = """
            import http.server, subprocess, sys, threading
            class Proxy(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    print(self.path, self.headers.get("Authorization"), flush=True)
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="r"')
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                def log_message(self, *words): pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            proxy = f"http://127.0.0.1:{server.server_port}"
            subprocess.run([sys.executable, *sys.argv[1:], "--proxy", proxy], stdout=subprocess.DEVNULL)
            """
        return try await run(python, ["-c", program] + arguments)
    }

    /// Makes an image without layers in a folder, as `skopeo` reads it.
    func makeImage() async throws -> String {
        let folder = directory.appending(path: "image")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let configuration = Data(
            #"{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":[]}}"#.utf8)
        let hash = try await Program.run("/usr/bin/sha256sum", [], input: configuration)
        let digest = String(hash.text.prefix(64))
        let manifest = """
            {"schemaVersion":2,"mediaType":"application/vnd.docker.distribution.manifest.v2+json","config":{"mediaType":\
            "application/vnd.docker.container.image.v1+json","size":\(configuration.count),"digest":"sha256:\(digest)"},"layers":[]}
            """
        try configuration.write(to: folder.appending(path: digest))
        try Data(manifest.utf8).write(to: folder.appending(path: "manifest.json"))
        try Data("Directory Transport Version: 1.1\n".utf8).write(to: folder.appending(path: "version"))
        return folder.path
    }

    /// Makes the wheel of a package named `probe`.
    func makePackage(in folder: URL) async throws {
        let program = """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1] + "/probe-1.0-py3-none-any.whl", "w") as wheel:
                wheel.writestr("probe.py", "")
                wheel.writestr("probe-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: probe\\nVersion: 1.0\\n")
                wheel.writestr("probe-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
                wheel.writestr("probe-1.0.dist-info/RECORD", "")
            """
        let made = try await run("/usr/bin/python3", ["-c", program, folder.path])
        try #require(made.status == 0, "\(made.errors)")
    }
}
