import Foundation
import TestLandscape
import Testing

@testable import HttpCClient

/// `httpc profiles`, `httpc status` and `httpc config check`, and `login` and `logout` of profiles without tokens.
@Suite(.timeLimit(.minutes(1))) struct ProfileListTests {
    private let environment = ["PASSWORD": "wonderland"]

    private func install(_ text: String, _ sandbox: Sandbox, mode: Int = 0o600) throws {
        try sandbox.write(text, to: "config/httpc/config.toml", mode: mode)
    }

    private func basic(_ landscape: Landscape, _ password: String = "password-env = \"PASSWORD\"") -> String {
        """
        [profiles.work]
        match = ["\(landscape.urlString(.main, "/basic/realm1/"))"]
        [profiles.work.basic]
        username = "alice"
        \(password)

        """
    }

    @Test func profilesWithTheirMatch() async throws {
        let sandbox = try Sandbox()
        let none = try await sandbox.httpc("profiles")
        #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("httpc init URL"))
        try install(
            """
            [profiles.b]
            match = ["https://h.example/app/", "https://i.example/"]
            [profiles.b.saml2]
            finish-endpoint = "/end"
            finish-parameter = "p"
            [profiles.a.basic]
            username = "al\\u001Bice"
            """, sandbox)
        let list = try await sandbox.httpc("profiles")
        #expect(list.status == 0, "\(list.errors)")
        let rows = list.text.split(separator: "\n")
        #expect(rows.count == 3)
        #expect(rows[1].contains("--profile a") && rows[1].contains("password of al\\u{1b}ice"))
        #expect(rows[2].contains("https://h.example/app https://i.example/") && rows[2].hasSuffix("SAML2"))
    }

    @Test func loginChecksThePassword() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            try install(basic(landscape), sandbox)
            let login = try await sandbox.httpc(["login"], environment: environment)
            #expect(login.status == 0, "\(login.errors)")
            #expect(login.errors.contains("logged in") && login.errors.contains("(password)"), "\(login.errors)")
            #expect(login.output.isEmpty)
            let wrong = try await sandbox.httpc(["login"], environment: ["PASSWORD": "wrong"])
            #expect(wrong.status == 67)
            #expect(wrong.errors.contains("did not accept user name and password"), "\(wrong.errors)")
            let outside = try await sandbox.httpc("login", "--profile", "work", landscape.urlString(.main, "/json"))
            #expect(outside.status == 2 && outside.errors.contains("outside the match"))
            #expect(landscape.count(path: "/json") == 0)
        }
    }

    @Test func loginAndLogoutOfAWebLogin() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
            #expect(try await profile.run("status").text.contains("logged out"))
            let login = try await profile.run("login", profile.url("/saml/post-post/x"))
            #expect(login.status == 0, "\(login.errors)")
            #expect(login.errors.contains("(SAML2)"), "\(login.errors)")
            let again = try await profile.run("login", profile.url("/saml/post-post/x"))
            #expect(again.errors.contains("no new login was needed"), "\(again.errors)")
            #expect(landscape.samlCounters.logins == 1)
            #expect(try await profile.run("status").text.contains("a session ("))
            let check = try await profile.run("status", "--check", profile.url("/saml/post-post/x"))
            #expect(check.status == 0 && check.errors.contains("answered 200"), "\(check.errors)")
            let logout = try await profile.run("logout")
            #expect(logout.status == 0 && logout.errors.contains("logged out"), "\(logout.errors)")
            #expect(try await sandbox.cookies("work").isEmpty)
            #expect(try await profile.run("status").text.contains("logged out"))
            let ended = try await profile.run("status", "--check", profile.url("/saml/post-post/x"))
            #expect(ended.status == 67, "\(ended.errors)")
            #expect(landscape.samlCounters.logins == 1, "a check shows no login page")
        }
    }

    @Test func statusOfTokens() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            try OAuth2Profile.install("password", landscape, in: sandbox)
            #expect(try await sandbox.httpc("status").text.contains("logged out"))
            #expect(try await sandbox.httpc(["login"], environment: OAuth2Profile.secrets).status == 0)
            let status = try await sandbox.httpc("status", "--profile", "work")
            #expect(status.text.contains("logged in until 20") && status.text.contains("renewed by itself"))
            try await OAuth2Profile.endTokens(in: sandbox)
            #expect(try await sandbox.httpc("status").text.contains("logged in, renewed by itself"))
        }
    }

    @Test(
        arguments: [
            (
                "[profiles.a]\nmatch = [\"https://h.example/\"]\ncolour = \"red\"\npasword = \"x\"", 2,
                ["colour", "pasword"]
            ),
            ("[profiles.a]\nmatch = [\"https://h.example/*\"]", 2, ["stands for itself"]),
            (
                "[profiles.a]\nmatch = [\"https://h.example/x\"]\n[profiles.b]\nmatch = [\"https://h.example/x/\"]", 2,
                ["a, b: both match https://h.example/x"]
            ),
            (
                "[profiles.a]\nmatch = [\"https://h.example/\"]\n[profiles.b]\nmatch = [\"https://h.example/x/\"]", 0,
                ["b applies, whose match is longer"]
            ),
            (
                "[profiles.a]\nmatch = [\"http://h.example/\"]\n[profiles.a.basic]\nusername = \"x\"", 2,
                ["its secrets go over https only"]
            ),
            ("[profiles.a]\nanswer-origins = [\"http://h.example\"]", 2, ["answers go over https only"]),
            (
                "[profiles.a.logon]\napplication = \"x\"\nserver = \"http://h.example/\"\n"
                    + "[profiles.a.basic]\nusername = \"x\"\npassword-file = \"closed\"", 2,
                ["its logon is at http://h.example,"]
            ),
            (
                "[profiles.a.logon]\napplication = \"x\"\noptions = \"plain.json\"\n"
                    + "[profiles.a.basic]\nusername = \"x\"\npassword-file = \"closed\"", 2,
                ["its logon is at http://h.example:8080,"]
            ),
            (
                "[profiles.a.logon]\napplication = \"x\"\noptions = \"loose.json\"", 2,
                ["loose.json: others can change it"]
            ),
            (
                "[profiles.a.logon]\napplication = \"x\"\noptions = \"loosest.json\"", 2,
                ["all users of this machine can change it"]
            ),
            ("[profiles.a.logon]\napplication = \"x\"\noptions = \"open\"", 2, ["open, cannot be used"]),
            (
                "[profiles.a.logon]\napplication = \"x\"\nserver = \"http://h.example/\"\n"
                    + "[profiles.a.basic]\nusername = \"x\"", 0, []
            ),
            ("[profiles.a.basic]\nusername = \"x\"\npassword-file = \"open\"", 2, ["others can read it", "chmod 600"]),
            ("[profiles.a.basic]\nusername = \"x\"\npassword-file = \"gone\"", 2, ["missing"]),
            (
                "[profiles.a.basic]\nusername = \"x\"\npassword-env = \"UNSET_HERE\"", 0,
                ["the variable UNSET_HERE: not set"]
            ),
            ("[profiles.a.cert]\nfile = \"key.pem\"", 2, ["everybody can read the private key"]),
            ("[profiles.a]\ncacert = \"gone.pem\"", 2, ["cacert names"]),
            ("[profiles.a]\ncert = { file = \"/tmp\" }", 2, ["file of [profiles.a.cert] names /tmp: it is not a"]),
            ("[profiles.a", 2, ["line 1"]),
            ("[profiles.a]\nmatch = [\"https://h.example/\"]\n", 0, []),
        ] as [(String, Int32, [String])])
    func findings(text: String, status: Int32, words: [String]) async throws {
        let sandbox = try Sandbox()
        try sandbox.write("secret", to: "config/httpc/open", mode: 0o644)
        try sandbox.write("secret", to: "config/httpc/closed")
        try sandbox.write("-----BEGIN PRIVATE KEY-----\n", to: "config/httpc/key.pem", mode: 0o644)
        let server = "{\"DefaultValues\": {\"Register\": {\"ServerHost\": \"h.example\", \"IsHttps\": false}}}"
        for (name, mode) in [("plain", 0o600), ("loose", 0o620), ("loosest", 0o602)] as [(String, Int)] {
            try sandbox.write(server, to: "config/httpc/\(name).json", mode: mode)
        }
        try install(text, sandbox)
        let check = try await sandbox.httpc("config", "check")
        #expect(check.status == status, "\(check.text)")
        for word in words { #expect(check.text.contains(word), "\(check.text)") }
        if words.isEmpty { #expect(check.output.isEmpty, "\(check.text)") }
        #expect(check.errors.contains(status == 0 ? "0 mistakes" : "mistake"))
    }

    /// Each profile of the table has several mistakes, in one table or in several. No mistake is reported twice, and no
    /// consequence of another mistake is reported.
    @Test(
        arguments: [
            (
                "[profiles.a]\nmatch = [\"ftp://x/\", \"https://h.example/\", \"x\"]\nweb = \"lynx\"\nsso-max-age = \"1y\"",
                ["entry 1 of match", "entry 3 of match", "web in", "sso-max-age in"]
            ),
            (
                "[profiles.a.basic]\nusername = true\n[profiles.a.cert]\ntype = \"PNG\"\nfile = \"/dev/null\"\n"
                    + "[profiles.a.oauth2]\nissuer = \"https://i.example\"\ntoken-endpoint = \"https://i.example/t\"",
                [
                    "\"username\" in [profiles.a.basic] has to be a string", "type in", "has no client-id",
                    "has both issuer", "cert] names /dev/null",
                ]
            ),
            (
                "[profiles.a.basic]\nusernam = \"x\"\npasword-env = \"X\"\n[profiles.b.basic]\ncolour = \"red\"\n",
                [
                    "unknown key \"usernam\"", "unknown key \"pasword-env\"", "unknown key \"colour\"",
                    "b.basic] has no username",
                ]
            ),
            (
                "[profiles.a.web-login]\nstatus = [\"x\", \"401\"]\nheader = \"a b\"\nend-parameter = \"p\"\n"
                    + "[profiles.a.answers]\nuser = { }\npassword = true\ncode = { totp = \"x\" }\n"
                    + "[profiles.a.saml2]\nfinish-endpoint = \"/x\"\nstart = \"/y\"",
                [
                    "status in", "header in", "needs end with end-parameter", "answers.user] needs one of",
                    "\"password\" in",
                    "unknown key \"totp\"", "answers.code] needs one of", "needs finish-parameter with finish-endpoint",
                    "leave out start",
                ]
            ),
            (
                "[profiles.a]\nproxy-user = \"x\"\nlogout-url = \"https://o.example/\"\nmatch = [\"https://h.example/\"]\n"
                    + "[profiles.\"b c\"]\n[profiles.d]\nmatch = [\"https://h.example/\"]\n",
                ["does not say for which", "which is not in the match", "a profile name may", "a, d: both match"]
            ),
        ] as [(String, [String])])
    func allMistakesAtOnce(text: String, words: [String]) async throws {
        let sandbox = try Sandbox()
        try install(text, sandbox)
        let check = try await sandbox.httpc("config", "check")
        #expect(check.status == 2)
        for word in words { #expect(check.text.contains(word), "\(word) is not in \(check.text)") }
        #expect(check.text.split(separator: "\n").count == words.count, "\(check.text)")
    }

    @Test func aFileThatOthersCanReadOrChange() async throws {
        let sandbox = try Sandbox()
        let secret = "[profiles.a.basic]\nusername = \"x\"\npassword = \"canary\""
        try install(secret, sandbox, mode: 0o644)
        let readable = try await sandbox.httpc("config", "check")
        #expect(readable.status == 2 && readable.text.contains("holds a password and others can read it"))
        #expect(!(readable.text + readable.errors).contains("canary"))
        try install("[profiles.a]\n", sandbox, mode: 0o620)
        let writable = try await sandbox.httpc("config", "check")
        #expect(writable.status == 2 && writable.text.contains("others can change it"), "\(writable.text)")
    }
}
