import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests {
    /// Client certificates whose keys are on a PKCS#11 token: SoftHSM, alone and behind a module that fails as asked.
    @Suite(.serialized) struct Tokens {
        private static let softHSM = "/usr/lib/softhsm/libsofthsm2.so"
        private static let ports = [RealServer.Port.mutual12, .mutual13]

        private enum Key: String, CaseIterable {
            case rsa, p256 = "P-256", p384 = "P-384"

            var options: [String] {
                self == .rsa
                    ? ["-newkey", "rsa:2048"] : ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:\(rawValue)"]
            }
        }

        /// A token with one certificate and key for each kind, made once.
        private struct Token {
            let folder: URL
            let environment: [String: String]

            private static let made = Task { try await make() }
            static var shared: Token { get async throws { try await made.value } }

            func uri(_ path: String, module: String = softHSM) -> String { "pkcs11:\(path)?module-path=\(module)" }
            var faultyModule: String { folder.appending(path: "token.so").path }

            func httpc(_ options: [String], fault: String? = nil, gone: String? = nil, logins: URL? = nil)
                async throws -> Program.Outcome
            {
                var environment = environment
                environment["TOKEN_FAULT"] = fault
                environment["TOKEN_GONE"] = gone
                environment["TOKEN_LOGINS"] = logins?.path
                return try await Program.run(
                    BuiltProduct.httpc,
                    ["-sS", "--cacert", try await RealServers.shared.authority().path] + options,
                    environment: environment,
                    seconds: 40)
            }

            private static func make() async throws -> Token {
                let base = try await RealServers.shared.directory()
                let folder = base.url.appending(path: "softhsm")
                let tokens = folder.appending(path: "tokens")
                try FileManager.default.createDirectory(at: tokens, withIntermediateDirectories: true)
                let configuration = folder.appending(path: "softhsm2.conf")
                try Data("directories.tokendir = \(tokens.path)\nlog.level = ERROR\n".utf8).write(to: configuration)
                var environment = Program.environment
                environment["SOFTHSM2_CONF"] = configuration.path
                environment["TOKEN_MODULE"] = softHSM
                let token = Token(folder: folder, environment: environment)
                let fixture = Fixture.source("token.c").path
                try await token.run("/usr/bin/env", ["clang", "-shared", "-fPIC", "-o", token.faultyModule, fixture])
                let softhsm = "/usr/bin/softhsm2-util"
                try await token.run(
                    softhsm, ["--init-token", "--free", "--label", "work", "--pin", "1234", "--so-pin", "5678"])
                for (index, key) in Key.allCases.enumerated() {
                    let client = folder.appending(path: key.rawValue)
                    try FileManager.default.moveItem(
                        at: try await base.newClient("alice-\(key.rawValue)", key: key.options), to: client)
                    try await token.store(key: client, certificate: client, at: "work", key.rawValue, id: "0\(index)")
                }
                // A certificate whose id belongs to the key of another one.
                try await token.run(
                    softhsm, ["--init-token", "--free", "--label", "mixed", "--pin", "1234", "--so-pin", "5678"])
                try await token.store(
                    key: base.client("stranger"), certificate: base.client("mallory"), at: "mixed", "other", id: "0A")
                return token
            }

            private func store(
                key: URL, certificate: URL, at label: String, _ name: String, id: String
            ) async throws {
                try await run(
                    "/usr/bin/softhsm2-util",
                    [
                        "--import", key.appending(path: "client.key").path, "--token", label, "--label", name, "--id",
                        id,
                        "--pin", "1234",
                    ])
                try await run(
                    "/usr/bin/pkcs11-tool",
                    [
                        "--module", Tokens.softHSM, "--login", "--pin", "1234", "--token-label", label,
                        "--write-object",
                        certificate.appending(path: "client.pem").path, "--type", "cert", "--label", name, "--id", id,
                    ])
            }

            private func run(_ program: String, _ arguments: [String]) async throws {
                let outcome = try await Program.run(program, arguments, environment: environment, seconds: 40)
                guard outcome.status == 0 else {
                    throw SetupFailure("\(program) \(arguments): \(outcome.errors)\(outcome.text)")
                }
            }
        }

        @Test("httpc gets in with a key on a token", arguments: [ServerKind.apache, .nginx], ports)
        func getsIn(kind: ServerKind, port: RealServer.Port) async throws {
            let server = try await RealServers.shared.server(kind)
            let token = try await Token.shared
            for key in Key.allCases {
                let outcome = try await token.httpc([
                    "-i", "--cert", token.uri("token=work;object=\(key.rawValue)"), "--pass", "1234",
                    server.url("/hello.txt", port),
                ])
                #expect(outcome.status == 0, "\(key), token: \(outcome.errors)")
                // As from a file.
                let file = token.folder.appending(path: key.rawValue).path
                let same = try await token.httpc([
                    "-i", "--cert", "\(file)/client.pem", "--key", "\(file)/client.key", server.url("/hello.txt", port),
                ])
                #expect(same.status == 0, "\(key), file: \(same.errors)")
                #expect(outcome.text.hasSuffix(Fixture.hello))
                #expect(outcome.text.contains("alice-\(key.rawValue)"))
            }
        }

        @Test("p11-kit finds the token, without a module and as the module itself")
        func throughP11Kit() async throws {
            let server = try await RealServers.shared.server(.nginx)
            let token = try await Token.shared
            let proxy = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib")
                .map { "/usr/lib/\($0)/p11-kit-proxy.so" }.first { FileManager.default.fileExists(atPath: $0) }
            for key in Key.allCases {
                let path = "token=work;object=\(key.rawValue)"
                for uri in ["pkcs11:\(path)", token.uri(path, module: try #require(proxy))] {
                    let outcome = try await token.httpc([
                        "-i", "--cert", uri, "--pass", "1234", server.url("/hello.txt", .mutual13),
                    ])
                    #expect(outcome.status == 0, "\(uri): \(outcome.errors)")
                    #expect(outcome.text.contains("alice-\(key.rawValue)"))
                }
            }
        }

        @Test("Wrong PINs, names and modules are errors that say what is wrong (58)")
        func refused() async throws {
            let server = try await RealServers.shared.server(.nginx)
            let token = try await Token.shared
            let url = server.url("/hello.txt", .mutual13)
            let faulty = token.uri("token=work;object=rsa", module: token.faultyModule)
            let cases: [(uri: String, pin: String, fault: String?, words: String)] = [
                (token.uri("token=work;object=rsa"), "9999", nil, "refused the PIN"),
                (token.uri("token=work;object=rsa") + "&pin-value=", "1234", nil, "is empty"),
                (faulty, "1234", "locked", "is locked"),
                (faulty, "1234", "broken", "failed at signing"),
                (token.uri("token=work"), "1234", nil, "matches 3 certificates"),
                (token.uri("token=home"), "1234", nil, "No token matches"),
                (token.uri("token=work;object=bob"), "1234", nil, "No certificate"),
                (token.uri("token=mixed;object=other"), "1234", nil, "does not belong to the certificate"),
                (
                    token.uri("token=work", module: "/usr/lib/x86_64-linux-gnu/libz.so.1"), "1234", nil,
                    "not a PKCS#11 module"
                ),
                (token.uri("token=work", module: "/nowhere.so"), "1234", nil, "cannot be loaded"),
                ("pkcs11:token=work;slot-id=1", "1234", nil, "slot-id is not an attribute"),
            ]
            for (uri, pin, fault, words) in cases {
                let outcome = try await token.httpc(["--cert", uri, "--pass", pin, url], fault: fault)
                #expect(outcome.status == 58, "\(uri): \(outcome.errors)")
                #expect(outcome.errors.contains(words), "\(uri): \(outcome.errors)")
                #expect(!outcome.errors.contains(pin), "\(outcome.errors)")
                #expect(outcome.text.isEmpty)
            }
        }

        @Test("A PIN comes from the URI, and from a file that it names")
        func pinOfTheURI() async throws {
            let server = try await RealServers.shared.server(.nginx)
            let token = try await Token.shared
            let file = token.folder.appending(path: "pin")
            try Data("1234\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            for attribute in ["pin-value=1234", "pin-source=file:\(file.path)"] {
                let outcome = try await token.httpc([
                    "--cert", token.uri("token=work;object=rsa") + "&\(attribute)", server.url("/hello.txt", .mutual13),
                ])
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
        }

        @Test("A token that is removed between two requests ends the second one (58)")
        func removed() async throws {
            let server = try await RealServers.shared.server(.nginx)
            let token = try await Token.shared
            // The first request's output is the sign that the token is gone.
            let output = token.folder.appending(path: "first").path
            let outcome = try await token.httpc(
                [
                    "--cert", token.uri("token=work;object=rsa", module: token.faultyModule), "--pass", "1234",
                    "-o", output, server.url("/hello.txt", .mutual12), "-o", "/dev/null",
                    server.url("/hello.txt", .mutual13),
                ], gone: output)
            #expect(outcome.status == 58, "\(outcome.errors)")
            #expect(outcome.errors.contains("is not there any more"), "\(outcome.errors)")
            #expect(try String(contentsOfFile: output, encoding: .utf8) == Fixture.hello)
        }

        @Test("A PIN that the token refuses at a signature is not given to it again (58)")
        func refusedAtASignature() async throws {
            let token = try await Token.shared
            let logins = token.folder.appending(path: "logins-stale")
            // Four connections, each of which needs a signature.
            var urls: [String] = []
            for kind in [ServerKind.nginx, .apache] {
                let server = try await RealServers.shared.server(kind)
                urls += Self.ports.map { server.url("/hello.txt", $0) }
            }
            let outcome = try await token.httpc(
                ["--cert", token.uri("token=work;object=rsa", module: token.faultyModule), "--pass", "1234"] + urls,
                fault: "stale", logins: logins)
            #expect(outcome.status == 58, "\(outcome.errors)")
            #expect(outcome.text == Fixture.hello)
            #expect(outcome.errors.contains("refused the PIN"), "\(outcome.errors)")
            // One login finds the key, one signs, one is refused.
            #expect(try String(contentsOf: logins, encoding: .utf8) == "..x")
        }

        @Test(
            "Another token in the same reader, and one with a single try left, do not get the PIN (58)",
            arguments: [
                ("swapped", "is not there any more", false), ("final", "a prepared PIN is not tried", false),
                ("final", "a prepared PIN is not tried", true),
            ])
        func changed(fault: String, words: String, isInTheName: Bool) async throws {
            let server = try await RealServers.shared.server(.nginx)
            let token = try await Token.shared
            let logins = token.folder.appending(path: "logins-\(fault)-\(isInTheName)")
            // The first request's output is the sign that the token has changed.
            let output = token.folder.appending(path: "before-\(fault)-\(isInTheName)").path
            let name = token.uri("token=work;object=rsa", module: token.faultyModule)
            let outcome = try await token.httpc(
                (isInTheName ? ["--cert", name + "&pin-value=1234"] : ["--cert", name, "--pass", "1234"]) + [
                    "-o", output, server.url("/hello.txt", .mutual12), "-o", "/dev/null",
                    server.url("/hello.txt", .mutual13),
                ], fault: fault, gone: output, logins: logins)
            #expect(outcome.status == 58, "\(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
            #expect(try String(contentsOfFile: output, encoding: .utf8) == Fixture.hello)
            #expect(try String(contentsOf: logins, encoding: .utf8) == "..")
        }

        @Test("A slow token delays its own connection only")
        func slow() async throws {
            let server = try await RealServers.shared.server(.nginx)
            let token = try await Token.shared
            let others = (0..<50).map { server.url("/hello.txt?\($0)", .plain) }
            let outcome = try await token.httpc(
                [
                    "-Z", "--parallel-max", "60", "-o", "/dev/null", "-w", "%{url_effective} %{time_total}\n",
                    "--cert", token.uri("token=work;object=rsa", module: token.faultyModule), "--pass", "1234",
                    server.url("/hello.txt", .mutual13),
                ] + others, fault: "slow")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let times = outcome.text.split(separator: "\n").compactMap { line -> (Substring, Double)? in
                let parts = line.split(separator: " ")
                return parts.count == 2 ? Double(parts[1]).map { (parts[0], $0) } : nil
            }
            #expect(times.count == 51, "\(outcome.text)")
            let slow = try #require(times.first { $0.0.hasPrefix("https") }).1
            #expect(slow >= 1)
            // Most of the others end before the signature is made.
            #expect(times.count { $0.1 < slow } >= 45, "\(outcome.text)")
        }
    }
}
