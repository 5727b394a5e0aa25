import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import Testing

@testable import HttpConvFormats
@testable import HttpConvWebStrategies

/// Questions, decisions and pages that only lead on.
@Suite(.timeLimit(.minutes(1))) struct PagePurposeTests {
    private static let start = "GET \(PageServer.start)"
    private static let form = "POST \(PageServer.start)"

    private func failure(_ body: () async throws -> WebLoginOutcome) async throws -> WebLoginError {
        try #require(await #expect(throws: WebLoginError.self) { _ = try await body() })
    }

    private func answers(_ answers: [String: String], _ origins: String...) throws -> FormAnswers {
        try FormAnswers(answers.mapValues { .text($0) }, origins: origins.isEmpty ? ["https://sp.example"] : origins)
    }

    /// A server with one page, whose form leads to the end.
    private func server(_ page: String) -> PageServer {
        PageServer([Self.start: [PageServer.html(page)], Self.form: [PageServer.redirect("/done")]])
    }

    // MARK: Pages that only lead on

    /// Neither a person nor nobody is asked about a page with a single way on.
    @Test(arguments: [
        "<form method=post><input type=hidden name=t value=1><button>Continue</button></form>",
        "<title>Remember this browser?</title><form method=post><input type=hidden name=t value=1><button>OK</button></form>",
        "<form method=post><input type=hidden name=t value=1><label><input type=checkbox name=k> Don't show this again</label><button>Weiter</button></form>",
    ])
    func anInterstitialLeadsOn(page: String) async throws {
        for person in [FakePerson(), nil] {
            let server = server(page)
            _ = try await server.logIn(person)
            #expect(server.log == [Self.start, "\(Self.form) t=1"])
            #expect(person?.asked.isEmpty != false)
        }
    }

    /// A button's name is not shown, and the browser's own label is "Submit".
    @Test(arguments: [
        "<input type=submit name=btnGo>", "<input type=submit name=btnGo value=Absenden>",
        "<input type=submit value=送信>", "<button name=btnGo>Envoyer</button>",
    ])
    func aWordForSubmitLeadsOn(button: String) async throws {
        let server = server("<form method=post><input type=hidden name=t value=1>\(button)</form>")
        _ = try await server.logIn()
        #expect(server.log.count == 2 && server.log.last?.hasPrefix("\(Self.form) t=1") == true)
    }

    /// An interstitial of another origin gets nothing without a person's consent.
    @Test func anInterstitialDoesNotCrossOrigins() async throws {
        let server = PageServer([
            Self.start:
                "<form method=post action='https://evil.example/x'><input type=hidden name=t value=canary><button>Continue</button></form>"
        ])
        #expect(try await failure { try await server.logIn() }.code == .answersNotAllowed)
        #expect(server.log == [Self.start])
    }

    /// A question whether to remember the device is refused without asking.
    @Test(arguments: [
        ("Stay signed in?", "<button name=a value=no>No</button><button name=a value=yes>Yes</button>"),
        ("Trust this browser?", "<button name=a value=yes>Yes</button><button name=a value=no>Not now</button>"),
        ("Stay<br>signed in?", "<button name=a value=no>No</button><button name=a value=yes>Yes</button>"),
        ("Angemeldet bleiben?", "<button name=a value=yes>Ja</button><button name=a value=no>Nein</button>"),
    ])
    func nothingIsRemembered(title: String, buttons: String) async throws {
        for person in [FakePerson(), nil] {
            let server = server("<h1>\(title)</h1><form method=post>\(buttons)</form>")
            _ = try await server.logIn(person)
            #expect(server.log.last == "\(Self.form) a=no")
            #expect(person?.asked.isEmpty != false)
        }
    }

    /// A text about something else that mentions trust or remembering is a question for a person.
    @Test(arguments: [
        ("<h1>Example App</h1><p>Möchten Sie dieser Anwendung vertrauen und ihr Zugriff geben?</p>", ["Ja", "Nein"]),
        ("<h1>Example App wants to</h1><p>Read your profile.</p><p>Remember your settings.</p>", ["Yes", "No"]),
    ])
    func aMentionIsNoReminder(text: String, labels: [String]) async throws {
        let buttons = labels.map { "<button name=a value=\($0)>\($0)</button>" }.joined()
        let page = "\(text)<form method=post>\(buttons)</form>"
        let server = server(page)
        let person = FakePerson(["Go on with": [""]])
        #expect(try await failure { try await server.logIn(person) }.code == .cancelled)
        #expect(person.asked == ["Go on with: \(labels.joined(separator: "|"))"])
        #expect(try await failure { try await self.server(page).logIn() }.code == .missingAnswer)
        #expect(server.log == [Self.start])
    }

    /// A person decides about a reminder with a longer text.
    @Test func aLongReminderIsAsked() async throws {
        let text = String(repeating: "The application will get your data. ", count: 5)
        let server = server(
            "<div>Example</div><h1>Stay signed in?</h1><p>\(text)</p><form method=post><button name=a value=0>No</button>"
                + "<button name=a value=1>Yes</button></form>")
        let person = FakePerson(["Go on with": ["Yes"]])
        _ = try await server.logIn(person)
        #expect(person.asked == ["Go on with: No|Yes"] && server.log.last == "\(Self.form) a=1")
    }

    // MARK: Decisions

    private static let consent =
        "<h1>The application wants your data</h1><form method=post><button name=c value=yes>Allow</button>"
        + "<button name=c value=no>Deny</button></form>"

    /// Consent is a person's, and has no default.
    @Test func aPersonConsents() async throws {
        let person = FakePerson(["Go on with": ["Allow"]])
        let server = server(Self.consent)
        _ = try await server.logIn(person)
        #expect(person.asked == ["Go on with: Allow|Deny"])
        #expect(server.log.last == "\(Self.form) c=yes")
        let silent = self.server(Self.consent)
        #expect(try await failure { try await silent.logIn(FakePerson(["Go on with": [""]])) }.code == .cancelled)
        #expect(silent.log == [Self.start])
    }

    @Test(arguments: [
        consent, "<form method=post><button name=c value=yes>I accept the terms</button></form>",
        "<form method=post><button name=c value=yes>Yes, continue</button></form><form><button name=n>No, cancel</button></form>",
        "<form method=post><button name=c value=yes>Company A</button><button name=c value=b>Company B</button></form>",
    ])
    func nobodyConsents(page: String) async throws {
        let refused = server(page)
        let error = try await failure { try await refused.logIn(answers: answers(["other": "x"])) }
        #expect(error.code == .missingAnswer && error.message.contains("decision"), "\(error)")
        let first = try #require(error.missingFields.first)
        #expect(first.name == "c" && first.choices == ["yes"] && first.purpose == .button && !first.label.isEmpty)
        #expect(refused.log == [Self.start])
        let prepared = server(page)
        _ = try await prepared.logIn(answers: answers(["c": "yes"]))
        #expect(prepared.log.last == "\(Self.form) c=yes")
    }

    /// A button without a name is pressed by its label (Dex).
    @Test func aNamelessButtonIsPressedByItsLabel() async throws {
        let page =
            "<form method=post><input type=hidden name=approval value=approve><button><span>Grant Access</span></button></form>"
            + "<form method=post action=/no><button>Cancel</button></form>"
        let refused = server(page)
        let error = try await failure { try await refused.logIn(answers: answers(["other": "x"])) }
        #expect(error.missingFields.map(\.name) == ["Grant Access", "Cancel"] && error.message.contains("LABEL=LABEL"))
        #expect(refused.log == [Self.start])
        let prepared = server(page)
        _ = try await prepared.logIn(answers: answers(["Grant Access": "Grant Access"]))
        #expect(prepared.log.last == "\(Self.form) approval=approve")
    }

    /// The login page and the page for consent call their buttons alike (Rails, Shibboleth).
    @Test func anAnswerIsForTheButtonThatItNames() async throws {
        let login =
            "<form method=post><input name=u><input type=password name=pw><button name=c value=in>Log in</button></form>"
        let server = PageServer([
            Self.start: [PageServer.html(login)],
            Self.form: [PageServer.html(Self.consent), PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(answers: answers(["u": "v", "pw": "x", "c": "yes"]))
        #expect(server.log.suffix(2) == ["\(Self.form) u=v&pw=x&c=in", "\(Self.form) c=yes"])
        let other = self.server(Self.consent)
        let error = try await failure { try await other.logIn(answers: answers(["c": "maybe"])) }
        #expect(error.code == .missingAnswer && error.message.contains("not one of its choices"), "\(error)")
        #expect(other.log == [Self.start])
    }

    /// A word that is unknown here may give consent.
    @Test(arguments: [
        "Tillåt", "Zezwól", "同意する", "許可", "Confirm", "Yes", "Share my data", "Yes, continue", "Finish", "✓",
    ])
    func anUnknownWordMayConsent(label: String) async throws {
        for box in ["", "<input type=checkbox name=scope value=mail checked>"] {
            let page =
                "<h1>App wants access</h1><form method=post><input type=hidden name=csrf value=1>\(box)"
                + "<button name=c value=yes>\(label)</button></form><a href=/no>x</a>"
            let refused = server(page)
            let error = try await failure { try await refused.logIn(answers: answers(["other": "x"])) }
            #expect(error.code == .missingAnswer && error.message.contains("decision"), "\(error)")
            #expect(refused.log == [Self.start])
            let silent = server(page)
            let person = FakePerson(["Go on with": [""], "scope": ["yes"]])
            #expect(try await failure { try await silent.logIn(person) }.code == .cancelled)
            #expect(silent.log == [Self.start])
            let prepared = server(page)
            _ = try await prepared.logIn(answers: answers(["c": "yes"]))
            #expect(prepared.log.last?.hasSuffix("c=yes") == true)
        }
    }

    /// A person chooses a form by its only button, and is not asked about the button. No form is the default.
    @Test func twoFormsAreOneDecision() async throws {
        let page =
            "<form method=post><button name=y>Yes, continue</button></form><form action=/no><button name=n>No</button></form>"
        let person = FakePerson(["Which form": ["Yes, continue"]])
        let server = server(page)
        _ = try await server.logIn(person)
        #expect(person.asked == ["Which form: Yes, continue|No"])
        #expect(server.log.last == "\(Self.form) y=")
        let silent = self.server(page)
        #expect(try await failure { try await silent.logIn(FakePerson(["Which form": [""]])) }.code == .cancelled)
        #expect(silent.log == [Self.start])
    }

    // MARK: Questions

    /// The first button may refuse; a form with one way on needs no question about it.
    @Test func aButtonThatRefusesIsNoDefault() async throws {
        let page =
            "<form method=post><input name=u><button name=b value=0>Cancel</button><button name=b value=1>Log in</button></form>"
        let attended = server(page)
        let person = FakePerson(["u": ["v"]])
        _ = try await attended.logIn(person)
        #expect(person.asked == ["u"])
        let unattended = server(page)
        _ = try await unattended.logIn(answers: answers(["u": "v"]))
        #expect(attended.log.last == "\(Self.form) u=v&b=1" && unattended.log.last == attended.log.last)
    }

    @Test(arguments: [
        ("User name:", "User name"), ("Password :", "Password"), ("Nutzer\u{FF1A} ", "Nutzer"), ("a:b", "a:b"),
        (" :: ", "u"),
    ])
    func labelsHaveNoColon(label: String, caption: String) async throws {
        let person = FakePerson([caption: ["v"]])
        _ = try await server("<form method=post><label>\(label)<input name=u></label></form>").logIn(person)
        #expect(person.asked == [caption])
    }

    /// An optional check box keeps its default; a page that comes back asks for all but reminders.
    @Test func optionalCheckBoxesAreNotAsked() async throws {
        let page =
            "<form method=post><input name=pw type=password><input type=checkbox name=warn checked>"
            + "<label><input type=checkbox name=r> Remember me</label><input type=checkbox name=terms value=1></form>"
        let server = PageServer([
            Self.start: [PageServer.html(page)], Self.form: [PageServer.html(page), PageServer.redirect("/done")],
        ])
        let person = FakePerson(["pw": ["x", "x"], "warn": [""], "terms": ["yes"]])
        _ = try await server.logIn(person)
        #expect(person.asked == ["pw (secret)", "pw (secret)", "warn: no|*yes", "terms: *no|yes"])
        #expect(server.log.suffix(2) == ["\(Self.form) pw=x&warn=on", "\(Self.form) pw=x&warn=on&terms=1"])
    }

    @Test func aRequiredCheckBoxIsAsked() async throws {
        let person = FakePerson(["terms": ["yes"], "u": ["v"]])
        _ = try await server("<form method=post><input name=u><input type=checkbox name=terms required></form>").logIn(
            person)
        #expect(person.asked == ["u", "terms: *no|yes"])
    }

    /// Choices keep their defaults when nobody attends, unless a browser would refuse to send the form.
    @Test func defaultsAreKept() async throws {
        let server = server(
            """
            <form method=post><input name=u><select name=realm><option value=a>A<option value=b selected>B</select>
            <select name=lang required><option value=de>de<option value=en>en</select><input type=checkbox name=k checked>
            <input type=radio name=r value=1 required checked><input type=radio name=r value=2></form>
            """)
        _ = try await server.logIn(answers: answers(["u": "v"]))
        #expect(server.log.last == "\(Self.form) u=v&realm=b&lang=de&k=on&r=1")
    }

    /// A disabled option that is selected stands for no choice, and a list has no default.
    @Test func aSelectWithoutAChoiceSendsNothing() async throws {
        func page(_ attribute: String) -> String {
            "<form method=post><input name=u><select name=idp \(attribute)><option value='' disabled selected>Choose"
                + "<option value=a>A</select><select name=l size=4><option value=b>B</select>"
                + "<select name=m size=1><option value=c>C</select></form>"
        }
        let optional = server(page(""))
        _ = try await optional.logIn(answers: answers(["u": "v"]))
        #expect(optional.log.last == "\(Self.form) u=v&m=c")
        let required = server(page("required"))
        let error = try await failure { try await required.logIn(answers: answers(["u": "v"])) }
        #expect(error.code == .missingAnswer && error.missingFields == [.init("idp", .choice, choices: ["a"])])
        #expect(required.log == [Self.start])
        let attended = server(page("required"))
        let person = FakePerson(["u": ["v"], "idp": ["A"], "l": ["B"], "m": [""]])
        _ = try await attended.logIn(person)
        #expect(person.asked == ["u", "idp: A", "l: B", "m: *C"])
        #expect(attended.log.last == "\(Self.form) u=v&idp=a&l=b&m=c")
    }

    @Test func everyFieldThatABrowserRequiresIsNamedAtOnce() async throws {
        let server = server(
            """
            <form method=post><input name=u required><input type=password name=pw>
            <input name=code autocomplete=one-time-code required><input name=optional><input name=known required>
            <select name=realm required><option value="">choose<option value=a>A<option value=b>B</select>
            <input type=checkbox name=terms required><input type=checkbox name=news>
            <input type=radio name=r value=1 required><input type=radio name=r value=2></form>
            """)
        let error = try await failure { try await server.logIn(answers: answers(["known": "x"])) }
        #expect(
            error.missingFields == [
                .init("u", .text), .init("pw", .secret), .init("code", .code),
                .init("realm", .choice, choices: ["a", "b"]), .init("terms", .choice, choices: ["on", "off"]),
                .init("r", .choice, choices: ["1", "2"]),
            ])
        for name in ["u", "pw", "code", "realm", "terms", "r"] { #expect(error.message.contains("\"\(name)\"")) }
        #expect(server.log == [Self.start])
    }

    @Test func manyFieldsAreNotAllNamed() async throws {
        let fields = (0..<30).map { "<input name=f\($0) required>" }.joined()
        let error = try await failure { try await server("<form method=post>\(fields)</form>").logIn() }
        #expect(error.missingFields.count == 30 && error.message.contains("\"f9\" and more"), "\(error.message)")
    }

    /// The values that a browser sends, in its order.
    @Test(arguments: [
        ("<input name=u><input type=image>", "u=v&x=0&y=0"),
        (
            "<fieldset disabled><legend><input name=u></legend><legend><input name=n></legend><input name=o></fieldset>",
            "u=v"
        ),
        (
            "<input name=u><p hidden><input type=radio name=r value=1 checked><input type=radio name=r value=2 checked></p>",
            "u=v&r=2"
        ),
        ("<button name=b value=1>Go</button><input type=hidden name=b value=0><input name=u>", "b=1&b=0&u=v"),
    ])
    func aFormIsSentAsInBrowsers(fields: String, body: String) async throws {
        let server = server("<form method=post>\(fields)</form>")
        _ = try await server.logIn(answers: answers(["u": "v", "n": "x", "o": "x"]))
        #expect(server.log.last == "\(Self.form) \(body)")
    }

    /// An unknown method of a button is GET.
    @Test func anUnknownMethodIsGET() async throws {
        let server = PageServer([
            Self.start: [
                PageServer.html("<form method=post action=/x><input name=u><button formmethod=put>Go</button></form>")
            ], "GET https://sp.example/x?u=v": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(answers: answers(["u": "v"]))
        #expect(server.arrivals.count == 2)
    }

    // MARK: Scripts

    /// A script shows the password after the user name. It is sent if an answer names it, and a person is asked for it.
    @Test func aPasswordThatAScriptShows() async throws {
        let page =
            "<script src=a.js></script><form method=post><input name=u><div style='display:none'>"
            + "<input type=password name=pw></div><button>Next</button></form>"
        let prepared = server(page)
        _ = try await prepared.logIn(answers: answers(["u": "a", "pw": "b"]))
        #expect(prepared.log.last == "\(Self.form) u=a&pw=b")
        let other = server(page)
        _ = try await other.logIn(answers: answers(["u": "a"]))
        #expect(other.log.last == "\(Self.form) u=a&pw=")
        let person = FakePerson(["u": ["a"], "pw": ["b"]])
        _ = try await server(page).logIn(person)
        #expect(person.asked == ["u", "pw (secret)"])
        // Without scripts nothing would show it.
        let hidden = server(page.replacing("<script src=a.js></script>", with: ""))
        _ = try await hidden.logIn(answers: answers(["u": "a", "pw": "b"]))
        #expect(hidden.log.last == "\(Self.form) u=a&pw=")
    }

    /// Later steps of one form hide the password, too, and a page that ignored it asks once more.
    @Test func aPasswordIsShownAheadOnce() async throws {
        let hidden = "<div style='display:none'><input type=password name=pw></div><button>Next</button></form>"
        let script = "<script src=a.js></script><form method=post>"
        let code = PageServer([
            Self.start: [PageServer.html("<form method=post><input name=u><input type=password name=pw></form>")],
            Self.form: [PageServer.html(script + "<input name=otp>" + hidden), PageServer.redirect("/done")],
        ])
        _ = try await code.logIn(answers: answers(["u": "a", "pw": "b", "otp": "1"]))
        #expect(code.log.filter { $0.hasPrefix(Self.form) } == ["\(Self.form) u=a&pw=b", "\(Self.form) otp=1&pw="])
        let ignored = PageServer([
            Self.start: [PageServer.html(script + "<input name=u>" + hidden)],
            Self.form: [
                PageServer.html("<form method=post><input type=password name=pw></form>"), PageServer.redirect("/done"),
            ],
        ])
        _ = try await ignored.logIn(answers: answers(["u": "a", "pw": "b"]))
        #expect(ignored.log.filter { $0.hasPrefix(Self.form) } == ["\(Self.form) u=a&pw=b", "\(Self.form) pw=b"])
    }

    /// Scripts are no obstacle if a form can be used.
    @Test func aFormIsUsedInSpiteOfScripts() async throws {
        let server = server(
            "<noscript>Enable JavaScript</noscript><script src=a.js></script><form method=post><input name=u></form>")
        _ = try await server.logIn(FakePerson(["u": ["v"]]))
        #expect(server.log.last == "\(Self.form) u=v")
    }

    @Test(arguments: [
        "<script src=a.js></script><form action='javascript:go()'><input name=u></form>",
        "<script src=a.js></script><div id=app></div>", "<script src=a.js></script><form method=dialog><button></form>",
    ])
    func noFormCanBeUsedWithoutScripts(page: String) async throws {
        let error = try await failure { try await server(page).logIn() }
        #expect(error.code == .unsupportedPage && error.message.contains("JavaScript"))
        #expect(error.message.contains("--web chromium") && error.message.contains("--headless"))
    }

    /// A form that a script would send, at its own origin; another origin gets only messages of login protocols.
    @Test(arguments: [
        ("<iframe src=/login></iframe>", true), ("<frameset><frame src=/login></frameset>", true),
        ("<noscript><iframe src=/count style='display:none'></iframe></noscript>", false), ("<iframe></iframe>", false),
    ]) func aFrameMayHaveTheLogin(page: String, isNamed: Bool) async throws {
        let error = try await failure { try await server(page).logIn(FakePerson()) }
        #expect(error.code == .pageFailed && error.message.contains("in a frame") == isNamed, "\(error)")
    }

    @Test func aFormThatAScriptWouldSend() async throws {
        let hidden =
            "<script>document.forms[0].submit()</script><form method=post ACTION><input type=hidden name=t value=1></form>"
        let own = server(hidden.replacing("ACTION", with: ""))
        _ = try await own.logIn()
        #expect(own.log.last == "\(Self.form) t=1")
        let other = server(hidden.replacing("ACTION", with: "action='https://evil.example/'"))
        #expect(try await failure { try await other.logIn() }.code == .unsupportedPage)
        #expect(other.log == [Self.start])
    }

    @Test(arguments: [
        ["wresult"], ["state", "code"], ["state", "id_token"], ["SAMLRequest"],
    ])
    func messagesOfLoginProtocolsCrossOrigins(names: [String]) async throws {
        let fields = names.map { "<input type=hidden name=\($0) value=1>" }.joined()
        let server = PageServer([
            Self.start: [PageServer.html("<form method=post action='https://rp.example/in'>\(fields)</form>")],
            "POST https://rp.example/in": [PageServer.redirect("https://sp.example/done")],
        ])
        _ = try await server.logIn()
        #expect(server.arrivals.count == 2)
    }

    @Test(arguments: [["state"], ["code"], ["id_token"], ["wctx"]])
    func otherHiddenFormsDoNot(names: [String]) async throws {
        let fields = names.map { "<input type=hidden name=\($0) value=1>" }.joined()
        let server = server("<form method=post action='https://evil.example/in'>\(fields)<button>Go</button></form>")
        #expect(try await failure { try await server.logIn() }.code == .answersNotAllowed)
        #expect(server.log == [Self.start])
    }

    // MARK: Pages that ask again

    private static let login =
        "<form method=post><label>User: <input name=u></label><input type=password name=pw></form>"

    @Test(arguments: [
        ("<div role=alert>Wrong password.</div>", "Wrong password."),
        ("<p class='msg msg-error'>Wrong <b>password</b>.</p>", "Wrong password."),
        ("<p>Those are not your details.</p>", "Those are not your details."), ("", ""),
        ("<div aria-live=assertive>No.</div><p>Help</p>", "No."),
        ("<p class=error>\u{1B}[2J\u{202E}evil</p>", "[2J\\u{202e}evil"),
        ("<p class=error>Not geheim-canary!</p>", "Not …!"),
    ])
    func aPageThatComesBackSaysWhy(text: String, reason: String) async throws {
        let pages = [
            Self.start: [PageServer.html("<h1>Welcome</h1><p>Log in</p>" + Self.login)],
            Self.form: [
                PageServer.html("<h1>Welcome</h1><p>Log in</p>\(text)\(Self.login)<p>at 12:05</p>"),
                PageServer.redirect("/done"),
            ],
        ]
        let person = FakePerson(["User": ["a", "a"], "pw": ["geheim-canary", "right"]])
        _ = try await PageServer(pages).logIn(person)
        #expect(person.pages.map(\.isAgain) == [false, true])
        #expect(person.pages.last?.alert == reason)
        let server = PageServer(pages)
        let error = try await failure {
            try await server.logIn(answers: answers(["u": "a", "pw": "geheim-canary"]))
        }
        #expect(error.code == .answersRefused && error.pageText == (reason.isEmpty ? nil : reason), "\(error)")
        #expect(error.message.contains("gives no reason") == reason.isEmpty)
        #expect(!"\(error)".contains("canary") && server.arrivals.count == 2)
    }

    /// The same error text twice, and a page that had a warning from the beginning.
    @Test func anOldTextIsNoReason() async throws {
        let warning = "<div class=warning>Maintenance on Sunday</div>"
        let wrong = "<p class=error>Wrong.</p>"
        let server = PageServer([
            Self.start: [PageServer.html(warning + Self.login)],
            Self.form: [
                PageServer.html(warning + Self.login), PageServer.html(warning + wrong + Self.login),
                PageServer.html(wrong + Self.login), PageServer.redirect("/done"),
            ],
        ])
        let person = FakePerson(["User": ["a", "a", "a", "a"], "pw": ["1", "2", "3", "4"]])
        _ = try await server.logIn(person)
        #expect(person.pages.map(\.alert) == ["Maintenance on Sunday", "", "Wrong.", "Wrong."])
        #expect(person.pages.map(\.isAgain) == [false, true, true, true])
    }

    /// Another question is not the same page, even under the same name.
    @Test func aNewQuestionIsNoRefusal() async throws {
        let server = PageServer([
            Self.start: [PageServer.html("<form method=post><label>Name of your pet<input name=a></label></form>")],
            Self.form: [
                PageServer.html("<form method=post><label>Your first school<input name=a></label></form>"),
                PageServer.redirect("/done"),
            ],
        ])
        let person = FakePerson(["Name of your pet": ["x"], "Your first school": ["y"]])
        _ = try await server.logIn(person)
        #expect(person.pages.map(\.isAgain) == [false, false])
    }

    /// A page whose scripts do the login comes back without a reason: the advice is a browser.
    @Test func aPageThatWantedItsScripts() async throws {
        let page = "<script src=a.js></script>" + Self.login
        let server = PageServer([Self.start: page, Self.form: page])
        let error = try await failure { try await server.logIn(answers: answers(["u": "a", "pw": "b"])) }
        #expect(error.code == .answersRefused && error.message.contains("--web chromium"), "\(error)")
    }

    /// Pages that come back without end: a person may stop, and nobody is not asked.
    @Test func endlessPagesEnd() async throws {
        let wrong = "<p class=error>Wrong.</p>" + Self.login
        let server = PageServer([Self.start: wrong, Self.form: wrong])
        let many = Array(repeating: "x", count: 50)
        let error = try await failure {
            try await server.logIn(FakePerson(["User": many, "pw": many]), maximumPages: 7)
        }
        #expect(error.code == .pageFailed && server.arrivals.count == 7)
        let onwards = "<form method=post><button>Continue</button></form>"
        let interstitials = PageServer([Self.start: onwards, Self.form: onwards])
        #expect(try await failure { try await interstitials.logIn(maximumPages: 7) }.code == .pageFailed)
        #expect(interstitials.arrivals.count == 7)
    }

    // MARK: Words

    @Test(arguments: [
        "Cancel", "No, thanks", "Don’t allow", "Do not accept", "I disagree", "Abbrechen", "Log out", "Sign out",
        "Not now",
        "NEIN", "‹ Back", "Annuler",
    ])
    func wordsThatRefuse(label: String) {
        #expect(PageWords.refuses(label) && !PageWords.consents(label))
    }

    @Test(arguments: ["Allow", "I accept", "Authorize application", "Zustimmen", "Ich akzeptiere", "Autoriser"])
    func wordsThatConsent(label: String) { #expect(PageWords.consents(label) && !PageWords.refuses(label)) }

    @Test(arguments: [
        "Continue", "Continue to SAP", "Log in with SSO", "Sign in", "LOGIN", "Try again", "OK", "Weiter »", "Go on",
        "続ける",
        "次へ", "继续", "Далее", "Suivant", "Click here to continue", "", " ", "Absenden", "Senden", "Abschicken", "Send",
        "Envoyer", "Valider", "Enviar", "Invia", "Verzenden", "Отправить", "送信", "提交",
    ])
    func wordsThatLeadOn(label: String) { #expect(PageWords.leadsOn(label)) }

    @Test(arguments: [
        "Sign up", "Sign the agreement", "Log", "Yes, continue", "Confirm", "Continue and accept", "Do not continue",
        "Gott",
        "✓", "Cancel", "同意", "Losing", "Share", "Send my data", "Envoyer mes données", "Daten senden", "btnGo",
    ])
    func wordsThatMayDecide(label: String) { #expect(!PageWords.leadsOn(label)) }

    @Test(arguments: ["Log in", "Continue", "Notes", "Backup", "Weiter", "Normal login", "Outlook", "Go", "Send"])
    func wordsThatDoNeither(label: String) { #expect(!PageWords.consents(label) && !PageWords.refuses(label)) }

    /// The button of a form in a terminal and in Chromium.
    @Test func theUsualButton() {
        #expect(PageWords.usualButton(of: []) == nil)
        #expect(PageWords.usualButton(of: ["Cancel"]) == 0)
        #expect(PageWords.usualButton(of: ["Cancel", "Prihlásit", "Jazyk"]) == 1)
        #expect(PageWords.usualButton(of: ["Register", "Log in", "Sign in"]) == 1)
        #expect(PageWords.usualButton(of: ["Next", "Single sign-on", "Log in with a key"]) == 0)
    }
}
