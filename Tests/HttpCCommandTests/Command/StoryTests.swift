import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// -v: the stories of requests and logins, word by word.
@Suite(.landscape, .timeLimit(.minutes(1))) struct StoryTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private static let certificate =
        "The server's certificate: CN=localhost, issued by CN=Landscape CA, valid until DATE."

    private func expect(
        _ errors: String, of landscape: Landscape, _ story: [String], _ location: SourceLocation = #_sourceLocation
    ) {
        let told = ToldStory(errors, of: landscape).lines
        #expect(told == story, "\(told.joined(separator: "\n"))\n\(errors)", sourceLocation: location)
    }

    // MARK: Requests

    static let requests: [(arguments: [String], story: [String])] = [
        (
            ["-d", "x=1", "MAIN/echo"],
            [
                "POST MAIN/echo with a form of # bytes", "Connected to MAIN HOST in # ms, HTTP/1.1.", "200 OK (# ms).",
                "Done after # ms: # bytes of application/json.",
            ]
        ),
        (
            ["-I", "MAIN/json"],
            [
                "HEAD MAIN/json", "Connected to MAIN HOST in # ms, HTTP/1.1.", "200 OK (# ms).",
                "Done after # ms: no body.",
            ]
        ),
        (
            ["MAIN/redirect/chain/1"],
            [
                "GET MAIN/redirect/chain/1", "Connected to MAIN HOST in # ms, HTTP/1.1.",
                "302 Elsewhere (# ms): redirected.",
                "GET MAIN/redirect/chain/0", "200 OK (# ms, connection reused).",
                "Done after # ms: # bytes of text/plain.",
            ]
        ),
        (
            ["--no-location", "MAIN/redirect/chain/1?x=1"],
            [
                "GET MAIN/redirect/chain/1?x=…", "Connected to MAIN HOST in # ms, HTTP/1.1.",
                "302 Elsewhere (# ms): a redirect to MAIN/redirect/chain/0, which is not followed.",
                "Done after # ms: # bytes of text/plain.",
            ]
        ),
        (
            ["-b", "a=1; b=2", "--cacert", "ca.pem", "SECURE/json", "SECURE/json"],
            [
                "GET SECURE/json with the cookies a, b", "Connected to SECURE HOST in # ms, TLS 1.3 in # ms, HTTP/1.1.",
                certificate, "200 OK (# ms).", "Done after # ms: # bytes of application/json.",
                "GET SECURE/json with the cookies a, b", "200 OK (# ms, connection reused).",
                "Done after # ms: # bytes of application/json.",
            ]
        ),
        (
            ["--cacert", "ca.pem", "MULTIPLEXED/fault/misdirected"],
            [
                "GET MULTIPLEXED/fault/misdirected",
                "Sent once more: the server said that the connection was not for it (421).",
                "Connected to MULTIPLEXED HOST in # ms, TLS 1.3 in # ms, HTTP/2.", certificate, "200 OK (# ms).",
                "Done after # ms: # bytes of text/plain.",
            ]
        ),
        (
            ["MAIN/fault/cut-mid-body"],
            [
                "GET MAIN/fault/cut-mid-body", "Connected to MAIN HOST in # ms, HTTP/1.1.", "200 OK (# ms).",
                "The answer broke off: MAIN HOST closed the connection before the end of the response body.",
            ]
        ),
        (["MAIN/fault/cut-before-head"], ["GET MAIN/fault/cut-before-head", "Failed after # ms."]),
    ]

    @Test(arguments: requests.indices) func aRequest(_ index: Int) async throws {
        _ = try sandbox.authority(of: landscape)
        let (arguments, story) = Self.requests[index]
        let outcome = try await sandbox.httpc(["-v", "-s"] + Self.filled(arguments, landscape))
        expect(outcome.errors, of: landscape, story)
    }

    private static func filled(_ arguments: [String], _ landscape: Landscape) -> [String] {
        arguments.map { argument in
            LandscapeOrigin.allCases.reduce(argument) { text, origin in
                text.hasPrefix(origin.rawValue.uppercased() + "/")
                    ? landscape.urlString(origin, String(text.dropFirst(origin.rawValue.count))) : text
            }
        }
    }

    // MARK: Passwords

    static let passwords: [(arguments: [String], path: String, story: [String])] = [
        (
            [], "/basic/realm1/x",
            [
                "401 Unauthorized (# ms): wants user name and password for \"realm1\" (Basic).",
                "Done after # ms: # bytes of text/plain.",
            ]
        ),
        (
            ["-u", "alice:wonderland"], "/basic/realm1/x",
            [
                "401 Unauthorized (# ms): wants user name and password for \"realm1\" (Basic).",
                "Again, now with user name and password of -u (Basic).", "200 OK (# ms, connection reused).",
                "Done after # ms: # bytes of application/json.",
            ]
        ),
        (
            ["-u", "alice:wrong"], "/basic/realm1/x",
            [
                "401 Unauthorized (# ms): wants user name and password for \"realm1\" (Basic).",
                "Again, now with user name and password of -u (Basic).",
                "401 Unauthorized (# ms, connection reused): wrong user name or password for \"realm1\".",
                "There is no other login to try.", "Done after # ms: # bytes of text/plain.",
            ]
        ),
        (
            ["-u", "alice:wonderland"], "/digest/once/x",
            [
                "401 Unauthorized (# ms): wants user name and password for \"digest-once\" (Digest).",
                "Again, now with user name and password of -u (Digest).", "200 OK (# ms, connection reused).",
                "Done after # ms: # bytes of application/json.",
            ]
        ),
        (
            ["-H", "Authorization: Bearer x"], "/api/x",
            [
                "401 Unauthorized (# ms): wants an access token for \"api\".",
                "Done after # ms: # bytes of text/plain.",
            ]
        ),
        (
            ["-d", "x=1"], "/csrf/a/x",
            [
                "403 Forbidden (# ms): wants a token against forged requests (CSRF).", "  GET MAIN/csrf/a/",
                "  200 OK (# ms, connection reused).",
                "Again, now with the cookie LANDSCAPE_CSRF_SESSION and a token against forged requests (CSRF).",
                "200 OK (# ms, connection reused).", "Done after # ms: # bytes of application/json.",
            ]
        ),
    ]

    @Test(arguments: passwords.indices) func aPassword(_ index: Int) async throws {
        let (arguments, path, story) = Self.passwords[index]
        let outcome = try await sandbox.httpc(["-v", "-s"] + arguments + [landscape.urlString(.main, path)])
        let told = ToldStory(outcome.errors, of: landscape).lines
        #expect(told.prefix(2).last == "Connected to MAIN HOST in # ms, HTTP/1.1.", "\(outcome.errors)")
        #expect(Array(told.dropFirst(2)) == story, "\(told.joined(separator: "\n"))")
    }

    @Test func aPasswordThatIsTyped() async throws {
        let url = landscape.urlString(.main, "/basic/realm1/x")
        let command = try RunningCommand(
            onTerminal: "\(BuiltProduct.httpc) -v -u alice -o out \(url)", in: sandbox,
            environment: ["NO_COLOR": "1"])
        try await command.answer("httpc: password of alice", "wonderland")
        expect(
            try await command.outcome(after: "Done").text, of: landscape,
            [
                "GET MAIN/basic/realm1/x", "Connected to MAIN HOST in # ms, HTTP/1.1.",
                "401 Unauthorized (# ms): wants user name and password for \"realm1\" (Basic).",
                "Asking for the password of alice on the terminal.",
                "Again, now with user name and password that were typed (Basic).",
                "200 OK (# ms, connection reused).", "Done after # ms: # bytes of application/json.",
            ])
    }

    @Test(arguments: [true, false]) func aProxyThatAsks(isRight: Bool) async throws {
        landscape.proxyRule = LandscapeProxyRule(authentication: .basic)
        let outcome = try await sandbox.httpc(
            "-v", "-s", "--cacert", try sandbox.authority(of: landscape), "-x", landscape.urlString(.proxy, ""),
            "-U",
            isRight ? "paula:through-the-wall" : "paula:wrong", landscape.urlString(.secure, "/json"))
        let asked = [
            "GET SECURE/json through the proxy PROXY",
            "407 Proxy Authentication Required (# ms): the proxy PROXY wants user name and password for "
                + "\"landscape proxy\" (Basic).",
            "Again, now with user name and password for the proxy.",
        ]
        expect(
            outcome.errors, of: landscape,
            asked
                + (isRight
                    ? [
                        "Connected to the proxy PROXY HOST in # ms, through it TLS 1.3 in # ms, HTTP/1.1.",
                        Self.certificate, "200 OK (# ms).", "Done after # ms: # bytes of application/json.",
                    ]
                    : [
                        "407 Proxy Authentication Required (# ms): the proxy PROXY says wrong user name or password.",
                        "There is no other login to try.", "Failed after # ms.",
                    ]))
    }

    // MARK: Certificates

    @Test(arguments: [true, false]) func aClientCertificate(isThere: Bool) async throws {
        let folder = URL(filePath: sandbox.path("made"), directoryHint: .isDirectory)
        try landscape.certificates.writeClients(named: ["alice"], to: folder)
        let certificate = isThere ? ["--cert", "made/alice.pem"] : []
        let outcome = try await sandbox.httpc(
            ["-v", "-s", "--cacert", try sandbox.authority(of: landscape)] + certificate
                + [landscape.urlString(.mutual, "/certificate")])
        expect(
            outcome.errors, of: landscape,
            ["GET MUTUAL/certificate"]
                + (isThere
                    ? [
                        "MUTUAL asks for a client certificate and is shown CN=alice.",
                        "Connected to MUTUAL HOST in # ms, TLS 1.3 in # ms, HTTP/1.1.", Self.certificate,
                        "200 OK (# ms).", "Done after # ms: # bytes of text/plain.",
                    ] : ["MUTUAL asks for a client certificate: there is none.", "Failed after # ms."]))
    }

    // MARK: Logins on pages

    @Test func aSAML2LoginInTheTerminal() async throws {
        let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
        let outcome = try await profile.run("-v", "-s", profile.url("/saml/post-post/x"))
        expect(
            outcome.errors, of: landscape,
            [
                "The profile \"work\" applies.", "GET MAIN/saml/post-post/x",
                "Connected to MAIN HOST in # ms, HTTP/1.1.", "200 OK (# ms): not the page, but a SAML2 login.",
                "SAML2 login at MAIN in the terminal, with the prepared answers.", "  GET MAIN/SAMLAuthLauncher",
                "  200 OK (# ms, connection reused).", "  POST OTHER/idp/sso/plain with a form of # bytes",
                "  Connected to OTHER HOST in # ms, HTTP/1.1.", "  200 OK (# ms).",
                "  POST OTHER/idp/login/plain with the cookie IDP_SESSION_other and a form of # bytes",
                "  200 OK (# ms, connection reused).", "  POST MAIN/saml/acs with a form of # bytes",
                "  302 Found (# ms, connection reused): redirected to MAIN/SAMLAuthLauncher?finishEndpointParam=….",
                "The SAML2 login is done.", "Again, now with the cookie SAML_SESSION_main of the login.",
                "200 OK (# ms, connection reused).", "Done after # ms: # bytes of application/json.",
            ])
    }

    @Test func aOneTimeCode() async throws {
        let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
        let outcome = try await profile.run(
            "-v", "-s", "--profile", "work", "-u", "alice:wonderland", profile.url("/otp/basic/x"))
        let told = ToldStory(outcome.errors, of: landscape).lines.filter { !$0.hasPrefix("  ") }
        #expect(
            told == [
                "The profile \"work\" applies.", "GET MAIN/otp/basic/x",
                "Connected to MAIN HOST in # ms, HTTP/1.1.",
                "401 Unauthorized (# ms): wants user name and password for \"otp\" (Basic).",
                "Again, now with user name and password of -u (Basic).",
                "302 Found (# ms, connection reused): redirected to a form for a one-time code at MAIN.",
                "One-time code for MAIN, in the terminal, with the prepared answers.", "The one-time code is done.",
                "Again, now with the cookies OTP_FIRST_main, OTP_SESSION_main of the login.",
                "200 OK (# ms, connection reused).", "Done after # ms: # bytes of application/json.",
            ], "\(outcome.errors)")
    }

    // MARK: OAuth2

    private static let discovery = [
        "  GET MAIN/.well-known/oauth-authorization-server/oauth2", "  200 OK (# ms, connection reused).",
    ]

    @Test func tokens() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        func run() async throws -> RunningCommand.Outcome {
            try await sandbox.httpc(
                "-v", "-s", landscape.urlString(.main, "/api/x"), environment: OAuth2Profile.secrets)
        }
        let connected = "Connected to MAIN HOST in # ms, HTTP/1.1."
        let done = ["The access token is accepted.", "Done after # ms: # bytes of application/json."]
        expect(
            try await run().errors, of: landscape,
            [
                "The profile \"work\" applies.", "GET MAIN/api/x", connected,
                "401 Unauthorized (# ms): wants an access token for \"api\".", "There is no access token yet.",
            ] + Self.discovery + [
                "Asking MAIN/oauth2/token for an access token (with user name and password).",
                "  POST MAIN/oauth2/token with a form of # bytes", "  200 OK (# ms, connection reused).",
                "There is an access token, good for 60 s.", "Again, now with an access token.",
                "200 OK (# ms, connection reused).",
            ] + done)
        try await OAuth2Profile.endTokens(in: sandbox)
        expect(
            try await run().errors, of: landscape,
            [
                "The profile \"work\" applies.", "The access token has ended or is about to.",
                "  GET MAIN/.well-known/oauth-authorization-server/oauth2",
                "  \(connected)", "  200 OK (# ms).",
                "Asking MAIN/oauth2/token for an access token (with the refresh token).",
                "  POST MAIN/oauth2/token with a form of # bytes", "  200 OK (# ms, connection reused).",
                "The access token is renewed, good for 60 s.", "GET MAIN/api/x with an access token",
                "200 OK (# ms, connection reused).",
            ] + done)
    }

    /// `httpc login` prints the same story.
    @Test func loginTellsItToo() async throws {
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        let outcome = try await sandbox.httpc(
            "login", "-vv", "--profile", "work", environment: OAuth2Profile.secrets)
        let told = ToldStory(outcome.errors, of: landscape).lines
        #expect(
            told.contains(
                "  POST MAIN/oauth2/token with a name and its secret (Basic) and a form of # bytes"))
        #expect(told.last == "There is an access token, good for 60 s.", "\(outcome.errors)")
        #expect(outcome.errors.contains("> Authorization: Basic <redacted>"))
    }

    // MARK: How much of it

    /// -v prints the story, and -vv adds the heads, in every spelling.
    @Test(arguments: [
        ["-v"], ["-sv"], ["-vs"], ["--verbose"], ["-vv"], ["-v", "-v"], ["-svv"], ["-vsv"], ["--verbose", "-v"],
        ["-vvv"],
    ])
    func theLevel(arguments: [String]) async throws {
        let outcome = try await sandbox.httpc(arguments + [landscape.urlString(.main, "/json")])
        #expect(outcome.errors.contains("* 200 OK ("), "\(outcome.errors)")
        let count = arguments.joined().replacing("--verbose", with: "v").count { $0 == "v" }
        #expect(outcome.errors.contains("> GET /json") == (count > 1))
        #expect(outcome.errors.contains("< HTTP/1.1 200 OK") == (count > 1))
    }

    /// Parallel transfers have numbers.
    @Test func parallelTransfersHaveNumbers() async throws {
        let urls = ["/json", "/bytes/10"].map { landscape.urlString(.main, $0) }
        let outcome = try await sandbox.httpc(["-v", "-Z", "-o", "a", "-o", "b"] + urls)
        let told = ToldStory(outcome.errors, of: landscape).lines
        for number in 1...2 {
            let own = told.filter { $0.hasPrefix("[\(number)] ") }
            #expect(own.first?.hasPrefix("[\(number)] GET MAIN/") == true, "\(outcome.errors)")
            #expect(own.last?.hasPrefix("[\(number)] Done after") == true)
        }
        #expect(told.allSatisfy { $0.hasPrefix("[") })
    }

    /// The story has no names of types, filters or events.
    @Test func itIsPlain() async throws {
        let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
        let outcome = try await profile.run("-v", "-s", profile.url("/otp/saml/x"))
        for word in ["Strategy", "Filter", "HttpConv", "notHandled", "verdict", "webLogin", "oauth2", "outcome="] {
            #expect(!outcome.errors.contains(word), "\(outcome.errors)")
        }
    }
}
