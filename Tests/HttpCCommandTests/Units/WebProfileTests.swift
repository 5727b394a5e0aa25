import HttpC
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

/// The tables of a profile about logins on web pages.
@Suite struct WebProfileTests {
    private func parse(_ text: String, isPrivate: Bool = true) throws -> Profile {
        let parser = ProfileParser(
            shownPath: "config.toml", directory: "/etc/httpc/", home: nil, isPrivate: isPrivate)
        return try #require(try parser.parse("[profiles.a]\nmatch = ['https://sp.example/x']\n" + text).first)
    }

    @Test func readsEveryKey() async throws {
        let profile = try parse(
            """
            [profiles.a.saml2]
            header = "com.sap.cloud.security.login"
            finish-endpoint = "/SAMLAuthLauncher"
            finish-parameter = "finishEndpointParam"
            [profiles.a.otp]
            header = "x-smp-authentication"
            value = "otp-challenge"
            parameters = "redirecttooriginalurl=false"
            finish = "finished=true"
            [profiles.a.answers]
            user = "alice"
            password = { env = "PASSWORD" }
            pin = { file = "pin" }
            code = { totp-env = "TOTP" }
            """)
        let login = try #require(profile.saml2)
        let provider = ProfileSAML2(profile: profile, login: login)
        let config = try await provider.saml2Config(for: TargetURL("https://sp.example/x/y"))
        #expect(config?.finishEndpoint?.absoluteString == "https://sp.example/SAMLAuthLauncher")
        #expect(config?.identifyingHeader?.canonicalName == "com.sap.cloud.security.login")
        #expect(try await provider.saml2Config(for: TargetURL("https://sp.example/other")) == nil)
        #expect(profile.otp == .sap)
        #expect(profile.answers.count == 4)
        guard case .text(.file("/etc/httpc/pin"))? = profile.answers["pin"],
            case .totp(.environment("TOTP"))? = profile.answers["code"],
            case .text(.environment("PASSWORD"))? = profile.answers["password"]
        else {
            Issue.record("\(profile.answers)")
            return
        }
    }

    @Test func singleSignOn() throws {
        let plain = try parse("answer-origins = ['https://idp.example']")
        #expect(plain.singleSignOn.store == .own && plain.singleSignOn.maximumAge == .seconds(8 * 3600))
        #expect(ProfileSingleSignOn.origins(of: plain).map(\.description) == ["https://idp.example"])
        let full = try parse(
            """
            answer-origins = ['https://idp.example']
            sso = 'work'
            sso-origins = ['https://sso.example:8443/x']
            sso-max-age = '7d'
            logout-url = 'https://sp.example/bye?all'
            """)
        #expect(full.singleSignOn.store == .named("work") && full.singleSignOn.maximumAge == .seconds(7 * 86_400))
        #expect(ProfileSingleSignOn.origins(of: full).map(\.description) == ["https://sso.example:8443"])
        #expect(full.singleSignOn.logoutURL?.absoluteString == "https://sp.example/bye?all")
        #expect(try parse("sso = 'none'").singleSignOn.store == .none)
        // The resource's own server is no identity provider, unless the profile says so.
        #expect(ProfileSingleSignOn.origins(of: try parse("")).isEmpty)
        // Plain http on another machine is left out.
        #expect(ProfileSingleSignOn.origins(of: try parse("answer-origins = ['http://idp.example']")).isEmpty)
    }

    @Test(arguments: [
        ("sso = '../work'", "letters"), ("sso = 'a b'", "letters"), ("sso-max-age = '8'", "such as"),
        ("sso-max-age = '8d'", "at most"), ("sso-max-age = '-1h'", "such as"), ("sso-max-age = '0h'", "such as"),
        ("sso-max-age = '99999999999999999999h'", "such as"), ("sso-origins = ['http://idp.example']", "plain http"),
        ("sso-origins = ['nowhere']", "entry 1"), ("logout-url = 'https://elsewhere.example/'", "not in the match"),
        ("logout-url = 'https://u:canary@sp.example/'", "user name"), ("logout-url = '/bye'", "cannot be used"),
        ("sso = 'work'\n[profiles.a.logon]\napplication = 'x'", "vault of a logon"),
    ])
    func singleSignOnMistakes(text: String, message: String) {
        let failure = #expect(throws: CommandFailure.self) { try parse(text) }
        #expect(failure?.message.contains(message) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("canary") == false)
    }

    @Test func aWebLoginIsDescribedByItsKeys() throws {
        let profile = try parse(
            """
            [profiles.a.saml2]
            [profiles.a.web-login]
            redirect-to = ["https://idp.example", "/login"]
            status = "401"
            header = "x-login"
            value = "1"
            password-form = true
            start = "/start"
            end = "/done"
            end-parameter = ["ok=1"]
            """)
        let target = try TargetURL("https://sp.example/x/y")
        let config = try #require(try profile.webLogin?.config(for: target))
        #expect(
            config.challenges == [
                .redirect(to: try TargetURL("https://idp.example/")),
                .redirect(to: try TargetURL("https://sp.example/login")), .status(401),
                .header(try #require(HTTPField.Name("x-login")), value: "1"), .passwordForm,
            ])
        #expect(config.start?.absoluteString == "https://sp.example/start")
        #expect(config.end == .navigation(try TargetURL("https://sp.example/done"), parameters: ["ok=1"]))
        let saml2 = try #require(try profile.saml2?.config(for: target))
        #expect(saml2.finishEndpoint == nil && saml2.finishParameters.isEmpty && saml2.start == nil)
        #expect(
            PreparedAnswers.origins(of: profile).map(\.description) == ["https://sp.example", "https://idp.example"])
        let usual = try parse("[profiles.a.web-login]").webLogin?.config(for: target)
        #expect(usual?.challenges == [.loginRequest, .passwordForm] && usual?.end == .resource)
    }

    @Test func absoluteFinishEndpoint() async throws {
        let profile = try parse(
            "[profiles.a.saml2]\nfinish-endpoint = 'https://login.example/done'\nfinish-parameter = 'f'")
        let config = try profile.saml2?.config(for: TargetURL("https://sp.example/x"))
        #expect(config?.finishEndpoint?.absoluteString == "https://login.example/done")
        #expect(config?.identifyingHeader == nil)
        #expect(
            PreparedAnswers.origins(of: profile).map(\.description)
                == ["https://sp.example", "https://login.example"])
    }

    @Test func emptyTableIsSAP() throws { #expect(try parse("[profiles.a.otp]").otp == .sap) }

    @Test(arguments: [
        ("[profiles.a.saml2]\nfinish-endpoint = '/x'", "needs finish-parameter with finish-endpoint"),
        ("[profiles.a.saml2]\nfinish-parameter = 'x'", "needs finish-endpoint with finish-parameter"),
        ("[profiles.a.saml2]\nstart = '/s'\nfinish-endpoint = '/x'\nfinish-parameter = 'f'", "leave out start"),
        ("[profiles.a.web-login]\nstatus = '200'", "The status 200"),
        ("[profiles.a.web-login]\nstatus = 'x'", "has to be a number in quotes"),
        ("[profiles.a.web-login]\nstatus = 401", "put the value in quotes"),
        ("[profiles.a.web-login]\nvalue = 'x'", "needs header with value"),
        ("[profiles.a.web-login]\nend-parameter = 'x'", "needs end with end-parameter"),
        ("[profiles.a.web-login]\npassword-form = 'yes'", "has to be true or false"),
        ("[profiles.a.web-login]\nredirect-to = ['x']", "redirect-to in [profiles.a.web-login]"),
        ("[profiles.a.web-login]\nredirects = ['x']", "unknown key"),
        ("[profiles.a.saml2]\nfinish-endpoint = 'x'\nfinish-parameter = 'f'", "finish-endpoint in [profiles.a.saml2]"),
        ("[profiles.a.saml2]\nfinish-endpoint = '/x'\nfinish-parameter = ''", "finish parameter"),
        ("[profiles.a.saml2]\nfinish-endpoint = '/x'\nfinish-parameter = 'f'\nheader = 'a b'", "header field"),
        ("[profiles.a.saml2]\nfinish-point = '/x'", "did you mean \"finish-endpoint\""),
        ("[profiles.a.otp]\nheader = 'x'", "needs header, value and finish"),
        ("[profiles.a.otp]\nheader = 'x'\nvalue = 'y'\nfinish = ''", "never end"),
        ("[profiles.a.answers]\nuser = ['x']", "a string or a table"),
        ("[profiles.a.answers]\nuser = { environment = 'X' }", "unknown key"),
        (
            "[profiles.a.answers]\nuser = { env = 'X', file = 'y' }",
            "needs one of env, file, command, keyring, totp-env"
        ),
    ])
    func namesTheMistake(text: String, message: String) {
        #expect {
            try parse(text)
        } throws: { error in
            let failure = error as? CommandFailure
            return failure?.status == .usage && failure?.message.contains(message) == true
        }
    }

    @Test func refusesAnswersThatOthersCanRead() throws {
        #expect {
            try parse("[profiles.a.answers]\npassword = 'canary'", isPrivate: false)
        } throws: { error in
            let message = (error as? CommandFailure)?.message ?? ""
            return message.contains("chmod 600") && !message.contains("canary")
        }
        #expect(try parse("[profiles.a.answers]\np = { env = 'X' }", isPrivate: false).answers.count == 1)
    }

    /// The next choice is taken where the first one cannot be shown.
    @Test(
        arguments: [
            // Columns: choices, terminal, window, viewers for our own pages, viewers for a login that comes to a
            // listener.
            (
                [Profile.ViewerChoice.chromium, .terminal], true, true,
                [LoginPageViewer.chromium(isHeadless: false), .terminal], nil
            ),
            ([.chromium, .terminal], true, false, [.terminal], nil),
            ([.chromium, .terminal], false, false, [.chromium(isHeadless: false)], nil),
            ([.chromium, .headless], true, false, [.chromium(isHeadless: true)], nil),
            ([.system, .terminal], true, false, [.terminal], [.system, .terminal]),
            ([], true, true, [.chromium(isHeadless: false), .terminal], [.system]),
            ([], false, true, [.chromium(isHeadless: false)], [.system]),
            ([.chromium], true, true, [.chromium(isHeadless: false)], nil),
        ] as [([Profile.ViewerChoice], Bool, Bool, [LoginPageViewer], [LoginPageViewer]?)])
    func choosesAlternatives(
        choices: [Profile.ViewerChoice], hasTerminal: Bool, hasWindow: Bool, viewed: [LoginPageViewer],
        listened: [LoginPageViewer]?
    ) {
        let place = LoginPageViewer.Surroundings(hasTerminal: hasTerminal, hasWindow: hasWindow)
        for (canListen, viewers) in [(false, viewed), (true, listened ?? viewed)] {
            #expect(
                LoginPageViewer.choose(
                    choices.first, others: Array(choices.dropFirst()), isHeadless: false, hasAnswers: false,
                    canListen: canListen, in: place) == viewers)
        }
    }

    @Test func webIsOneOrSeveral() throws {
        #expect(try parse("web = 'terminal'").viewer == .terminal)
        #expect(try parse("web = 'headless'").viewer == .headless)
        let profile = try parse("web = ['chromium', 'terminal']")
        #expect(profile.viewer == .chromium && profile.otherViewers == [.terminal])
        for wrong in ["['firefox']", "[1]", "1"] {
            #expect(throws: CommandFailure.self) { try parse("web = \(wrong)") }
        }
    }

    @Test(arguments: [
        // Columns: wish, headless, answers, terminal, window, viewer for our own pages, viewer for a login that comes
        // to a listener.
        (Profile.ViewerChoice?.none, false, false, true, false, LoginPageViewer.terminal, LoginPageViewer.system),
        (nil, false, false, true, true, .chromium(isHeadless: false), .system),
        (nil, false, true, true, true, .chromium(isHeadless: false), .chromium(isHeadless: false)),
        (nil, false, true, false, true, .terminal, .terminal),
        (nil, false, false, false, false, .terminal, .system),
        (nil, true, true, false, false, .chromium(isHeadless: true), .chromium(isHeadless: true)),
        (.chromium, false, false, true, false, .chromium(isHeadless: false), .chromium(isHeadless: false)),
        (.headless, false, true, true, true, .chromium(isHeadless: true), .chromium(isHeadless: true)),
        (.terminal, false, false, true, true, .terminal, .terminal),
        (.system, false, true, true, true, .system, .system),
        (Profile.ViewerChoice.none, false, true, true, true, .none, .none),
    ])
    func choosesWhatShowsLogins(
        wish: Profile.ViewerChoice?, isHeadless: Bool, hasAnswers: Bool, hasTerminal: Bool, hasWindow: Bool,
        viewed: LoginPageViewer, listened: LoginPageViewer
    ) {
        let place = LoginPageViewer.Surroundings(hasTerminal: hasTerminal, hasWindow: hasWindow)
        for (canListen, viewer) in [(false, viewed), (true, listened)] {
            #expect(
                LoginPageViewer.choose(
                    wish, isHeadless: isHeadless, hasAnswers: hasAnswers, canListen: canListen, in: place) == viewer)
        }
    }
}
