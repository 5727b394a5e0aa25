import HttpC
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

/// `[profiles.NAME.oauth2]`.
@Suite struct OAuth2ProfileTests {
    private func parse(_ text: String, isPrivate: Bool = true) throws -> OAuth2Table? {
        try ProfileParser(shownPath: "config.toml", directory: "/etc/httpc/", home: "/home/alice", isPrivate: isPrivate)
            .parse("[profiles.a.oauth2]\n" + text).first?.oauth2
    }

    @Test func readsEveryKey() throws {
        let login = try #require(
            try parse(
                """
                grant = "password"
                authorization-endpoint = "https://idp.example.com/authorize"
                token-endpoint = "https://idp.example.com/token"
                device-authorization-endpoint = "https://idp.example.com/device"
                revocation-endpoint = "https://idp.example.com/revoke"
                client-id = "native"
                client-secret-env = "SECRET"
                scopes = ["openid", "offline_access"]
                redirect-uri = "http://127.0.0.1:8080/back"
                username = "alice"
                password-env = "PASSWORD"
                token-origins = ["https://api.example.com"]
                """))
        #expect(login.grant == .password)
        #expect(login.authorizationEndpoint == "https://idp.example.com/authorize")
        #expect(login.tokenEndpoint == "https://idp.example.com/token")
        #expect(login.deviceEndpoint == "https://idp.example.com/device")
        #expect(login.revocationEndpoint == "https://idp.example.com/revoke")
        #expect(login.clientID == "native")
        #expect(login.scopes == ["openid", "offline_access"])
        #expect(login.redirectURI == "http://127.0.0.1:8080/back")
        #expect(login.username == "alice")
        #expect(login.tokenOrigins?.map(\.description) == ["https://api.example.com"])
        guard case .environment("SECRET") = login.clientSecret, case .environment("PASSWORD") = login.password else {
            Issue.record("the secrets do not come from the environment")
            return
        }
    }

    @Test func needsLittle() throws {
        let login = try #require(try parse("issuer = 'https://idp.example.com'\nclient-id = 'native'"))
        #expect(login.grant == .code)
        #expect(login.redirectURI == "http://127.0.0.1:0/callback")
        #expect(login.tokenOrigins == nil)
    }

    private static let issuer = "issuer = 'https://idp.example.com'\nclient-id = 'native'\n"
    private static let endpoint = "token-endpoint = 'https://idp.example.com/token'\nclient-id = 'native'\n"

    private static let mistakes: [(text: String, message: String)] = [
        ("ISSUERclientid = 'x'", "did you mean \"client-id\""), ("ISSUERscope = []", "did you mean \"scopes\""),
        ("ISSUERgrant = 'implicit'", "code, password, client-credentials, device"),
        ("ISSUERscopes = 'read'", "list of strings"), ("ISSUERscopes = ['a b']", "each scope by itself"),
        ("issuer = 'https://idp.example.com'", "client-id"), ("client-id = 'a'", "neither issuer nor token-endpoint"),
        ("ISSUERtoken-endpoint = 'https://idp.example.com/token'", "leave one out"),
        ("ENDPOINT", "neither issuer nor authorization-endpoint"),
        ("ENDPOINTgrant = 'device'", "device-authorization-endpoint"),
        ("ISSUERgrant = 'password'", "no username"),
        ("ISSUERgrant = 'password'\nusername = 'a'", "add password-env"),
        ("ISSUERgrant = 'client-credentials'", "add client-secret-env"),
        ("ISSUERclient-secret = 'a'\nclient-secret-env = 'B'", "more than one"),
        ("issuer = 'http://idp.example.com'\nclient-id = 'a'", "https only"),
        ("issuer = 'idp.example.com'\nclient-id = 'a'", "has an issuer that is neither"),
        ("ISSUERredirect-uri = 'callback'", "redirect URI"),
        ("ISSUERtoken-origins = ['http://api.example.com']", "https only"),
        ("ISSUERtoken-origins = []", "is empty"), ("ISSUERtoken-origins = ['x y']", "token-origins"),
        ("ISSUERclient-auth = 'mtls'", "client_secret_basic"),
        ("ISSUERclient-auth = 'private_key_jwt'", "no client-key"),
        ("ISSUERclient-key = 'a.pem'", "add that"), ("ISSUERclient-key-id = 'a'", "no client-key"),
        ("ISSUERclient-auth = 'client_secret_post'", "no client secret"),
        ("ISSUERclient-auth = 'tls_client_auth'\nclient-secret-env = 'A'", "leave it out"),
        ("ISSUERclient-auth = 'tls_client_auth'", "add [profiles.a.cert]"),
        (
            "sap-server = 'https://s.example.com/'\nclient-id = 'a'\nclient-auth = 'private_key_jwt'\nclient-key = 'k'",
            "client secrets only"
        ),
    ]

    @Test(arguments: mistakes)
    func namesTheMistake(text: String, message: String) throws {
        let text = text.replacing("ISSUER", with: Self.issuer).replacing("ENDPOINT", with: Self.endpoint)
        let failure = try #require(throws: CommandFailure.self) { try parse(text) }
        #expect(failure.status == .usage)
        #expect(failure.message.contains(message), "\(failure.message)")
        #expect(failure.message.contains("config.toml"))
        #expect(failure.message.contains("profiles.a"))
        #expect(!failure.message.hasSuffix(".."), "\(failure.message)")
    }

    @Test(arguments: ["client-secret", "password"])
    func literalSecretsNeedAPrivateFile(key: String) throws {
        let text = Self.issuer + "\(key) = 'planted-canary'"
        #expect(try parse(text) != nil)
        let failure = try #require(throws: CommandFailure.self) { try parse(text, isPrivate: false) }
        #expect(failure.message.contains("chmod 600"), "\(failure.message)")
        #expect(!failure.message.contains("planted-canary"))
    }

    /// Other programs get no token that httpc itself would not send (security rule S32).
    @Test(arguments: [false, true]) func tokenOriginsHoldForOtherPrograms(hasPassword: Bool) async throws {
        let sandbox = try Sandbox()
        var plan = ClientPlan()
        plan.configuration = try sandbox.write(
            """
            [profiles.a]
            match = ["http://127.0.0.1:1/", "http://127.0.0.1:2/"]
            [profiles.a.oauth2]
            grant = "client-credentials"
            token-endpoint = "http://127.0.0.1:1/token"
            client-id = "c"
            client-secret = "s"
            token-origins = ["http://127.0.0.1:1"]

            """ + (hasPassword ? "[profiles.a.basic]\nusername = 'alice'\npassword = 'p'\n" : ""),
            to: "config.toml")
        let run = CommandRun(
            diagnostics: Diagnostics(isSilent: true, style: TerminalStyle(isColoured: false), progress: nil),
            transcripts: try TranscriptFiles(archive: nil, page: nil, version: "1"))
        let url = try TargetURL("http://127.0.0.1:2/x")
        let lender = try CredentialLender(plan, run)
        let place = try #require(try lender.place([url]))
        let lent = try await lender.credential(for: place)?.login(for: nil)
        #expect(lent?.username == (hasPassword ? "alice" : nil))
        try await lender.refuse(nil, at: place)
        let request = try KubernetesCredentialRequest(nil)
        await #expect(throws: CommandFailure.self) {
            _ = try await lender.kubernetesCredential(for: place, asked: request)
        }
        let tokens = try TokenRun(plan, for: url, grant: nil, run)
        let failure = await #expect(throws: CommandFailure.self) { _ = try await tokens.usableTokens() }
        #expect(failure?.status == .usage && failure?.message.contains("token-origins") == true)
    }
}
