import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Every option that decides which servers are permitted, for every command that connects (security rule S28).
@Suite(.landscape, .timeLimit(.minutes(3))) struct ConnectionOptionTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    enum Command: CaseIterable, Sendable {
        case request, odata, login, tokens, logout, logon, settings, unregister, unlock

        /// Whether it sends requests. Opening the vault sends none, so any setting is fine.
        var connects: Bool { self != .unlock }
        /// Whether it needs a registration, which takes so long that the options share one.
        var hasRegistration: Bool { [.logon, .settings, .unregister, .unlock].contains(self) }
        /// Whether it creates or ends the shared registration.
        var changesRegistration: Bool { [.logon, .unregister].contains(self) }
    }

    /// An option that reaches the server, and one that must keep every request from it.
    struct Way {
        let name: String
        /// Scheme, host and port of the server, as given to the command.
        let base: String
        let right: [String]
        let wrong: [String]
        /// The arguments of commands that prepare the state.
        var prepared = ["-k"]
        /// Work before the command reaches the server.
        var before: @Sendable (Sandbox) async throws -> Void = { _ in }
        /// The fault of the proxy while nothing may arrive.
        var fault: LandscapeProxyFault?
    }

    private static let environment = [
        "PASSWORD": "wonderland", "CODE": LogonProfile.passcode, "SHELL": "/bin/sh", "NO_COLOR": "1",
    ]

    @Test(arguments: Command.allCases) func holdsOrRefuses(command: Command) async throws {
        let shared = try Sandbox()
        let bridge = try await bridge("socket", to: landscape.port(.secure), in: shared)
        for (base, ways) in Dictionary(grouping: try await ways(landscape, shared), by: \.base) {
            var sandbox: Sandbox?
            for way in ways {
                let place = try command.hasRegistration ? sandbox ?? Sandbox() : Sandbox()
                if place !== sandbox {
                    try configure(base, landscape, in: place)
                    try await prepare(command, way, place)
                }
                sandbox = place
                try await refuses(way, command, landscape, place)
                guard !command.changesRegistration || way.name == ways.last?.name else { continue }
                // The command has removed the tokens.
                if command == .logout { try await prepare(command, way, place) }
                try await reaches(way, command, landscape, place)
            }
            if let sandbox { _ = try await httpc(["lock", "-s"], sandbox) }
        }
        bridge.signal(SIGKILL)
        _ = await bridge.outcome()
    }

    private func refuses(_ way: Way, _ command: Command, _ landscape: Landscape, _ sandbox: Sandbox) async throws {
        landscape.proxyRule.fault = way.fault
        let (count, clock) = (landscape.requests().count, ContinuousClock())
        let begin = clock.now
        let outcome = try await run(command, way, way.wrong, sandbox)
        #expect(outcome.status != 2 && (outcome.status == 0) == !command.connects, "\(way.name): \(outcome)")
        #expect(landscape.requests().count == count, "\(way.name): something arrived")
        #expect(clock.now - begin < .seconds(15), "\(way.name): longer than --connect-timeout")
        landscape.proxyRule.fault = nil
    }

    private func reaches(_ way: Way, _ command: Command, _ landscape: Landscape, _ sandbox: Sandbox) async throws {
        try await way.before(sandbox)
        let (count, proxied) = (landscape.requests().count, landscape.proxyRecords.count)
        let outcome = try await run(command, way, way.right, sandbox)
        #expect(outcome.status == 0, "\(way.name): \(outcome)")
        #expect((landscape.requests().count > count) == command.connects, "\(way.name)")
        let isProxied = command.connects && way.right.contains("-x")
        #expect((landscape.proxyRecords.count > proxied) == isProxied, "\(way.name)")
    }

    /// If the login is at another server, the socket would reach nothing of it.
    @Test(arguments: [["login"], ["tokens", "--access-token"], ["logon", "--profile", "lost"]])
    func aSocketThatReachesNothingIsRefused(command: [String]) async throws {
        let sandbox = try Sandbox()
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        let file = sandbox.path("config/httpc/config.toml")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try sandbox.write(
            text.replacing("/api\"]", with: "/api\", \"http://app.invalid/\"]")
                + "\n[profiles.lost.logon]\napplication = \"com.example.app\"\n", to: "config/httpc/config.toml")
        let url = command.first == "logon" ? [] : ["http://app.invalid/"]
        let outcome = try await sandbox.httpc(
            command + url + ["--unix-socket", "/nowhere"], environment: OAuth2Profile.secrets)
        #expect(outcome.status == 2 && outcome.errors.contains("--unix-socket"), "\(outcome.errors)")
        #expect(landscape.requests().isEmpty)
    }

    // MARK: The options

    private func ways(_ landscape: Landscape, _ shared: Sandbox) async throws -> [Way] {
        let base = landscape.urlString(.secure, "")
        let port = landscape.port(.secure)
        let authority = try shared.authority(of: landscape)
        let other = shared.path("other.pem")
        let made = try await Program.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                "/CN=Other",
            ]
                + ["-keyout", shared.path("other.key"), "-out", other])
        #expect(made.status == 0, "\(made.errors)")
        for (name, file) in [("right", authority), ("wrong", other)] {
            try FileManager.default.createDirectory(
                atPath: shared.path(name), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: file, toPath: shared.path("\(name)/ca.pem"))
        }
        let wrongPin = "sha256//" + Data(repeating: 0, count: 32).base64EncodedString()
        let told = try await shared.httpc("--cacert", authority, "--pinnedpubkey", wrongPin, base + "/json")
        let pins = told.errors.matches(of: /sha256\/\/[A-Za-z0-9+\/]{43}=/).map { String($0.output) }
        let pin = try #require(pins.first { $0 != wrongPin }, "\(told.errors)")
        let proxy = "http://127.0.0.1:\(landscape.port(.proxy))"
        return [
            Way(
                name: "--pinnedpubkey", base: base, right: ["--cacert", authority, "--pinnedpubkey", pin],
                wrong: ["--cacert", authority, "--pinnedpubkey", wrongPin]),
            Way(name: "--cacert", base: base, right: ["--cacert", authority], wrong: ["--cacert", other]),
            Way(
                name: "--capath", base: base, right: ["--capath", shared.path("right")],
                wrong: ["--capath", shared.path("wrong")]),
            Way(name: "-k", base: base, right: ["-k"], wrong: []),
            Way(
                name: "--resolve", base: "https://app.invalid:\(port)",
                right: ["-k", "--resolve", "app.invalid:\(port):127.0.0.1"],
                wrong: ["-k", "--resolve", "app.invalid:\(port):127.0.0.99"],
                prepared: ["-k", "--resolve", "app.invalid:\(port):127.0.0.1"]),
            Way(
                name: "--unix-socket", base: "https://localhost:1",
                right: ["-k", "--unix-socket", shared.path("socket")],
                wrong: ["-k", "--unix-socket", shared.path("nowhere")],
                prepared: ["-k", "--unix-socket", shared.path("socket")]),
            Way(name: "-4", base: base, right: ["-k", "-4"], wrong: ["-k", "-6"]),
            Way(name: "--proxy", base: base, right: ["-k", "-x", proxy], wrong: ["-k", "-x", "http://127.0.0.1:1"]),
            Way(
                name: "--connect-timeout", base: base, right: ["-k", "-x", proxy, "--connect-timeout", "30"],
                wrong: ["-k", "-x", proxy, "--connect-timeout", "1"], fault: .silence),
            Way(
                name: "an accepted key", base: base, right: [], wrong: [],
                before: { try await accept("\(base)/json", $0) }),
        ]
    }

    /// Lets a person accept the key of a server.
    private func accept(_ url: String, _ sandbox: Sandbox) async throws {
        let command = try RunningCommand(
            onTerminal: "\(BuiltProduct.httpc) \(url)", in: sandbox, environment: Self.environment)
        try await command.answer("from now on? (yes/no)", "yes")
        #expect(await command.outcome().status == 0)
    }

    /// A Unix socket that leads to a port of this machine.
    private func bridge(_ name: String, to port: Int, in sandbox: Sandbox) async throws -> RunningCommand {
        let program = """
            import socket, sys, threading
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(sys.argv[1])
            listener.listen(16)
            print("ready", flush=True)
            def pump(source, sink):
                try:
                    while data := source.recv(65536):
                        sink.sendall(data)
                except OSError:
                    pass
                for end in (source, sink):
                    try:
                        end.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
            while True:
                one = listener.accept()[0]
                other = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
                for ends in ((one, other), (other, one)):
                    threading.Thread(target=pump, args=ends, daemon=True).start()
            """
        let bridge = try RunningCommand(
            ["-c", program, sandbox.path(name), "\(port)"], in: sandbox, program: "/usr/bin/python3")
        try await bridge.waitForOutput("ready")
        return bridge
    }

    // MARK: The commands

    private func configure(_ base: String, _ landscape: Landscape, in sandbox: Sandbox) throws {
        let issuer = base + landscape.issuer(.secure).dropFirst(landscape.urlString(.secure, "").count)
        try sandbox.write(
            """
            [profiles.tokens]
            match = ["\(base)/api"]
            [profiles.tokens.oauth2]
            grant = "password"
            client-id = "native"
            username = "alice"
            password-env = "PASSWORD"
            token-endpoint = "\(issuer)/token"
            revocation-endpoint = "\(issuer)/revoke"
            [profiles.mobile]
            match = ["\(base)/mobile/basic"]
            \(LogonProfile.password.replacing("work", with: "mobile"))
            [profiles.mobile.logon]
            application = "\(LogonProfile.application)"
            """, to: "config/httpc/config.toml")
    }

    private func words(_ command: Command, _ base: String) -> [String] {
        let mobile = ["--profile", "mobile", "--passcode-env", "CODE"]
        return switch command {
        case .request: ["-sS", "-f", "-u", "alice:wonderland", base + "/basic/realm1/page"]
        case .odata: ["odata", base + "/service/basic/v4/", "Products", "-u", "alice:wonderland"]
        case .login: ["login", "--profile", "tokens"]
        case .tokens: ["tokens", "--access-token", "--profile", "tokens"]
        case .logout: ["logout", "--profile", "tokens"]
        case .logon: ["logon"] + mobile
        case .settings: ["settings"] + mobile
        case .unregister: ["unregister"] + mobile
        case .unlock: ["unlock"] + mobile
        }
    }

    private func prepare(_ command: Command, _ way: Way, _ sandbox: Sandbox) async throws {
        let first: Command
        switch command {
        case .logout: first = .login
        case .settings, .unregister, .unlock: first = .logon
        default: return
        }
        let outcome = try await run(first, way, way.prepared, sandbox)
        #expect(outcome.status == 0, "\(way.name): \(outcome)")
    }

    private func run(
        _ command: Command, _ way: Way, _ options: [String], _ sandbox: Sandbox
    ) async throws -> RunningCommand.Outcome {
        try await httpc(words(command, way.base) + options, sandbox)
    }

    private func httpc(_ arguments: [String], _ sandbox: Sandbox) async throws -> RunningCommand.Outcome {
        try await sandbox.withoutTerminal(arguments, environment: Self.environment)
    }
}
