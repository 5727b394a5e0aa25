import Foundation
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

/// No message repeats text that could not be parsed: it may be a secret (security rule S20).
@Suite(.timeLimit(.minutes(1))) struct SecretMessageTests {
    static let secret = "hunter-4f1d9ab3"

    static let arguments: [[String]] = [
        ["http://alice:SECRET@h/a b"], ["http://alice:SECRET @h/"], ["http://alice:SEC/SECRET@h/"],
        ["http://h/?token=SECRET a"], ["http://h\\SECRET/"], ["alice:SECRET"], ["SECRET://h/"], ["https:SECRET"],
        ["http://[SECRET/"], ["http://SECRET%41/"], ["http://h:SECRET/"], ["http://h/\u{1}SECRET"],
        ["-H", "Authorization Bearer SECRET", "URL"], ["-H", "Cookie;a=SECRET", "URL"], ["-H", "a SECRET: b", "URL"],
        ["-H", "X: SECRET\r\nY: z", "URL"], ["-H", "SECRET", "URL"], ["-X", "GET SECRET", "URL"],
        ["URL", "SECRET"], ["URL", "a", "SECRET"], ["URL", "'. Did you mean 'SECRET"],
        ["-u", "alice", "SECRET", "URL"],
        ["--SECRET", "URL"], ["--token=SECRET", "URL"], ["-pSECRET", "URL"], ["-sYSECRET", "URL"],
        ["-YSECRET", "URL"], ["--compressed=SECRET", "URL"], ["--SECRET=--SECRET", "URL"],
        ["-m", "SECRET", "URL"], ["-m", "SECRET' is invalid for '-o", "URL"], ["--max-redirs", "SECRET", "URL"],
        ["--max-redirs=SECRET", "URL"], ["--connect-timeout", "https://h/?SECRET", "URL"], ["--web", "SECRET", "URL"],
        ["--generate-completion-script", "SECRET"], ["--answer", "SECRET", "URL"],
        ["--answer-env", "password=SECRET", "URL"], ["--answer-file", "password=SECRET", "URL"],
        ["--answer-totp", "code=SECRET", "URL"], ["--answer-env", "SECRET", "URL"],
        ["--answer-origin", "https://alice:SECRET@h /", "URL"], ["--answer-origin", "SECRET", "URL"],
        ["-x", "http://alice:SECRET /x@h", "URL"], ["-x", "http://alice:SEC/SECRET@h", "URL"], ["-xSECRET://h", "URL"],
        ["--proxy", "http://alice:SECRET@h@h", "URL"], ["--proxy=SECRET:SECRET", "URL"],
        ["-xsocks4://a:SECRET@h", "URL"],
        ["-x", "http://127.0.0.1:1", "-U", "alice:SECRET\u{1}", "URL"], ["--proxy-cacert", "SECRET\u{1}", "URL", "b"],
        ["--profile", "SECRET", "URL"], ["tokens", "--profile", "SECRET"], ["lock", "--profile", "SECRET"],
        ["-b", "a=SECRET\u{1}", "URL"], ["-e", "http://h/SECRET\u{1}", "URL"], ["-A", "SECRET\u{1}", "URL"],
        ["-G", "-d", "SECRET \u{1}", "URL"], ["-T", "-", "-d", "SECRET", "URL"], ["-u", "alice:SECRET\u{1}", "URL"],
        ["login", "--grant", "SECRET"], ["login", "URL", "SECRET"], ["tokens", "SECRET", "URL"], ["cookies", "SECRET"],
        ["cookies", "list", "../SECRET"], ["login", "https://alice:SECRET@other/?SECRET"], ["logout", "a:SECRET"],
        ["landscape", "--port", "SECRET"], ["demo", "SECRET"],
    ]

    private func install(_ sandbox: Sandbox) throws {
        try sandbox.write(
            """
            [profiles.work]
            match = ["http://127.0.0.1:1/"]
            web = "terminal"
            [profiles.work.oauth2]
            issuer = "http://127.0.0.1:1"
            client-id = "native"
            [profiles.work.saml2]
            finish-endpoint = "/done"
            finish-parameter = "done"
            """, to: "config/httpc/config.toml")
    }

    @Test(arguments: arguments) func argument(_ arguments: [String]) async throws {
        let sandbox = try Sandbox()
        try install(sandbox)
        let arguments = arguments.map {
            $0.replacing("SECRET", with: Self.secret).replacing("URL", with: "http://127.0.0.1:1/")
        }
        let outcome = try await sandbox.httpc(arguments)
        #expect(outcome.status != 0)
        #expect(!outcome.errors.isEmpty)
        // The parser of arguments may remove a letter or two from the front.
        for secret in [Self.secret, String(Self.secret.dropFirst(3))] {
            #expect(Canary.forms(of: secret, in: outcome.errors + outcome.text) == [], "\(outcome.errors)")
        }
    }

    static let configurations = [
        "[profiles.a.basic]\nusername = 'a'\npassword = SECRET",
        "[profiles.a.basic]\nusername = 'a'\npassword = 'SECRET",
        "[profiles.a]\nSECRET", "[profiles.a]\nweb = 'SECRET'", "[profiles.a]\nmatch = ['https://a:SECRET@h /']",
        "[profiles.a]\nmatch = ['SECRET']", "[profiles.a]\nanswer-origins = ['SECRET']", "[profiles.'SECRET/']\n",
        "[profiles.a.oauth2]\ngrant = 'SECRET'\nissuer = 'https://h'\nclient-id = 'a'",
        "[profiles.a.oauth2]\nissuer = 'SECRET'\nclient-id = 'a'",
        "[profiles.a.oauth2]\nissuer = 'https://h'\nclient-id = 'a'\nscopes = ['a SECRET']",
        "[profiles.a.oauth2]\nissuer = 'https://h'\nclient-id = 'a'\nredirect-uri = 'SECRET'",
        "[profiles.a.oauth2]\nissuer = 'https://h'\nclient-id = 'a'\ntoken-origins = ['SECRET']",
        "[profiles.a.saml2]\nfinish-endpoint = 'SECRET'\nfinish-parameter = 'f'",
        "[profiles.a.saml2]\nfinish-endpoint = '/x'\nfinish-parameter = 'f'\nheader = 'a SECRET'",
        "[profiles.a.otp]\nheader = 'a SECRET'\nvalue = 'y'\nfinish = 'z'",
    ]

    @Test(arguments: configurations) func configuration(_ text: String) throws {
        let parser = ProfileParser(shownPath: "config.toml", directory: "/etc", home: nil, isPrivate: true)
        let failure = try #require(throws: CommandFailure.self) {
            try parser.parse(text.replacing("SECRET", with: Self.secret))
        }
        #expect(failure.status == .usage)
        #expect(!failure.message.contains(Self.secret), "\(failure.message)")
    }

    /// The name of a variable or file in a profile may be the secret itself, by mistake.
    @Test(arguments: [
        SecretSource.environment(secret), .environment("HUNTER2SECRET"), .file("/nowhere/\(secret)"),
        .command([secret]), .command(["/nowhere/\(secret)"]), .command(["false", secret]), .keyring(secret),
    ])
    func place(_ source: SecretSource) async throws {
        let failure = try #require(
            await #expect(throws: CommandFailure.self) {
                try await SecretReader.read(
                    source, environment: [:], programs: SecretPrograms(environment: ["PATH": "/usr/bin:/bin"]))
            })
        #expect(!failure.message.contains(Self.secret) && !failure.message.contains("HUNTER"), "\(failure.message)")
    }

    /// Messages still name text that is known to be harmless.
    @Test(arguments: [
        (["--haed", "x"], "Did you mean --head?"), (["-Y", "x"], "httpc has no -Y (--speed-limit)."),
        (["--t0ken=x", "y"], "Argument 1 is an unknown option"),
        (["--Frobnicate", "x", "https://h/"], "Argument 1 is an unknown option"),
        (["--frobnicate=x", "https://h/"], "Unknown option --frobnicate."),
        (["https://h/", "--maxredirs", "3"], "Did you mean --max-redirs?"),
        (["https://h/", "--", "--frobnicate"], "more arguments"), (["x", "y"], "more arguments"),
        (["-m", "x", "y"], "'-m <seconds>'"), (["--web", "x", "y"], "'terminal'"), (["-o"], "Missing value for '-o'"),
        (["-sH"], "Missing value for '-H"), (["--digest=x", "y"], "'--digest' takes no value"),
        (["-s"], "Missing expected argument '<URL> ...'"), (["login", "--grant", "x"], "'--grant <grant>'"),
        (["ftp://h/"], "\"ftp\""), (["http://h/a b"], "a space (byte 11)"),
    ])
    func help(arguments: [String], text: String) async throws {
        let outcome = try await Sandbox().httpc(arguments)
        #expect([1, 2, 3].contains(outcome.status))
        #expect(outcome.errors.contains(text), "\(outcome.errors)")
    }
}
