import HTTPTypes
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation
import Testing

@testable import HttpConvWebStrategies

/// The form of a page that is sent, and the forms that are not.
@Suite(.timeLimit(.minutes(1))) struct LoginFormTests {
    private static let start = "GET \(PageServer.start)"

    private func failure(_ body: () async throws -> WebLoginOutcome) async throws -> WebLoginError {
        try #require(await #expect(throws: WebLoginError.self) { _ = try await body() })
    }

    private func answers(_ answers: [String: FormAnswers.Answer], _ origins: String...) throws -> FormAnswers {
        try FormAnswers(answers, origins: origins.isEmpty ? ["https://sp.example"] : origins)
    }

    private static let alice: [String: FormAnswers.Answer] = [
        "user": .text("alice"), "email": .text("alice@x.example"), "password": .text("canary"),
    ]
    private static let script = "<script src=login.js></script>"
    private static let fields = "<input name=user><input type=password name=password>"
    private static let login = "<form method=post action=/in>\(fields)<button>Log in</button></form>"

    // MARK: Names that are new each time

    /// The form of GLPI.
    private static func glpi(_ digits: String) -> String {
        "<form method=post action=/in><input id=login_name name=fielda\(digits)><input type=password id=login_password"
            + " name=fieldb\(digits)><input type=checkbox name=fieldc\(digits) checked><button>Sign in</button></form>"
    }

    @Test func aFieldWhoseNameIsNewGoesByItsID() async throws {
        let first = "662f8c1e3a5b7"
        let server = PageServer([
            Self.start: [PageServer.html(Self.glpi(first))],
            "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        let ids: [String: FormAnswers.Answer] = ["login_name": .text("alice"), "login_password": .text("canary")]
        _ = try await server.logIn(answers: answers(ids))
        #expect(
            server.log.last
                == "POST https://sp.example/in fielda\(first)=alice&fieldb\(first)=canary&fieldc\(first)=on")
        // An answer for the name goes first.
        let named = ids.merging(["fielda\(first)": .text("bob")]) { $1 }
        _ = try await server.logIn(answers: answers(named))
        #expect(server.log.last?.contains("fielda\(first)=bob&") == true)

        let refusing = PageServer([
            Self.start: Self.glpi(first),
            "POST https://sp.example/in": "<p role=alert>Wrong password</p>" + Self.glpi("662f8c1e3a5c9"),
        ])
        let refused = try await failure { try await refusing.logIn(answers: answers(ids)) }
        #expect(refused.code == .answersRefused && refused.pageText == "Wrong password", "\(refused)")
        #expect(refusing.log.count == 2)

        let missing = try await failure { try await refusing.logIn() }
        #expect(missing.missingFields.map(\.name) == ["login_name", "login_password"])
        #expect(missing.missingFields.map(\.purpose) == [.login, .login])
    }

    /// Only a name that is new each time makes room for the id.
    @Test(arguments: [
        "<input name=login id=user><input type=password name=pw id=password>",
        "<input name=facade12 id=user><input type=password name=deadbeefcafe id=password>",
    ])
    func aFieldWithANameDoesNotGoByItsID(fields: String) async throws {
        let server = PageServer([Self.start: "<form method=post action=/in>\(fields)<button>Log in</button></form>"])
        let error = try await failure { try await server.logIn(answers: answers(Self.alice)) }
        #expect(error.code == .missingAnswer && !error.missingFields.contains { Self.alice[$0.name] != nil })
        #expect(server.log == [Self.start])
    }

    // MARK: Forms for scripts

    /// A script sends these forms in a browser. As they are, they would put the password into a URL, or a browser would
    /// not send them.
    @Test(arguments: [
        "\(script)<form id=f>\(fields)<input type=submit></form>",
        "\(script)<form method=get action=/in onsubmit='handleLogin(event)'>\(fields)<button>Log in</button></form>",
        "\(script)<form method=post action=/in onsubmit='return false;'>\(fields)<button>Log in</button></form>",
        "<form method=post action=/in onsubmit=' Return  false '>\(fields)<button>Log in</button></form>",
        "\(script)<form method=post action=/in>\(fields)<button formmethod=get>Log in</button></form>",
        "\(script)<form><input name=code autocomplete=one-time-code></form>",
        // Fields without a name, as in OctoPrint and Cockpit.
        "\(script)<form><input id=user><input id=password type=password><button>Log in</button></form>",
        "\(script)<form method=post><input type=password name=''><button>Log in</button></form>",
        "<form method=post><input type=password><button>Continue</button></form>",
        "<meta http-equiv=refresh content=20>\(script)<form>\(fields)<button>Log in</button></form>",
        // The other forms are not the login, although there are answers for one of them.
        "<form method=post action=/find><input name=q></form>\(script)<form>\(fields)<button>Log in</button></form>",
        "<form method=post action=/news><input name=email></form>\(script)<form>\(fields)<button>Log in</button></form>",
    ]) func aFormForScriptsIsNeverSent(page: String) async throws {
        for person in [FakePerson(), nil] {
            let server = PageServer([Self.start: page])
            let error = try await failure { try await server.logIn(person, answers: answers(Self.alice)) }
            #expect(error.code == .unsupportedPage && error.message.contains("--web chromium"), "\(error)")
            #expect(server.log == [Self.start], "the page was seen, and nothing else was asked")
            #expect(person?.asked.isEmpty != false)
        }
    }

    /// Where no script could send them, the message says why they are not sent.
    @Test(arguments: [
        "<form>\(fields)<button>Log in</button></form><a href=/help>Help</a>",
        "<form method=post>\(fields)<button name=b value=1>A</button><button name=b value=2 formmethod=get>B</button></form>",
        "<form><input name=code><button>Go</button></form>",
        // Fields with the names of secrets count as such, although the page shows what is entered.
        "<form><input name=user><input name=password><button>Log in</button></form>",
        "<form method=post><input name=user><textarea name=password></textarea><button formmethod=get>Log in</button></form>",
    ]) func noSecretIsPutIntoAURL(page: String) async throws {
        let server = PageServer([Self.start: page])
        let secret = try TOTPSecret(base32: "JBSWY3DPEHPK3PXP")
        let prepared = Self.alice.merging(["b": .text("2"), "code": .totp(secret)]) { $1 }
        let error = try await failure {
            try await server.logIn(
                answers: FormAnswers(
                    prepared, origins: ["https://sp.example"], usedCodes: InMemoryUsedCodeStorage()))
        }
        #expect(error.code == .unsupportedPage && error.message.contains("into a URL"), "\(error)")
        #expect(error.message.contains("--web chromium"))
        #expect(server.log == [Self.start])
    }

    @Test func thePasswordOfAPersonIsNotPutIntoAURL() async throws {
        let server = PageServer([Self.start: "<form>\(Self.fields)<button>Log in</button></form>"])
        let person = FakePerson(["user": ["alice"], "password": ["canary"]])
        let error = try await failure { try await server.logIn(person) }
        #expect(error.code == .unsupportedPage && person.asked.isEmpty)
        #expect(server.log == [Self.start])
    }

    /// A form for scripts beside the login form changes nothing.
    @Test func aFormForScriptsBesideTheLoginIsLeftOut() async throws {
        let search = "<form onsubmit='return false'><input name=q></form>"
        let server = PageServer([
            Self.start: [PageServer.html(search + Self.script + Self.login)],
            "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(FakePerson(["user": ["alice"], "password": ["canary"]]))
        #expect(server.log.last == "POST https://sp.example/in user=alice&password=canary")
    }

    /// Some pages hide such a field by their style sheet.
    @Test func aPasswordWithoutANameBesideTheLoginsIsLeftOut() async throws {
        let trap = "<input type=password class=trap><button>"
        let server = PageServer([
            Self.start: [PageServer.html(Self.script + Self.login.replacing("<button>", with: trap))],
            "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(answers: answers(Self.alice))
        #expect(server.log.last == "POST https://sp.example/in user=alice&password=canary")
    }

    /// A search whose text has the name of a secret does not stand for the login.
    @Test(arguments: ["key", "state", "desc"]) func aSearchBesideTheUserNameIsLeftOut(name: String) async throws {
        let search = "<form action=/find><input name=\(name)><button>Search</button></form>"
        let server = PageServer([
            Self.start: [
                PageServer.html("\(search)<form method=post action=/in><input name=user><button>Next</button></form>")
            ],
            "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(FakePerson(["user": ["alice"]]))
        #expect(server.log.last == "POST https://sp.example/in user=alice")
    }

    // MARK: The form among several

    private static let newPassword = "<input type=password name=password autocomplete=new-password>"

    @Test(arguments: [
        "<form action=/news method=post><input type=email name=email><button>Subscribe</button></form>",
        "<form action=/register method=post><input name=user>\(newPassword)<button>Sign up</button></form>",
        "<form action=/register method=post><input name=user><input name=email>\(newPassword)<button>Sign up</button></form>",
        "<form action=/register method=post><input name=user><label>Choose a password <input type=password name=password></label><button>Sign up</button></form>",
        "<form action=/change method=post><input name=user><input name=email><input type=password name=password><input type=password name=again><button>Change</button></form>",
    ]) func theLoginFormGetsTheAnswers(other: String) async throws {
        for page in [other + Self.login, Self.login + other] {
            let server = PageServer([
                Self.start: [PageServer.html(page)], "POST https://sp.example/in": [PageServer.redirect("/done")],
            ])
            _ = try await server.logIn(answers: answers(Self.alice))
            #expect(server.log == [Self.start, "POST https://sp.example/in user=alice&password=canary"])
        }
    }

    /// A login form may be marked as one for a new password, so that browsers do not fill it in.
    @Test func theFormWithMoreAnswersGetsThem() async throws {
        let page = """
            <form action=/news method=post><input name=email><button>Subscribe</button></form>
            <form action=/in method=post><input name=email>\(Self.newPassword)<button>Log in</button></form>
            """
        let server = PageServer([
            Self.start: [PageServer.html(page)], "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(answers: answers(Self.alice))
        #expect(server.log.last == "POST https://sp.example/in email=alice%40x.example&password=canary")
    }

    /// The page of the code may still have the login form, whose answers were sent.
    @Test func aLaterStepGoesBeforeTheLogin() async throws {
        let code = "<form action=/code method=post><input name=code><button>Go</button></form>"
        let server = PageServer([
            Self.start: [PageServer.html(Self.login)],
            "POST https://sp.example/in": [PageServer.html(Self.login + code)],
            "POST https://sp.example/code": [PageServer.redirect("/done")],
        ])
        let secret = try TOTPSecret(base32: "JBSWY3DPEHPK3PXP")
        let prepared = Self.alice.merging(["code": .totp(secret)]) { $1 }
        let outcome = try await server.logIn(
            answers: FormAnswers(prepared, origins: ["https://sp.example"], usedCodes: InMemoryUsedCodeStorage()))
        #expect(outcome.finish.value == "https://sp.example/done")
        #expect(server.arrivals.map(\.line).last == "POST https://sp.example/code")
    }

    @Test func aPersonChoosesTheLoginFormByEnter() async throws {
        let page = "<form action=/register method=post><input name=user>\(Self.newPassword)</form>" + Self.login
        let server = PageServer([
            Self.start: [PageServer.html(page)], "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(FakePerson(["Which form": [""], "user": ["alice"], "password": ["canary"]]))
        #expect(server.log.last == "POST https://sp.example/in user=alice&password=canary")
    }

    // MARK: The button among several

    /// A button for another purpose may stand ahead of the one that logs in.
    @Test(arguments: [
        "<button name=b value=1>Register</button><button name=b value=2>Log in</button>",
        "<button name=b value=1>Forgot password?</button><button name=b value=2>Sign in »</button>",
        "<input type=submit name=b value=Go><button name=b value=3>DE</button><button name=b value=2>Anmelden</button>",
        "<button name=b value=1 formaction=https://other.example/>Search</button><button name=b value=2>LOGIN</button>",
        "<button name=b value=2>Verify</button><button name=b value=1>Log in in another way</button>",
        "<button name=b value=2>Continue</button><button name=b value=1>Sign in with Example</button>",
        "<button name=b value=2>Next</button><button name=b value=1>SSO</button>",
    ]) func theButtonThatLogsInIsPressed(buttons: String) async throws {
        for isAttended in [true, false] {
            let server = PageServer([
                Self.start: [PageServer.html("<form method=post action=/in>\(Self.fields)\(buttons)</form>")],
                "POST https://sp.example/in": [PageServer.redirect("/done")],
            ])
            let person = FakePerson(["user": ["alice"], "password": ["canary"], "Go on with": [""]])
            if isAttended {
                _ = try await server.logIn(person)
            } else {
                _ = try await server.logIn(answers: answers(Self.alice))
            }
            #expect(server.log == [Self.start, "POST https://sp.example/in user=alice&password=canary&b=2"])
        }
    }

    // MARK: What is missing

    /// The purposes of the missing fields: only those of a login may get the user and the password of options.
    @Test(
        arguments: [
            ("<input name=u><input type=password name=p><button>Log in</button>", [.login, .login]),
            ("<input name=email><input type=password name=p><button>Create account</button>", [.other, .other]),
            ("<input name=email><button>Subscribe</button>", [.other]),
            ("<input name=u><button>Next</button>", [.login]),
            ("<input type=password name=p autocomplete=new-password><button>Save</button>", [.newPassword]),
        ] as [(String, [WebLoginError.MissingField.Purpose])])
    func thePurposeOfAMissingField(fields: String, purposes: [WebLoginError.MissingField.Purpose]) async throws {
        let server = PageServer([Self.start: "<form method=post action=/in>\(fields)</form>"])
        let error = try await failure { try await server.logIn() }
        #expect(error.missingFields.map(\.purpose) == purposes, "\(error.missingFields)")
        #expect(server.log == [Self.start])
    }

    /// The page has the name of another user (OpenWrt).
    @Test func aNameThatThePageHasFilledInIsReported() async throws {
        let server = PageServer([
            Self.start: "<form method=post action=/in><input name=u value=root><input type=password name=p></form>"
        ])
        let error = try await failure { try await server.logIn() }
        #expect(
            error.missingFields.map(\.name) == ["u", "p"] && error.missingFields.map(\.isFilledIn) == [true, false])
        #expect(!error.message.contains("\"u\""), "\(error.message)")
    }

    @Test(arguments: ["twofa_code", "Input.TwoFactorCode", "VerificationCode", "authcode", "totp_token"])
    func aCodeIsKnownByItsName(name: String) async throws {
        let server = PageServer([Self.start: "<form method=post action=/in><input name='\(name)' required></form>"])
        let error = try await failure { try await server.logIn() }
        #expect(error.missingFields.map(\.kind) == [.code], "\(error.missingFields)")
    }

    // MARK: Forms that are sent incomplete

    /// Zitadel's page that offers a second factor.
    private static let offer = """
        <form method=post action=/prompt><input type=radio name=provider value=1 required>
        <input type=radio name=provider value=2 required><input name=label required>
        <button name=skip value=true formnovalidate>Skip</button><button>Next</button></form>
        """

    @Test(arguments: ["true", "Skip"]) func aButtonMaySkipValidation(answer: String) async throws {
        for person in [FakePerson(), nil] {
            let server = PageServer([
                Self.start: [PageServer.html(Self.offer)],
                "POST https://sp.example/prompt": [PageServer.redirect("/done")],
            ])
            _ = try await server.logIn(person, answers: answers(["skip": .text(answer)]))
            #expect(server.log.last == "POST https://sp.example/prompt label=&skip=true")
            #expect(person?.asked.isEmpty != false)
        }
    }

    @Test func onlyThePressedButtonSkipsValidation() async throws {
        let server = PageServer([Self.start: Self.offer])
        let error = try await failure { try await server.logIn(answers: answers(["label": .text("phone")])) }
        #expect(error.missingFields == [.init("provider", .choice, choices: ["1", "2"])])
        #expect(server.log == [Self.start])
    }

    /// The server of a form without validation may still want its texts: an empty password would be a failed login.
    @Test func withoutValidationNoChoiceIsDemanded() async throws {
        let form = """
            <form method=post action=/in novalidate><input name=user required><input type=password name=password>
            <input type=radio name=r value=1 required><input type=checkbox name=k required><button>Go</button></form>
            """
        let server = PageServer([
            Self.start: [PageServer.html(form)], "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        let error = try await failure { try await server.logIn(answers: answers(["user": .text("alice")])) }
        #expect(error.missingFields == [.init("password", .secret, purpose: .login)])
        _ = try await server.logIn(answers: answers(Self.alice))
        #expect(server.log.last == "POST https://sp.example/in user=alice&password=canary")
    }

    // MARK: Fields that become writable

    @Test func aFieldThatBecomesWritableIsFilledIn() async throws {
        let trick = #"readonly onfocus="this.removeAttribute('readonly');""#
        let form = """
            <form method=post action=/in><input name=user \(trick)><input type=password name=password \(trick)>
            <input name=email value=fixed readonly></form>
            """
        let server = PageServer([
            Self.start: [PageServer.html(form)], "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(answers: answers(Self.alice))
        #expect(server.log.last == "POST https://sp.example/in user=alice&password=canary&email=fixed")
    }

    // MARK: The origin of the page

    /// Flask-WTF and Django before 4.0 demand `Referer` over https, and look at the origin in it only.
    @Test(arguments: [
        (nil, "", "/in", "https://sp.example/"), (nil, "", "https://idp.example/in", "https://sp.example/"),
        ("unsafe-url", "", "/in", "https://sp.example/"), ("no-referrer", "", "/in", nil),
        ("same-origin", "", "/in", "https://sp.example/"), ("Same-Origin", "", "https://idp.example/in", nil),
        ("no-referrer, strict-origin-when-cross-origin", "", "/in", "https://sp.example/"),
        ("origin, no-referrer, newer-policy", "", "/in", nil),
        (nil, "<meta name=Referrer content=no-referrer>", "/in", nil),
        ("no-referrer", "<meta name=referrer content=origin>", "/in", "https://sp.example/"),
        ("no-referrer", "<meta name=referrer content=x>", "/in", nil),
        (nil, "", "http://127.0.0.1/in", "https://sp.example/"),
    ]) func theOriginIsSentAsReferer(policy: String?, meta: String, action: String, referer: String?) async throws {
        var fields: HTTPFields = [:]
        if let policy, let name = HTTPField.Name("Referrer-Policy") { fields[name] = policy }
        let target = try TargetURL("https://sp.example/page?secret=1").resolving(action).absoluteString
        let server = PageServer([
            Self.start: [PageServer.redirect("/page?secret=1")],
            "GET https://sp.example/page?secret=1": [
                PageServer.html("\(meta)<form method=post action='\(action)'>\(Self.fields)</form>", fields)
            ],
            "POST \(target)": [PageServer.redirect("https://sp.example/on", .temporaryRedirect)],
            "POST https://sp.example/on": [PageServer.redirect("/done")],
        ])
        _ = try? await server.logIn(
            answers: answers(Self.alice, "https://sp.example", "https://idp.example", "http://127.0.0.1"))
        let posts = server.arrivals.filter { $0.line.hasPrefix("POST") }
        let post = try #require(posts.first)
        #expect(post.line == "POST \(target)" && post.fields[.referer] == referer)
        #expect(post.fields[.origin] == "https://sp.example")
        let isSame = target.hasPrefix("https://sp.example/")
        #expect(posts.count == (isSame ? 2 : 1), "the answers stay at the origin of the form")
        if isSame { #expect(posts[1].fields[.referer] == referer) }
        #expect(server.arrivals.filter { $0.line.hasPrefix("GET") }.allSatisfy { $0.fields[.referer] == nil })
    }

    // MARK: Links

    /// Dex's page with two ways to log in: a button in each link.
    @Test func theLinksThatNobodyChoosesFromAreNamed() async throws {
        let page = """
            <h2>Log in to dex</h2><a href="/dex/local?state=x"><button><span></span><span>Log in with Email</span></button></a>
            <a href="https://github.example/x"><button>Log in with GitHub\u{202E}</button></a>
            """
        let server = PageServer([Self.start: page])
        let error = try await failure { try await server.logIn() }
        #expect(error.code == .pageFailed)
        #expect(
            error.message.contains(
                #""Log in with Email", "Log in with GitHub\u{202e} (at https://github.example)""#), "\(error.message)")
        #expect(error.message.contains("start"))
        #expect(server.log == [Self.start])
        let attended = PageServer([
            Self.start: [PageServer.html(page)],
            "GET https://sp.example/dex/local?state=x": [PageServer.redirect("/done")],
        ])
        _ = try await attended.logIn(FakePerson(["Where to go on": ["Log in with Email"]]))
        #expect(attended.log.last == "GET https://sp.example/dex/local?state=x")
    }

    @Test func onlyTheFirstLinksAreNamed() async throws {
        let links = (0..<200).map { "<a href=/\($0)>L\($0)</a> " }.joined()
        let error = try await failure { try await PageServer([Self.start: links]).logIn() }
        #expect(error.message.contains(#""L4" and more"#) && !error.message.contains("L5"), "\(error.message)")
    }
}
