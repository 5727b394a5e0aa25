import ArgumentParser
import Foundation
import HttpC
import TestLandscape
import TestSupport
import Testing

@testable import HttpCClient
@testable import HttpCCommand
@testable import HttpCTerminal

/// A message names what happened, where, and what to do. It never advises something that the settings have already.
@Suite(.timeLimit(.minutes(1))) struct DiagnosisTests {
    // MARK: Profiles

    static let commands: [[String]] = [
        ["URL"], ["login"], ["logout"], ["tokens"], ["tokens", "--access-token"], ["logon"], ["unlock"], ["settings"],
        ["passcode"], ["unregister"], ["lock"], ["odata", "URL", "Products"],
        ["odata", "create", "URL", "Products", "-d", "{}"],
    ]

    @Test(arguments: commands) func aProfileThatIsNotThere(command: [String]) async throws {
        try await refused(command.map { $0.replacing("URL", with: "http://127.0.0.1:1/") } + ["--profile", "wrok"])
    }

    @Test(arguments: ["list", "clear"]) func cookiesOfAProfileThatIsNotThere(verb: String) async throws {
        try await refused(["cookies", verb, "wrok"])
    }

    private func refused(_ arguments: [String]) async throws {
        let sandbox = try Sandbox()
        let none = try await sandbox.httpc(arguments)
        #expect(none.status == 2 && none.errors.contains("none at all in "), "\(none.errors)")
        #expect(none.errors.contains(sandbox.path("config/httpc/config.toml")), "\(none.errors)")
        try sandbox.write(
            "[profiles.work]\nmatch = [\"https://h/\"]\n[profiles.field]\n", to: "config/httpc/config.toml")
        let other = try await sandbox.httpc(arguments)
        #expect(other.status == 2, "\(other.errors)")
        #expect(other.errors.contains("Did you mean \"work\"? There are \"field\", \"work\"."), "\(other.errors)")
        #expect(!other.errors.contains("wrok"))
    }

    /// The state of a profile stays its own after the profile is removed from the configuration.
    @Test func stateWithoutAProfile() async throws {
        let sandbox = try Sandbox()
        try FileManager.default.createDirectory(
            atPath: sandbox.path("state/httpc/gone"), withIntermediateDirectories: true)
        let tokens = try await sandbox.httpc("tokens", "--profile", "gone")
        #expect(tokens.status == 0 && tokens.errors == "httpc: there are no tokens.\n", "\(tokens.errors)")
        #expect(try await sandbox.httpc("lock", "--profile", "gone").status == 0)
        #expect(try await sandbox.httpc("cookies", "list", "gone").status == 0)
    }

    // MARK: Options

    @Test(arguments: [
        (["--tlsv1.2", "https://h/"], "httpc has no --tlsv1.2. Leave it out: httpc speaks TLS 1.2 and 1.3"),
        (["--oauth2-bearer", "x", "https://h/"], "httpc has no --oauth2-bearer. Use -H @FILE"),
        (["https://h/", "--ntlm"], "NTLM is not supported"),
        (["-Kx", "https://h/"], "httpc has no -K (--config). There is no"),
        (["-sYx", "https://h/"], "httpc has no -Y (--speed-limit). Use -m"),
        (["-K", "cfg", "https://h/"], "httpc has no -K (--config). There is no"),
        (["-sSK", "cfg", "https://h/"], "httpc has no -K (--config). There is no"),
        (["-z", "2020-01-01", "https://h/"], "httpc has no -z (--time-cond). Use -H"),
        (["-Y", "10", "https://h/"], "httpc has no -Y (--speed-limit). Use -m"),
        (["--retry", "1", "--retry-all-errors", "https://h/"], "httpc has no --retry-all-errors. Use --retry"),
        (["--retry", "1", "--retry-connrefused", "https://h/"], "httpc has no --retry-connrefused. Use --retry"),
        (["--fail", "--fail-early", "https://h/"], "httpc has no --fail-early. Leave it out"),
        (["--http2", "--http2-prior-knowledge", "https://h/"], "httpc has no --http2-prior-knowledge. Use --http2"),
        (["--cert", "x", "--cert-status", "https://h/"], "httpc has no --cert-status. Use --cacert"),
        (["--location", "--locationx", "https://h/"], "Unknown option --locationx. Did you mean --location?"),
        (["--compressed", "--compressed-ssh", "https://h/"], "httpc has no --compressed-ssh. httpc speaks"),
        (["-OR", "https://h/x"], "httpc has no -R (--remote-time). Use touch"),
        (["-sSRO", "https://h/x"], "httpc has no -R (--remote-time). Use touch"),
        (["-Rs", "https://h/x"], "httpc has no -R (--remote-time). Use touch"),
        (["-fsSLg", "https://h/"], "httpc has no -g (--globoff). Leave it out"),
        (["-sqL", "https://h/"], "httpc has no -q (--disable). There is no"),
        (["tokens", "-sX", "POST"], "httpc tokens has no -X, which other commands"),
        (["https://h/", "other"], "There are more arguments than one URL takes"),
        (["--path-as-is", "https://h/"], "a path is sent as it is typed"),
        (["-e", "https://a/;auto", "https://h/"], "Leave ;auto out."),
        (["--frobnicate", "h"], "Unknown option --frobnicate."),
        (["-%", "h"], "Unknown option -%."), (["--haed", "h"], "Unknown option --haed. Did you mean --head?"),
        (["login", "--json", "x"], "httpc login has no --json, which other commands of httpc have."),
        (["tokens", "-X", "POST"], "httpc tokens has no -X"),
        (["help", "frobnicate"], "no help about \"frobnicate\"."),
    ])
    func anOptionThatIsNotThere(arguments: [String], text: String) async throws {
        let outcome = try await Sandbox().httpc(arguments)
        #expect(outcome.status == 2 && outcome.errors.contains(text), "\(outcome.errors)")
    }

    /// Every option of the installed curl exists here as well, or has a reason.
    @Test func everyOptionOfCurlIsKnown() async throws {
        let sandbox = try Sandbox()
        let curl = try await RunningCommand(["--help", "all"], in: sandbox, program: "/usr/bin/curl").outcome()
        let names = curl.text.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^ *(?:-(.), | {4,})(--[a-z0-9.-]+)/).map { (letter: $0.1, name: String($0.2)) }
        }
        #expect(names.count > 200)
        let ours = Set(RequestCommand.helpMessage().matches(of: /--[a-z0-9.-]+/).map { String($0.output) })
        for (letter, name) in names {
            #expect(ours.contains(name) || CurlOptions.advice(name) != nil, "\(name)")
            guard let byte = letter?.utf8.first, !ours.contains(name) else { continue }
            #expect(CurlOptions.letters[byte] == name, "\(name)")
        }
    }

    /// Options of curls that are newer than the installed one.
    @Test(arguments: [
        "variable", "expand-url", "expand-data", "follow", "skip-existing", "out-null", "ip-tos", "vlan-priority",
        "ca-native", "trace-config", "haproxy-clientip", "ech",
    ])
    func newerOptionsOfCurlAreKnown(name: String) { #expect(CurlOptions.advice("--\(name)") != nil) }

    // MARK: The configuration

    @Test(arguments: [
        (
            "[profiles.a.basic]\nusername = 'u'\n\n[profiles.a.basic]\n",
            "line 4: the table [profiles.a.basic] is there already, in line 1."
        ),
        ("[profiles.a]\n [ profiles . 'a' ] # x\n", "line 2: the table [profiles.a] is there already, in line 1."),
        (
            "[profiles.a]\nbasic.username = 'u'\n[profiles.a.basic]\n",
            "line 3: the table [profiles.a.basic] is there already, in line 2."
        ),
        ("[profiles.a.basic]\npassword = 'SECRET'\npassword = 'SECRET'\n", "line 3: \"password\" has a value already."),
        ("[profiles.a]\nmatch = ['x']\nmatch = 'SECRET'\n", "line 3: \"match\" has a value already."),
        ("[profiles.a]\nmatch = ['x'\n", "this is not TOML"), ("[profiles.a\n", "this is not TOML"),
        ("[$x]\n", "line 1, column 2: this is not TOML"), ("a = '['\n[\n", "line 2, column 2: this is not TOML"),
        ("# [\n [ \u{20AC} ]\n", "line 2, column 4: this is not TOML"), ("[", "this is not TOML"),
        ("a = { $ = 'x' }\n", "this is not TOML"), ("\u{FEFF}[$x]\n", "line 1, column 5: this is not TOML"),
        ("a = 07:0032:0\n", "line 1, column 5: put the value in quotes"),
        ("a = ['x', {b = 1979-05-27T:07}]\n", "line 1, column 16: put the value in quotes"),
        ("a = [\r\n'x',\r\n :SECRET]\n", "line 3, column 2: put the value in quotes"),
        ("[\"a\tb\"]\n[\"a\tb\"]\n", "line 2: the table ["),
        ("a = 'x'\nb = SECRET\n", "line 2, column 5: put the value in quotes"), ("[a.$]\n", "this is not TOML"),
    ])
    func tablesThatAreThereTwice(text: String, expected: String) throws {
        let parser = ProfileParser(shownPath: "config.toml", directory: "/etc", home: nil, isPrivate: true)
        let failure = try #require(throws: CommandFailure.self) { try parser.parse(text) }
        #expect(failure.message.contains(expected) && !failure.message.contains("SECRET"), "\(failure.message)")
        #expect(failure.message == TerminalText.sanitise(failure.message, limit: .max), "\(failure.message)")
    }

    // MARK: Files

    @Test(arguments: [
        ["-d", "@nofile"], ["--data-binary", "@nofile"], ["--json", "@nofile"], ["--data-urlencode", "a@nofile"],
        ["-H", "@nofile"], ["-F", "a=@nofile"], ["-F", "a=<nofile"], ["-T", "nofile"], ["-w", "@nofile"],
        ["--netrc-file", "nofile"], ["--config", "nofile"], ["--cacert", "nofile"], ["-E", "nofile.pem"],
    ])
    func aFileThatIsNotThere(arguments: [String]) async throws {
        let outcome = try await Sandbox().httpc(arguments + ["http://127.0.0.1:1/"])
        #expect([2, 26, 58, 77].contains(outcome.status) && outcome.errors.contains("nofile"), "\(outcome.errors)")
    }

    @Test func aSecretOfAProfileThatIsNotThere() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            try sandbox.write(
                """
                [profiles.work]
                match = ["\(landscape.urlString(.main, "/"))"]
                [profiles.work.basic]
                username = "alice"
                password-env = "NOT_SET"
                """, to: "config/httpc/config.toml")
            let outcome = try await sandbox.httpc(landscape.urlString(.main, "/basic/realm1/page"))
            #expect(outcome.status == 67, "\(outcome.errors)")
            #expect(
                outcome.errors.contains("variable NOT_SET that holds the password of [profiles.work.basic] is not set"),
                "\(outcome.errors)")
        }
    }

    // MARK: Logins

    @Test func whosePasswordIsNotAccepted() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let url = landscape.urlString(.main, "/basic/realm1/page")
            let outcome = try await sandbox.httpc("-u", "alice:wrong", url)
            #expect(outcome.errors.contains("did not accept user name and password of -u for"), "\(outcome.errors)")
        }
    }

    /// The server reads the whole body before it refuses: the advice must be able to help.
    @Test(arguments: [
        (["-u", "alice:wonderland"], "Basic realm=\"late\"", true),
        ([], "Basic realm=\"late\"", false),
    ])
    func aBodyThatCanBeReadOnce(options: [String], challenge: String, helps: Bool) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            landscape.raw.respond(path: "/late", text: "HTTP/1.1 100 Continue\r\n\r\n")
            // The end of a chunked body reads like the head of a request without a path.
            let head = "HTTP/1.1 401 No\r\nWWW-Authenticate: \(challenge)\r\n"
            landscape.raw.respond(path: "", text: head + "Content-Length: 0\r\n\r\n")
            let url = landscape.urlString(.raw, "/late")
            let outcome = try await sandbox.httpc(options + ["-T", "-", url], input: "body")
            #expect(outcome.errors.contains("--basic sends") == helps, "\(outcome.errors)")
            guard !options.isEmpty else { return }
            #expect(outcome.status == 65, "\(outcome.errors)")
            #expect(outcome.errors.contains("a file (-T FILE) can be sent again"), "\(outcome.errors)")
            let ahead = options + ["--basic", "-T", "-", landscape.urlString(.main, "/basic/realm1/page")]
            let again = try await sandbox.httpc(ahead, input: "body")
            #expect(again.status == 0, "the advice helps: \(again.errors)")
        }
    }

    @Test(arguments: [
        (
            SecretSource.environment("CLIENT_SECRET"),
            "client-secret-env in [profiles.work.oauth2], the variable CLIENT_SECRET."
        ),
        (.literal(Redacted("hunter")), "client-secret in [profiles.work.oauth2]."),
        (.environment("Hunter2"), "client-secret-env in [profiles.work.oauth2]."),
    ])
    func aClientThatIsNotAccepted(secret: SecretSource, text: String) {
        var profile = Profile(name: "work")
        profile.oauth2 = OAuth2Table()
        profile.oauth2?.clientSecret = secret
        let place = secret.place("client-secret", in: "profiles.work.oauth2")
        #expect("\(place)." == text)
    }

    // MARK: Advice that is followed already

    @Test func settingsThatAreGiven() throws {
        var profile = Profile(name: "work")
        profile.caCertificate = "/ca.pem"
        profile.certificate = CertificateFile(stored: "x", origins: nil)
        let given = GivenSettings(profile: profile)
        let trust = ServerTrust(certificates: [], summary: nil, problems: [.unknownIssuer])
            .failure(at: try TargetURL("https://example.com/").origin)
        let untrusted = CommandFailure(trust, given: given).message
        #expect(untrusted.contains("authorities of cacert in [profiles.work] only"), "\(untrusted)")
        let wanted = CommandFailure(ConversationError(.clientCertificateRequired, "None."), given: given).message
        #expect(wanted.contains("The certificate of [profiles.work.cert] goes only to servers that"), "\(wanted)")
    }

    /// End to end: a URL outside the match of a profile that has the table.
    @Test func saml2BesideTheMatch() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let page =
                "<form method=post action=\"https://idp.example/\"><input type=hidden name=SAMLRequest value=x></form>"
            landscape.raw.respond(
                path: "/app",
                text: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)")
            func configure(_ match: String) throws {
                try sandbox.write(
                    """
                    [profiles.work]
                    match = ["\(match)"]
                    [profiles.work.saml2]
                    finish-endpoint = "/done"
                    finish-parameter = "done"
                    header = "x-other"
                    """, to: "config/httpc/config.toml")
            }
            let url = landscape.urlString(.raw, "/app")
            try configure("https://elsewhere.example/")
            let beside = try await sandbox.httpc("--profile", "work", url)
            #expect(beside.status == 67 && !beside.errors.contains("add to the profile"), "\(beside.errors)")
            #expect(beside.errors.contains("add \"\(landscape.urlString(.raw, ""))/\" to match"), "\(beside.errors)")
            let file = try sandbox.write("", to: "none.toml")
            let none = try await sandbox.httpc("--config", file, url)
            #expect(none.errors.contains("run: httpc --config \(file) init \(url) "), "\(none.errors)")
        }
    }
}
