import Foundation
import TestSupport
import Testing

/// Docker's registry, which sends its clients to a token server (Docker's token authentication).
final class TokenRegistry: Sendable {
    /// Its `host:port`, without TLS.
    let host: String
    private let directory: URL
    private let tokens: ChildProcess
    private let registry: ChildProcess

    /// Starts both for a user.
    init(_ user: String, _ password: String) async throws {
        directory = try await RealServers.shared.directory().file("registry")
        try FileManager.default.createDirectory(
            at: directory.appending(path: "data"), withIntermediateDirectories: true)
        let path = { [directory] (name: String) in directory.appending(path: name).path }
        let made = try await Program.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", path("token.key"), "-days", "2", "-subj",
                "/CN=tokens", "-out", path("token.pem"),
            ])
        try #require(made.status == 0, "\(made.errors)")
        let output = directory.appending(path: "tokens.log")
        tokens = try ChildProcess(
            ServerKind.oauth.executable,
            [Fixture.source("token_server.py").path, path("token.key"), path("token.pem"), user, password],
            environment: Program.environment, output: .file(output.path), errors: .file(path("tokens.errors")))
        let lines = { ((try? String(contentsOf: output, encoding: .utf8)) ?? "").split(separator: "\n") }
        while lines().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        let port = try #require(try FreePorts.find(1).first)
        host = "127.0.0.1:\(port)"
        var text = try String(contentsOf: Fixture.source("registry-token.yml"), encoding: .utf8)
        for (name, value) in [("DIR", directory.path), ("PORT", "\(port)"), ("TOKENPORT", String(lines()[0]))] {
            text = text.replacing("@\(name)@", with: value)
        }
        try Data(text.utf8).write(to: directory.appending(path: "registry.yml"))
        registry = try ChildProcess(
            ServerKind.registry.executable, ["serve", path("registry.yml")], environment: Program.environment,
            errors: .file(path("registry.errors")))
        for _ in 0..<400 {
            let answer = try await Program.run(
                "/usr/bin/curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", "http://\(host)/v2/"])
            if answer.text == "401" { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw SetupFailure("docker-registry does not start")
    }

    deinit {
        for child in [tokens, registry] { child.signal(SIGKILL) }
    }

    /// The scopes of the tokens so far.
    var scopes: [String] {
        get throws {
            let text = try String(contentsOf: directory.appending(path: "tokens.log"), encoding: .utf8)
            return text.split(separator: "\n").dropFirst().map { String($0.dropFirst("token for ".count)) }
        }
    }
}
