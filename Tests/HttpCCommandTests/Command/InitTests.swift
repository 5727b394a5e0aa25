import Foundation
import HttpC
import LandscapeSupport
import TestSupport
import Testing

@testable import HttpCClient

/// `httpc init`: from nothing to a working profile.
@Suite(.landscape, .timeLimit(.minutes(1))) struct InitTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private static let environment = ["PASSWORD": "wonderland", "SECRET": "machine-secret", "TOTP": WebProfile.secret]
    private static let answers = ["--answer", "user=alice", "--answer-env", "password=PASSWORD", "--web", "terminal"]
    private static let file = "config/httpc/config.toml"

    private func run(_ arguments: [String]) async throws -> RunningCommand.Outcome {
        try await sandbox.withoutTerminal(arguments, environment: Self.environment)
    }

    private var written: String {
        String(decoding: sandbox.read(Self.file) ?? Data(), as: UTF8.self)
    }

    /// The login, the options, and a part of the profile.
    static let logins: [(path: String, options: [String], part: String)] = [
        ("/basic/realm1/x", ["-u", "alice", "--password-env", "PASSWORD"], "username = \"alice\""),
        ("/digest/sha256/x", ["-u", "alice", "--password-env", "PASSWORD"], "password-env = \"PASSWORD\""),
        (
            "/basic/realm2/x", ["-u", "alice", "--password-command", "printf '%s%s' wonder \"land\""],
            "password-command = [\"printf\", \"%s%s\", \"wonder\", \"land\"]"
        ),
        ("/saml/post-post-noheader/x", answers, ".saml2]"),
        ("/site/oidc/x", answers, ".web-login]"),
        ("/site/form/x", answers, ".web-login]"),
        (
            "/api/with-metadata",
            ["--client-id", "machine", "--client-secret-env", "SECRET", "--grant", "client-credentials"], "issuer = "
        ),
        (
            "/otp/basic/x",
            ["-u", "alice", "--password-env", "PASSWORD", "--answer-totp", "passcode=TOTP", "--web", "terminal"],
            ".otp]"
        ),
    ]

    @Test(arguments: logins) func withoutAPerson(path: String, options: [String], part: String) async throws {
        let url = landscape.urlString(.main, path)
        let origins = ["--answer-origin", landscape.identityProvider()]
        let outcome = try await run(["init", url, "--yes"] + options + origins)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("From now on:"), "\(outcome.errors)")
        #expect(written.contains(part), "\(written)")
        #expect(sandbox.mode(Self.file) == 0o600)
        #expect(!written.contains("wonderland"))
        let used = try await run([url])
        #expect(used.status == 0 && used.text.contains("\"authenticated\""), "\(used.errors) \(used.text)")
        #expect(try await sandbox.httpc("config", "check").status == 0)
    }

    /// The text of the file stays, byte by byte, and is followed by the new profile.
    @Test(arguments: ["# mine\n[profiles.work]\n", "# mine\n[profiles.work]\nmatch = []  # none", ""])
    func theFileStaysAsItIs(old: String) async throws {
        try sandbox.write(old, to: Self.file, mode: 0o644)
        let arguments = [
            "--yes", "-u", "al\"ice\n[profiles.evil]", "--password-env", "UNSET_HERE", "--profile", "new",
        ]
        let outcome = try await run(["init", landscape.urlString(.main, "/basic/realm1/x")] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("(the variable UNSET_HERE: not set). Then run: httpc login --profile new"))
        #expect(written.hasPrefix(old) && written.contains("[profiles.new]"))
        #expect(sandbox.mode(Self.file) == 0o600)
        let list = try await sandbox.httpc("profiles")
        #expect(!list.text.contains("\nevil "), "\(list.text)")
    }

    @Test func parallelRunsLoseNoProfile() async throws {
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for name in ["a", "b", "c", "d"] {
                let url = landscape.urlString(.main, "/basic/realm1/\(name)")
                group.addTask {
                    try await run([
                        "init", url, "--match", url, "--yes", "-u", "alice", "--password-env", "UNSET_HERE",
                        "--profile", name,
                    ]
                    ).status
                }
            }
            for try await status in group { #expect(status == 0) }
        }
        let list = try await sandbox.httpc("profiles").text
        for name in ["a", "b", "c", "d"] { #expect(list.contains("\n\(name) "), "\(list)") }
    }

    @Test(arguments: [
        (["--grant", "jwt-bearer"], "'--grant <grant>'"),
        (["--grant", "client-credentials", "--client-id", "machine"], "--client-secret-env"),
    ])
    func aGrantThatNeedsMore(options: [String], part: String) async throws {
        let outcome = try await run(["init", landscape.urlString(.main, "/api/with-metadata"), "--yes"] + options)
        #expect(outcome.status == 2 && outcome.errors.contains(part), "\(outcome.errors)")
        #expect(written.isEmpty)
    }

    /// Another server is written only after it was named.
    @Test(arguments: ["/site/oidc/x", "/saml/redirect-post/x"])
    func anotherServerHasToBeNamed(path: String) async throws {
        let outcome = try await run(["init", landscape.urlString(.main, path), "--yes"] + Self.answers)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("--answer-origin \(landscape.identityProvider())"), "\(outcome.errors)")
        #expect(written.isEmpty)
    }

    /// A redirect leads to another server, which asks for the login: a profile for the first one would not help.
    @Test func aRedirectNamesTheOtherServer() async throws {
        let there = landscape.urlString(.other, "/basic/realm1/x")
        let outcome = try await run([
            "init", landscape.urlString(.main, "/redirect/302?to=\(there)"), "--yes", "-u", "alice",
            "--password-env", "PASSWORD",
        ])
        #expect(outcome.status == 2 && outcome.errors.contains("run: httpc init \(there)"), "\(outcome.errors)")
        let origin = landscape.urlString(.other, "")
        #expect(outcome.errors.contains("\(origin) wants a user name"), "\(outcome.errors)")
        #expect(written.isEmpty)
    }

    /// A server elsewhere must not make this client ask this machine.
    @Test(arguments: [
        ("https://idp.example", "https://a.example", true), ("http://127.0.0.1:1", "https://a.example", false),
        ("https://localhost", "https://a.example", false), ("https://[::1]:2/x", "https://a.example", false),
        ("http://127.0.0.1:1", "http://localhost:3", true), ("http://idp.example", "http://localhost:3", false),
        ("https://idp.localhost:2", "https://a.example", false), ("https://idp.localhost:2", "http://127.0.0.1", true),
        ("https://localhost.example", "https://a.example", true),
    ])
    func anIssuerElsewhereIsNotThisMachine(issuer: String, server: String, isPossible: Bool) throws {
        #expect(ServerProbe.mayName(issuer, at: try TargetURL(server).origin) == isPossible)
    }

    /// Bearer beside Basic.
    @Test func aPasswordMayBeOfferedBesideTokens() {
        var head = HTTPResponse(status: .unauthorized)
        head.headerFields.append(HTTPField(name: .wwwAuthenticate, value: "Bearer scope=\"a\""))
        guard case .token("a", nil, nil)? = LoginDemand(head) else {
            Issue.record("not a token alone")
            return
        }
        head.headerFields.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"r\""))
        guard case .token("a", nil, .basic?)? = LoginDemand(head), let demand = LoginDemand(head) else {
            Issue.record("not a token or a password")
            return
        }
        var profile = Profile(name: "a")
        #expect(demand.isNew(to: profile))
        profile.basic = BasicTable(username: "alice", password: .prompt)
        #expect(!demand.isNew(to: profile))
    }

    /// A profile that is gone from the file has left a session, which may be another person's.
    @Test func noSessionOfAnEarlierProfileIsUsed() async throws {
        let command = ["init", landscape.urlString(.main, "/site/form/x"), "--yes"]
        #expect(try await run(command + Self.answers).status == 0)
        try sandbox.write("", to: Self.file)
        let named = try await run(command + Self.answers + ["--profile", "local"])
        #expect(named.status == 2 && named.errors.contains("a session under that name"), "\(named.errors)")
        let again = try await run(command + Self.answers)
        #expect(again.status == 0 && again.errors.contains(": logged in ("), "\(again.errors)")
        #expect(written.contains("[profiles.local-2]"), "\(written)")
    }

    /// A proxy's answer says nothing about the server.
    @Test func aProxyThatWantsALoginIsAnError() async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: .basic)
        let outcome = try await run([
            "init", landscape.urlString(.main, "/basic/realm1/x"), "--yes", "-u", "alice", "--password-env", "PASSWORD",
            "-x", "http://127.0.0.1:\(landscape.port(.proxy))",
        ])
        #expect(outcome.status == 56 && outcome.errors.contains("wants a login (407)"), "\(outcome.errors)")
        #expect(written.isEmpty)
    }

    /// The certificate is shown to a server that asks for it, and its passphrase is not written.
    @Test func theCertificateIsNamed() async throws {
        let authority = try sandbox.authority(of: landscape)
        let sealed = try landscape.certificates.client("alice").pkcs12(passphrase: "planted-canary")
        try Data(sealed).write(to: URL(filePath: sandbox.path("alice.p12")))
        let outcome = try await run([
            "--config", "own.toml", "init", landscape.urlString(.mutual, "/certificate"), "--yes", "--cacert",
            authority,
            "--cert", "alice.p12", "--pass", "planted-canary",
        ])
        #expect(outcome.errors.contains("with the certificate of --cert only"), "\(outcome.errors)")
        #expect(outcome.errors.contains("passphrase-env"), "\(outcome.errors)")
        #expect(outcome.errors.contains("  httpc --config own.toml status --profile"), "\(outcome.errors)")
        #expect(Canary.forms(of: "planted-canary", in: outcome.errors) == [])
    }

    @Test func aServerWithoutALogin() async throws {
        let outcome = try await run(["init", landscape.urlString(.main, "/json"), "--yes"])
        #expect(outcome.status == 0 && outcome.errors.contains("no login to configure"), "\(outcome.errors)")
        #expect(written.isEmpty)
    }

    /// Serves a page at a path of the server for raw answers.
    private func serve(_ html: String, at path: String) -> String {
        landscape.raw.respond(
            path: path,
            text: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(html.utf8.count)\r\n\r\n\(html)")
        return landscape.urlString(.raw, path)
    }

    /// A page that scripts make shows no login.
    @Test(arguments: [false, true]) func aPageThatScriptsMake(hasPassword: Bool) async throws {
        let url = serve("<body><div id=app></div><script src=/a.js></script></body>", at: "/app")
        let outcome = try await run(["init", url, "--yes"] + (hasPassword ? Self.login : []))
        #expect(outcome.status == (hasPassword ? 67 : 0), "\(outcome.errors)")
        #expect(outcome.errors.contains("made by scripts"), "\(outcome.errors)")
        #expect(outcome.errors.contains("--basic -u USER"), "\(outcome.errors)")
        #expect(written.isEmpty)
    }

    /// A script's redirect to a login is named, and neither followed nor taken for something else.
    @Test func aRedirectByAScriptIsNamed() async throws {
        let place = landscape.urlString(.other, "/authorize?client_id=a&response_type=code")
        let url = serve("<script>location = '\(place)'</script>", at: "/app")
        let outcome = try await run(["init", url, "--yes"] + Self.login)
        #expect(outcome.status == 67 && outcome.errors.contains("X-Requested-With"), "\(outcome.errors)")
        #expect(outcome.errors.contains(landscape.urlString(.other, "")), "\(outcome.errors)")
        #expect(written.isEmpty && landscape.requests(path: "/authorize").isEmpty)
        #expect(!landscape.requests(path: "/app").isEmpty)
    }

    private static let login = ["-u", "alice", "--password-env", "PASSWORD"]
    private static let old = "# mine\n[profiles.work]   # empty"

    /// A login that the answer does not ask for is not shown to work. The file is as it was.
    @Test(arguments: [answers, login], ["/json", "/site/form-public/x", "/status/403", "/status/401"])
    func aLoginThatIsNotUsedIsNotWritten(options: [String], path: String) async throws {
        try sandbox.write(Self.old, to: Self.file, mode: 0o600)
        let outcome = try await run(["init", landscape.urlString(.main, path), "--yes"] + options)
        #expect(outcome.status == 67, "\(outcome.errors)")
        #expect(!outcome.errors.contains("From now on"), "\(outcome.errors)")
        // Without a login on the start page, nothing is written that could be removed.
        let isGuess = path.hasSuffix("401") || path.hasSuffix("403")
        #expect(outcome.errors.contains("is removed.") || isGuess && outcome.errors.contains("Nothing was written"))
        let page = landscape.urlString(.main, "/site/form-public/login")
        #expect(outcome.errors.contains("httpc init \(page)") == path.hasPrefix("/site"), "\(outcome.errors)")
        #expect(written == Self.old)
    }

    /// The user and the password of the options are for the fields of a form, too, and a page that only links to one.
    @Test(arguments: [
        ("/site/form/x", "redirect-to = "), ("/site/inline-401/x", "status = \"401\""),
        ("/site/form-refused/x", "status = \"403\"\nstart = \"/site/form-refused/login\""),
    ])
    func theUserAndThePasswordAreForAForm(path: String, part: String) async throws {
        let url = landscape.urlString(.main, path)
        let outcome = try await run(["init", url, "--yes"] + Self.login)
        #expect(outcome.status == 0 && outcome.errors.contains("From now on:"), "\(outcome.errors)")
        #expect(written.contains(part), "\(written)")
        #expect(written.contains("user = \"alice\"\npassword = { env = \"PASSWORD\" }"), "\(written)")
        #expect(landscape.siteCounters.logins == 1 && landscape.siteCounters.refusals == 0)
        landscape.expireSiteSessions()
        let used = try await run([url])
        #expect(used.status == 0 && used.text.contains("\"authenticated\""), "\(used.errors) \(used.text)")
    }

    /// Without a person, a form without answers, or with a wrong password, leaves the file as it was.
    @Test(arguments: [
        (["-u", "alice"], 0), (["-u", "alice", "--password-env", "SECRET"], 1),
        (["--answer", "user=alice", "--answer-env", "password=SECRET"], 1),
    ])
    func aLoginThatFailsIsNotWritten(options: [String], refusals: Int) async throws {
        try sandbox.write(Self.old, to: Self.file, mode: 0o600)
        let url = landscape.urlString(.main, "/site/form/x")
        let outcome = try await run(["init", url, "--yes", "--web", "terminal"] + options)
        #expect(outcome.status == 67, "\(outcome.errors)")
        #expect(outcome.errors.contains("or -u USER --password-env VAR") == (refusals == 0), "\(outcome.errors)")
        #expect(landscape.siteCounters.refusals == refusals)
        #expect(written == Self.old)
    }

    /// A file that there was not is deleted again, and nothing is kept under the profile's name.
    @Test func aNewFileIsDeletedAgain() async throws {
        let url = landscape.urlString(.main, "/site/form/x")
        for _ in 1...2 {
            let outcome = try await run(
                ["init", url, "--yes", "--web", "terminal", "-u", "alice", "--password-env", "SECRET"])
            #expect(outcome.status == 67 && outcome.errors.contains("\"local\" is removed."), "\(outcome.errors)")
            #expect(sandbox.read(Self.file) == nil, "\(written)")
        }
    }

    @Test func withoutATerminalYesIsNeeded() async throws {
        let outcome = try await run(["init", "https://example.com/"])
        #expect(outcome.status == 2 && outcome.errors.contains("--yes"), "\(outcome.errors)")
    }

    /// The key ring's entry is written as it was given. Without a key ring the login fails and the profile stays.
    @Test func theKeyRingsEntryIsWritten() async throws {
        let outcome = try await run([
            "init", landscape.urlString(.main, "/basic/realm1/x"), "--yes", "-u", "alice", "--password-keyring",
            "service=mail,user=alice",
        ])
        #expect(outcome.status == 67, "\(outcome.status)")
        #expect(outcome.errors.contains("The key ring has no password"), "\(outcome.errors)")
        #expect(written.contains("password-keyring = \"service=mail,user=alice\""), "\(written)")
    }

    @Test(arguments: [
        (["--password-env", "A", "--password-keyring", "b"], "exclude each other"),
        (["--password-command", ""], "needs a program"), (["--password-command", "pass 'show"], "needs an end"),
        (["--password-keyring", "=x"], "needs a name"), (["--password-keyring", ""], "needs a name"),
    ])
    func aPlaceHasToBeOne(options: [String], part: String) async throws {
        let outcome = try await run(["init", "https://example.com/", "--yes", "-u", "a"] + options)
        #expect(outcome.status == 2 && outcome.errors.contains(part), "\(outcome.status) \(outcome.errors)")
    }

    // MARK: With a person

    /// A login, the session at the terminal up to the profile and its trial, and parts of the profile.
    struct Session: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        let answers: @Sendable (_ landscape: Landscape, _ sandbox: Sandbox) -> [TerminalSession.Answer]
        let parts: [String]
        /// Environment of the second run, which asks nothing.
        var environment: [String: String] = InitTests.environment
    }

    private static let start: [TerminalSession.Answer] = [
        ("Name of the profile [local]: ", "new"), ("For all URLs below [", ""),
    ]
    private static let append: TerminalSession.Answer = ("Append this to ", "")
    private static let person: [TerminalSession.Answer] = [("User name: ", "alice"), ("Password: ", "wonderland")]

    static let sessions: [Session] = [
        Session(
            testDescription: "Basic, with a program that prints the password", path: "/basic/realm1/x",
            answers: { _, sandbox in
                start + [
                    ("User name at http", "alice"), ("Where does the password come from?", "4"),
                    ("Command", "cat '\(sandbox.path("pass word"))'"), append,
                ]
            }, parts: ["username = \"alice\"", "password-command = [\"cat\", \"/", "pass word\"]"]),
        Session(
            testDescription: "Digest, with a file", path: "/digest/sha256/x",
            answers: { _, sandbox in
                start + [
                    ("User name at http", "alice"), ("Where does the password come from?", "3"),
                    ("Path of the file: ", "open"), ("It cannot be used: others can read it.", nil),
                    ("Path of the file: ", "pass word"), append,
                ]
            }, parts: ["password-file = \"/", "pass word\""]),
        Session(
            testDescription: "SAML2, typed at the terminal", path: "/saml/redirect-post/x",
            answers: { landscape, _ in
                start + [
                    ("Its login pages are at \(landscape.identityProvider())", "yes"),
                    ("Where do you want to see login pages?", "2"), append,
                ] + person
            }, parts: [".saml2]", "web = \"terminal\"", "answer-origins = ["], environment: [:]),
        Session(
            testDescription: "OpenID Connect, with prepared answers", path: "/site/oidc/x",
            answers: { landscape, _ in
                start + [
                    ("Its login pages are at \(landscape.identityProvider())", "yes"),
                    ("Where do you want to see login pages?", "4"), append, ("Answer for \"user\": ", "alice"),
                    ("Where does the answer for \"password\" come from?", "1"),
                    ("Name of the variable [NEW_PASSWORD]: ", "PASSWORD"), append,
                ]
            }, parts: [".web-login]", "user = \"alice\"", "password = { env = \"PASSWORD\" }"]),
        Session(
            testDescription: "OAuth2 by discovery, with a client's secret", path: "/api/with-metadata",
            answers: { _, _ in
                start + [
                    ("How do you log in there?", "3"), ("Client id: ", "machine"),
                    ("Where does the client secret come from?", "1"), ("Name of the variable [", "SECRET"),
                    ("Scopes", ""), append,
                ]
            }, parts: ["issuer = ", "grant = \"client-credentials\"", "client-secret-env = \"SECRET\""]),
        Session(
            testDescription: "a login form, where the display decides", path: "/site/form/x",
            answers: { _, _ in start + [("Where do you want to see login pages?", "")] + [append] + person },
            parts: [".web-login]", "redirect-to = "], environment: [:]),
        Session(
            testDescription: "a password and a second factor", path: "/otp/basic/x",
            answers: { _, _ in
                start + [
                    ("User name at http", "alice"), ("Where does the password come from?", "2"),
                    ("Name of the variable [NEW_PASSWORD]: ", "PASSWORD"), append, ("after that login: ", nil),
                    ("Where do you want to see login pages?", "4"), append,
                    ("What is \"passcode\" for?", "1"),
                    ("Where does the base32 secret of the one-time codes for \"passcode\" come from?", "1"),
                    ("Name of the variable [NEW_PASSCODE]: ", "TOTP"), append,
                ]
            }, parts: ["password-env = \"PASSWORD\"", ".otp]", "passcode = { totp-env = \"TOTP\" }"]),
    ]

    /// From nothing to a profile with which a plain request gets in, without a question.
    @Test(arguments: sessions) func aPersonAnswers(session: Session) async throws {
        let old = "# mine\n[profiles.work]   # empty\n"
        try sandbox.write(old, to: Self.file, mode: 0o644)
        try sandbox.write("wonderland\n", to: "pass word")
        try sandbox.write("wonderland\n", to: "open", mode: 0o644)
        let url = landscape.urlString(.main, session.path)
        let shown = try await TerminalSession(
            ["init", url], in: sandbox, environment: Self.environment,
            answers: session.answers(landscape, sandbox))
        #expect(shown.status == 0 && shown.text.contains(": logged in ("), "\(shown.text)")
        #expect(shown.text.contains("From now on:\n  httpc \(url)\n"), "\(shown.text)")
        #expect(!shown.text.contains("wonderland") && !shown.text.contains(WebProfile.secret))
        let text = written
        #expect(text.hasPrefix(old) && text.contains("\n[profiles.new]\n"), "\(text)")
        for part in session.parts { #expect(text.contains(part), "\(text)") }
        #expect(!text.contains("wonderland") && sandbox.mode(Self.file) == 0o600)
        let used = try await sandbox.withoutTerminal(url, environment: session.environment)
        #expect(used.status == 0 && used.text.contains("\"authenticated\""), "\(used.errors) \(used.text)")
        let check = try await sandbox.httpc("config", "check")
        #expect(check.status == 0, "\(check.text)")
    }

    @Test func aPersonSaysNo() async throws {
        let shown = try await TerminalSession(
            ["init", landscape.urlString(.main, "/site/oidc/x")], in: sandbox,
            answers: Self.start + [("Is that where you log in?", "no")])
        #expect(shown.status == 67, "\(shown.text)")
        #expect(written.isEmpty)
    }

    /// A key ring's entry, and what is left after a failed login.
    @Test(arguments: [("yes", false), ("", true)]) func aLoginThatFails(answer: String, stays: Bool) async throws {
        let shown = try await TerminalSession(
            ["init", landscape.urlString(.main, "/basic/realm1/x")], in: sandbox,
            answers: Self.start + [
                ("User name at http", "alice"), ("Where does the password come from?", "5"),
                ("Name in the key ring [new]: ", "my entry"),
                ("secret-tool store --label='my entry' service httpc key 'my entry'", nil), Self.append,
                ("Remove the profile again? (yes/no) [no]: ", answer),
            ])
        #expect(shown.status == 67, "\(shown.text)")
        #expect(written.contains("password-keyring = \"my entry\"") == stays, "\(written)")
    }

    /// An issuer that gets no secrets is refused before anything is written.
    @Test(arguments: ["http://login.example.com", "https://u@login.example.com", "https://login.example.com/?x=1", "x"])
    func anIssuerHasToBeHTTPS(issuer: String) async throws {
        let outcome = try await run([
            "init", landscape.urlString(.main, "/api/with-metadata"), "--yes", "--client-id", "c", "--issuer",
            issuer,
        ])
        #expect(outcome.status == 2 && outcome.errors.contains("--issuer cannot be used"), "\(outcome.errors)")
        #expect(written.isEmpty)
    }
}
