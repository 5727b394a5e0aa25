import Foundation
import HttpC
import HttpConvConcurrency
import HttpConversationTesting
import LandscapeSupport
import TestSupport
import Testing

/// The terminal strategy in all flows, with the landscape's identity provider, second factor and authorization server.
@Suite(.landscape, .serialized, .timeLimit(.minutes(1))) struct TerminalLandscapeTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    /// A manager for unattended logins.
    private struct Bench {
        let landscape: Landscape
        let configurator: CommonAuthenticationConfigurator
        let manager: HttpConversationManager

        init(
            _ landscape: Landscape, answers: [String: FormAnswers.Answer]? = nil, prompter: (any FormPrompter)? = nil,
            origins: [String]? = nil, clock: any WallClock = SystemClock(), saml2 variant: String? = nil,
            otp: Bool = false, basic: Bool = false, oauth2 redirect: String? = nil,
            schemes: CustomURLSchemeManagement = CustomURLSchemeManagement(),
            opener: (any ExternalURLOpener)? = nil
        ) throws {
            self.landscape = landscape
            let origins = origins ?? [landscape.urlString(), landscape.identityProvider()]
            let form = try FormAnswers(
                answers ?? Self.alice, origins: origins, clock: clock
            )
            var configurator = CommonAuthenticationConfigurator()
            configurator.multiplexer = UserInteractionMultiplexer()
            configurator.customURLSchemes = schemes
            configurator.externalURLOpener = opener
            configurator.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: prompter, answers: form))
            if let variant {
                configurator.add(
                    saml2: Provider(
                        saml2: try SAML2Config(
                            finishEndpoint: TargetURL(landscape.finishEndpoint(variant: variant)),
                            finishParameter: "finishEndpointParam")))
            }
            if otp { configurator.add(otp: Provider(otp: .sap)) }
            if basic { configurator.add(StaticCredentialProvider(username: "alice", password: "wonderland")) }
            if let redirect {
                configurator.add(
                    oauth2: try ConfiguredOAuth2ServerSupport(
                        name: "api", tokenOrigins: [try TargetURL(landscape.urlString()).origin],
                        configuration: try OAuth2Configuration(
                            clientID: redirect.hasPrefix("https") ? "browser" : "native",
                            tokenEndpoint: landscape.urlString(.main, "/oauth2/token"), scopes: ["read"],
                            grant: .authorizationCode(
                                AuthorizationCodeGrant(
                                    authorizationEndpoint: landscape.urlString(.main, "/oauth2/authorize"),
                                    redirectURI: redirect)))))
            }
            self.configurator = configurator
            manager = HttpConversationManager(configurator)
        }

        static let alice: [String: FormAnswers.Answer] = [
            "user": .text("alice"), "password": .text("wonderland"), "username": .text("alice"),
            "j_username": .text("alice"), "j_password": .text("wonderland"), "domain": .text("corp"),
        ]

        func get(_ path: String) async throws -> ConversationResponse {
            try await manager.data(for: HTTPRequest(.get, landscape.urlString(.main, path)))
        }

        func failure(_ path: String) async throws -> WebLoginError {
            let error = await #expect(throws: ConversationError.self) { _ = try await get(path) }
            return try #require(error?.underlyingError as? WebLoginError)
        }
    }

    private struct Provider: SAML2ConfigProvider, OTPConfigProvider {
        var saml2: SAML2Config?
        var otp: OTPConfig?
        func saml2Config(for target: TargetURL) async throws -> SAML2Config? { saml2 }
        func otpConfig(for target: TargetURL) async throws -> OTPConfig? { otp }
    }

    /// The landscape's clock; waiting advances it.
    private struct LandscapeTime: WallClock {
        let clock: LandscapeClock
        var date: Date { clock.date }
        var uptime: Duration { clock.now }
        func sleep(for duration: Duration) async throws { clock.advance(by: duration + .milliseconds(1)) }
    }

    /// A new user with a new secret, because used codes are remembered for the whole process.
    private func newUser() throws -> TOTPSecret {
        let secret = TOTPSecret.unused()
        landscape.addUser("alice", password: "wonderland", totpSecret: secret)
        return try TOTPSecret(base32: secret)
    }

    // MARK: SAML2

    @Test(arguments: ["post-post", "post-artifact", "redirect-post", "redirect-artifact"], [true, false])
    func saml2(variant: String, hasHeader: Bool) async throws {
        let variant = hasHeader ? variant : "\(variant)-noheader"
        let bench = try Bench(landscape, saml2: variant)
        let response = try await bench.get("/saml/\(variant)/page?x=1")
        #expect(response.status == .ok && response.text.contains("\"alice\""))
        #expect(landscape.samlCounters.logins == 1 && landscape.samlCounters.failedPasswords == 0)
        #expect(try await bench.get("/saml/\(variant)/other").text.contains("\"alice\""))
        #expect(landscape.samlCounters.logins == 1)
        // The identity provider's cookies stay in the view.
        let left = bench.configurator.session.cookies.cookies(
            for: try TargetURL(landscape.identityProvider() + "/idp/"))
        #expect(left.isEmpty)
    }

    @Test(arguments: SAMLLoginStyle.allCases.filter { $0 != .script }) func pagesOfAllShapes(style: SAMLLoginStyle)
        async throws
    {
        let secret = try newUser()
        let answers = Bench.alice.merging([
            "code": .totp(secret), "consent": .text("accept"), "account": .text("staff"),
            "terms": .text("accepted"),
        ]) { $1 }
        let variant = "post-post-\(style.rawValue)"
        let bench = try Bench(landscape, answers: answers, saml2: variant)
        let response = try await bench.get("/saml/\(variant)/page")
        #expect(response.text.contains("\"alice\""), "\(response.text)")
        #expect(landscape.samlCounters.logins == 1)
    }

    @Test func aPageThatNeedsJavaScript() async throws {
        let bench = try Bench(landscape, saml2: "post-post-script")
        let error = try await bench.failure("/saml/post-post-script/page")
        #expect(error.code == .unsupportedPage && error.message.contains("JavaScript"))
        #expect(error.pageText?.contains("needs JavaScript") == true)
        #expect(landscape.samlCounters.logins == 0 && landscape.samlCounters.signOns == 1)
    }

    @Test func wrongAnswersAreOneFailedLogin() async throws {
        let bench = try Bench(
            landscape, answers: ["user": .text("alice"), "password": .text("falsch-canary")], saml2: "post-post")
        let error = try await bench.failure("/saml/post-post/page")
        #expect(error.code == .answersRefused && error.pageText?.contains("wrong password") == true, "\(error)")
        #expect(!"\(error)".contains("canary"))
        #expect(landscape.samlCounters.failedPasswords == 1 && landscape.samlCounters.loginForms == 2)
    }

    @Test func answersStayAtTheirOrigins() async throws {
        let bench = try Bench(landscape, origins: [landscape.urlString()], saml2: "post-post")
        let error = try await bench.failure("/saml/post-post/page")
        #expect(error.code == .answersNotAllowed && error.message.contains(landscape.identityProvider()))
        // The identity provider's form was shown, and got no password.
        #expect(landscape.samlCounters.loginForms == 1 && landscape.samlCounters.failedPasswords == 0)
        #expect(landscape.requests(origin: .other, method: "POST").count == 1)
    }

    @Test func aPersonLogsIn() async throws {
        let person = FakePerson(["User name": ["jürgen"], "Password": ["pässwörd€"]])
        let bench = try Bench(landscape, answers: [:], prompter: person, saml2: "redirect-artifact")
        #expect(try await bench.get("/saml/redirect-artifact/page").text.contains("\"jürgen\""))
        #expect(person.asked == ["User name", "Password (secret)"])
        #expect(person.pages.map { "\($0.origin)" } == [landscape.identityProvider()])
    }

    @Test func aPersonAtATerminal() async throws {
        let terminal = try PseudoTerminal()
        let bench = try Bench(
            landscape, answers: [:], prompter: TerminalPrompter(path: terminal.path), saml2: "post-post")
        let response = Task { try await bench.get("/saml/post-post/page") }
        for password in ["wrong-canary", "wonderland"] {
            try await terminal.waitFor("SAML2 login: a page of \(landscape.identityProvider())")
            try await terminal.waitFor("User name: ")
            try terminal.type("alice\n")
            try await terminal.waitFor("Password: ")
            #expect(!terminal.hasEcho)
            try terminal.type("\(password)\n")
        }
        #expect(try await response.value.text.contains("\"alice\""))
        let shown = terminal.output
        #expect(shown.contains("It says:") && shown.contains("alice"))
        #expect(!shown.contains("canary") && !shown.contains("wonderland"))
        #expect(terminal.hasEcho && landscape.samlCounters.failedPasswords == 1)
    }

    @Test func aPersonWhoCancels() async throws {
        let bench = try Bench(landscape, answers: [:], prompter: FakePerson(), saml2: "post-post")
        #expect(await failureCode { try await bench.get("/saml/post-post/page") } == .cancelled)
        #expect(landscape.samlCounters.loginForms == 1 && landscape.samlCounters.failedPasswords == 0)
    }

    // MARK: One-time codes

    @Test func aCodeAfterBasic() async throws {
        let secret = try newUser()
        let bench = try Bench(landscape, answers: ["passcode": .totp(secret)], otp: true, basic: true)
        let response = try await bench.get("/otp/basic/page")
        #expect(response.text.contains("OTP") && response.text.contains("\"alice\""), "\(response.text)")
        #expect(landscape.otpCounters.accepted == 1 && landscape.otpCounters.wrong == 0)
    }

    /// The form also requires Basic, which the conversation's provider answers.
    @Test func aFormBehindBasic() async throws {
        let secret = try newUser()
        let bench = try Bench(landscape, answers: ["passcode": .totp(secret)], otp: true, basic: true)
        #expect(try await bench.get("/otp/basic-strict/page").text.contains("OTP"))
        #expect(landscape.otpCounters.accepted == 1)
    }

    @Test func aCodeAfterSAML2() async throws {
        let secret = try newUser()
        let answers = Bench.alice.merging(["passcode": .totp(secret)]) { $1 }
        let bench = try Bench(landscape, answers: answers, saml2: "post-post", otp: true)
        let response = try await bench.get("/otp/saml-post-post/page")
        #expect(response.text.contains("OTP") && response.text.contains("SAML2"), "\(response.text)")
        #expect(landscape.otpCounters.accepted == 1 && landscape.samlCounters.logins == 1)
    }

    /// The person opens the authenticator instead of typing.
    @Test func aCodeThatAnotherApplicationBrings() async throws {
        _ = try newUser()
        let schemes = CustomURLSchemeManagement()
        let bench = try Bench(
            landscape, answers: [:], prompter: Waiting(), otp: true, basic: true, schemes: schemes,
            opener: Application(landscape: landscape, schemes: schemes))
        #expect(try await bench.get("/otp/basic/page").text.contains("OTP"))
        #expect(landscape.otpCounters.accepted == 1)
    }

    /// Calls back with the current code.
    private struct Application: ExternalURLOpener {
        let landscape: Landscape
        let schemes: CustomURLSchemeManagement
        func open(_ url: URL) async throws {
            let code = landscape.passcode() ?? ""
            schemes.handleOpenURL(
                URL(string: "com.example.landscape.xcallbackurl://passcode?passcode=\(code)") ?? URL(filePath: "/"))
        }
    }

    /// A person who opens the application, and types nothing.
    private struct Waiting: FormPrompter {
        func show(_ page: FormPage) async throws {}
        func enter(
            _ label: String, for origin: Origin, prefilled: String, isSecret: Bool
        ) async throws -> Redacted<String> {
            try await Task.sleep(for: .seconds(3600))
            return Redacted("")
        }
        func choose(
            _ label: String, for origin: Origin, from options: [String], selected: Set<Int>, allowsSeveral: Bool
        ) async throws -> Set<Int> { selected }
        func confirm(_ question: String) async throws -> Bool { question.contains("makes the code") }
    }

    @Test func twoLoginsOfOneUserInOneWindow() async throws {
        let secret = try newUser()
        let time = LandscapeTime(clock: landscape.clock)
        for _ in 0..<2 {
            let bench = try Bench(
                landscape, answers: ["passcode": .totp(secret)], clock: time, otp: true, basic: true)
            #expect(try await bench.get("/otp/basic/page").text.contains("OTP"))
        }
        #expect(landscape.otpCounters.accepted == 2)
        #expect(landscape.otpCounters.repeated == 0 && landscape.otpCounters.wrong == 0)
    }

    // MARK: OAuth2

    @Test(arguments: [
        "https://app.example/callback?from=oauth", "com.example.app:/callback", "http://127.0.0.1:0/callback",
    ])
    func oauth2(redirect: String) async throws {
        landscape.addOAuthClient(
            OAuthClient(
                id: "browser", redirectURIs: ["https://app.example/callback?from=oauth"],
                grants: [.authorizationCode, .refreshToken]))
        let bench = try Bench(landscape, oauth2: redirect)
        let response = try await bench.get("/api/hello")
        #expect(response.status == .ok && response.text.contains("alice"), "\(response.text)")
        #expect(landscape.oauthCounters.logins == 1)
    }
}
