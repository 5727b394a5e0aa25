import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvWebStrategies

/// The terminal strategy's handling of pages.
@Suite(.timeLimit(.minutes(1))) struct TerminalPagesTests {
    private static let start = "GET \(PageServer.start)"

    private func failure(_ body: () async throws -> WebLoginOutcome) async throws -> WebLoginError {
        let error = await #expect(throws: WebLoginError.self) { _ = try await body() }
        return try #require(error)
    }

    private func answers(_ answers: [String: String], _ origins: String...) throws -> FormAnswers {
        try FormAnswers(
            answers.mapValues { .text($0) }, origins: origins)
    }

    // MARK: A whole login

    @Test func aPersonLogsIn() async throws {
        let form = """
            <title>Sign in\u{202E}</title><p class=error>Please</p><form method=post action="/login">
            <input type=hidden name=token value=t><label>User <input name=user value=bob></label>
            <input type=password name=pw><select name=d required><option value="" selected>None<option value=x>X</select>
            <input type=checkbox name=keep value=1><input type=radio name=r value=a><input type=radio name=r value=b>
            <button name=go value=1>Go</button><button name=go value=2>Stop</button></form>
            """
        let server = PageServer([
            Self.start: [PageServer.redirect("https://idp.example/form?a=b")],
            "GET https://idp.example/form?a=b": [PageServer.html(form, [.setCookie: "idp=1"])],
            "POST https://idp.example/login": [PageServer.redirect("https://sp.example/acs", .seeOther)],
            "GET https://sp.example/acs": [PageServer.redirect("/done?x=1", cookie: "session=s")],
        ])
        let person = FakePerson([
            "User": ["alice"], "pw": ["geheim"], "d": [""], "r": ["b"], "Go on with": [""],
        ])
        let outcome = try await server.logIn(person, named: ["https://idp.example"])
        #expect(outcome.finish.value == "https://sp.example/done?x=1")
        #expect(Set(outcome.cookies.map(\.name)) == ["idp", "session"])
        #expect(
            server.log == [
                Self.start, "GET https://idp.example/form?a=b",
                "POST https://idp.example/login token=t&user=alice&pw=geheim&d=&r=b&go=1",
                "GET https://sp.example/acs",
            ])
        #expect(server.arrivals[2].fields[.cookie] == "idp=1")
        #expect(server.arrivals[2].fields[.origin] == "https://idp.example")
        #expect(server.arrivals[3].fields[.cookie] == nil)
        #expect(
            person.asked == [
                "User=bob", "pw (secret)", "d: *None|X", "r: a|b", "Go on with: *Go|Stop",
            ])
        #expect(Set(person.askers.map(\.description)) == ["https://idp.example"])
        let page = try #require(person.pages.first)
        #expect("\(page.origin)" == "https://idp.example" && page.title == "Sign in\\u{202e}" && page.alert == "Please")
    }

    @Test func cookiesAreBroughtAndStayApart() async throws {
        let session = HttpSession()
        session.cookies.store(setCookie: ["first=factor"], from: try TargetURL(PageServer.start))
        session.cookies.store(setCookie: ["other=1"], from: try TargetURL("https://idp.example/"))
        let server = PageServer([
            Self.start: [PageServer.redirect("https://idp.example/")],
            "GET https://idp.example/": [PageServer.redirect("https://sp.example/done", cookie: "view=1")],
        ])
        let outcome = try await server.logIn(session: session)
        #expect(server.arrivals.map { $0.fields[.cookie] } == ["first=factor", nil])
        #expect(Set(outcome.cookies.map(\.name)) == ["first", "view"])
        #expect(session.cookies.cookies(for: try TargetURL("https://idp.example/")).map(\.name) == ["other"])
    }

    // MARK: Destination of a form

    @Test(arguments: [
        (" action='#'", "POST https://sp.example/start?q=1"), (" action='?'", "POST https://sp.example/start?"),
        ("", "POST https://sp.example/start?q=1"), (" action=''", "POST https://sp.example/start?q=1"),
        (" action=' sub/x?y=1 '", "POST https://sp.example/sub/x?y=1"),
        (" action='/totp'", "POST https://sp.example/totp"),
        (" action='//sp.example/n'", "POST https://sp.example/n"),
        (" action='https&#58;//sp.example/c'", "POST https://sp.example/c"),
    ]) func actions(action: String, line: String) async throws {
        let server = PageServer([
            Self.start: [PageServer.redirect("/start?q=1")],
            "GET https://sp.example/start?q=1": [PageServer.html("<form method=post\(action)><input name=u></form>")],
            line: [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(FakePerson(["u": ["v"]]))
        #expect(server.log.last == "\(line) u=v")
    }

    @Test func aBaseMovesReferencesButNotAnEmptyAction() async throws {
        let page = "<base href='/base/'><form method=post\("%@")><input name=u></form>"
        for (action, line) in [("", "POST \(PageServer.start)"), (" action=x", "POST https://sp.example/base/x")] {
            let server = PageServer([
                Self.start: [PageServer.html(page.replacing("%@", with: action))], line: [PageServer.redirect("/done")],
            ])
            _ = try await server.logIn(FakePerson(["u": ["v"]]))
            #expect(server.log.last == "\(line) u=v")
        }
    }

    @Test func getFormsReplaceTheQuery() async throws {
        let server = PageServer([
            Self.start: [
                PageServer.html("<form action='/search?old=1'><input name=u><input type=image name=i></form>")
            ],
            "GET https://sp.example/search?u=a+%26+%C3%BC&i.x=0&i.y=0": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(FakePerson(["u": ["a & ü"]]))
        #expect(server.arrivals.count == 2)
    }

    @Test func aButtonMayChangeItsForm() async throws {
        let form =
            "<form method=post action=/a><input name=u><button>A</button><button formaction=/b name=x>B</button></form>"
        let server = PageServer([
            Self.start: [PageServer.html(form)], "POST https://sp.example/b": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(FakePerson(["u": ["v"], "Go on with": ["B"]]))
        #expect(server.log.last == "POST https://sp.example/b u=v&x=")
    }

    // MARK: Consent

    private static let consent = """
        <form method=post action=/consent><p>Allow?</p><label><input type=checkbox name=scope value=read> Read</label>
        <label><input type=checkbox name=scope value=admin> Administer</label><input type=checkbox name=once value=1>
        <button name=submit value=allow>Allow</button><button name=submit value=deny>Deny</button></form>
        """

    /// The consent page of Ory Hydra. Only what the answer names is granted.
    @Test(arguments: [
        (["scope": "read"], "scope=read&"), (["scope": "Administer"], "scope=admin&"), (["scope": "off"], ""),
        (["once": "on"], "once=1&"), (["once": "YES"], "once=1&"), (["once": "1"], "once=1&"), (["once": "0"], ""),
    ]) func anAnswerTicksTheBoxThatItNames(answer: [String: String], body: String) async throws {
        let server = PageServer([
            Self.start: [PageServer.html(Self.consent)],
            "POST https://sp.example/consent": [PageServer.redirect("/done")],
        ])
        let answers = try answers(answer.merging(["submit": "allow"]) { first, _ in first }, "https://sp.example")
        _ = try await server.logIn(answers: answers)
        #expect(server.log.last == "POST https://sp.example/consent \(body)submit=allow")
    }

    @Test(arguments: [
        (["scope": "on"], ["read", "admin"]), (["scope": "write"], ["read", "admin"]),
        (["once": "never"], ["on", "off"]),
    ]) func anAnswerThatNamesNoBoxIsRefused(answer: [String: String], choices: [String]) async throws {
        let server = PageServer([Self.start: [PageServer.html(Self.consent)]])
        let answers = try answers(answer.merging(["submit": "allow"]) { first, _ in first }, "https://sp.example")
        let error = try await failure { try await server.logIn(answers: answers) }
        #expect(error.code == .missingAnswer && error.missingFields.first?.choices == choices)
        #expect(server.log == [Self.start])
    }

    // MARK: Forms that are not sent

    /// A button with `formmethod=dialog` closes a dialog. Chromium's view of the form is in `DialogButtonTests`.
    @Test func aButtonThatClosesADialogIsNotPressed() async throws {
        let form =
            "<form method=post action=/enter><button formmethod=dialog>Close</button><input name=user>"
            + "<input type=password name=password><button>Log in</button></form>"
        let server = PageServer([
            Self.start: [PageServer.html(form)], "POST https://sp.example/enter": [PageServer.redirect("/done")],
        ])
        let answers = try answers(["user": "alice", "password": "canary"], "https://sp.example")
        _ = try await server.logIn(answers: answers)
        #expect(server.log.last == "POST https://sp.example/enter user=alice&password=canary")
        // The button is not offered to a person, either.
        let person = FakePerson(["user": ["alice"], "password": ["canary"]])
        _ = try await server.logIn(person)
        #expect(person.asked == ["user", "password (secret)"])
    }

    @Test(arguments: [
        "<form method=dialog><input type=hidden name=SAMLRequest value=canary></form>",
        "<form method=dialog><input name=user><input name=password type=password><button>Go</button></form>",
    ]) func aDialogIsNotSent(form: String) async throws {
        let server = PageServer([Self.start: [PageServer.html(form)]])
        let answers = try answers(["user": "alice", "password": "canary"], "https://sp.example")
        _ = try await failure { try await server.logIn(answers: answers) }
        #expect(server.log == [Self.start])
    }

    /// A password that would arrive as another text costs a try.
    @Test(arguments: [("pässword", false), ("password", true)])
    func whatCannotBeConvertedIsNotSent(password: String, isSent: Bool) async throws {
        let page = ScriptedTransport.Answer(
            .ok, [.contentType: "text/html; charset=gb18030"],
            body: "<form method=post action=/enter><input name=password type=password><button>Go</button></form>")
        let server = PageServer([
            Self.start: [page], "POST https://sp.example/enter": [PageServer.redirect("/done")],
        ])
        let answers = try answers(["password": password], "https://sp.example")
        if isSent {
            _ = try await server.logIn(answers: answers)
            #expect(server.log.last == "POST https://sp.example/enter password=password")
        } else {
            let error = try await failure { try await server.logIn(answers: answers) }
            #expect(error.code == .unsupportedPage && error.message.contains("gb18030"))
            #expect(!error.message.contains(password))
            #expect(server.log == [Self.start])
        }
    }

    /// A combining mark after a quote does not prevent its escaping.
    @Test func multipartNamesAreEscapedByBytes() async throws {
        let form =
            "<form method=post enctype=multipart/form-data><input name='u'><input type=hidden name='a\"\u{301}b'></form>"
        let server = PageServer([
            Self.start: [PageServer.html(form)], "POST \(PageServer.start)": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(FakePerson(["u": ["v"]]))
        let post = try #require(server.arrivals.last)
        #expect(post.body.utf8.split(separator: 0x22).count == 5)
        #expect(post.body.contains("name=\"a%22\u{301}b\""))
    }

    @Test func multipartAndCharsets() async throws {
        let form =
            "<form method=post enctype=multipart/form-data><input name='a\"b'><textarea name=t>\n1\n2</textarea></form>"
        let server = PageServer([
            Self.start: [PageServer.html(form)], "POST \(PageServer.start)": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(FakePerson(["a\"b": ["ü"], "t": [""]]))
        let post = try #require(server.arrivals.last)
        let boundary = try #require(post.fields[.contentType]?.split(separator: "boundary=").last)
        #expect(
            post.body.replacing("\r\n", with: "|")
                == "--\(boundary)|Content-Disposition: form-data; name=\"a%22b\"||ü|--\(boundary)|Content-Disposition: form-data; name=\"t\"||1|2|--\(boundary)--|"
        )
        let latin = PageServer([
            Self.start: [
                PageServer.html(
                    "<form method=post accept-charset='x latin1'><input name=u><input type=hidden name=_charset_></form>"
                )
            ],
            "POST \(PageServer.start)": [PageServer.redirect("/done")],
        ])
        _ = try await latin.logIn(FakePerson(["u": ["ü€д"]]))
        #expect(latin.arrivals.last?.body == "u=%FC%80%26%231076%3B&_charset_=windows-1252")
    }

    // MARK: Refused destinations

    @Test(arguments: [
        "javascript:alert(1)", "java\nscript:alert(1)", " javascript:x", "file:///etc/passwd", "data:text/html,x",
        "JAVASCRIPT&#58;x", "ftp://sp.example/",
    ]) func actionsThatAreNoPages(action: String) async throws {
        let server = PageServer([Self.start: "<form method=post action='\(action)'><input name=u type=password></form>"]
        )
        let error = try await failure { try await server.logIn(FakePerson(["u": ["canary"]])) }
        #expect(error.code == .unsupportedPage)
        #expect(server.log == [Self.start])
    }

    @Test func otherOriginsNeedConsent() async throws {
        let page = "<form method=post action='https://evil.example/x'><input name=pw type=password></form>"
        let question = "Your input for https://sp.example will be sent to https://evil.example. Send it there?"
        let pages = [
            Self.start: [PageServer.html(page)],
            "POST https://evil.example/x": [PageServer.redirect("https://sp.example/done")],
        ]
        let refused = PageServer(pages)
        let person = FakePerson([question: ["no"], "pw": ["canary"]])
        #expect(try await failure { try await refused.logIn(person) }.code == .cancelled)
        #expect(refused.log == [Self.start] && person.asked == [question])

        let allowed = PageServer(pages)
        _ = try await allowed.logIn(FakePerson([question: ["yes"], "pw": ["x"]]))
        #expect(allowed.log.last == "POST https://evil.example/x pw=x")

        let unattended = PageServer(pages)
        let error = try await failure {
            try await unattended.logIn(answers: answers(["pw": "canary"], "https://sp.example"))
        }
        #expect(error.code == .answersNotAllowed && error.message.contains("https://evil.example"))
        #expect(unattended.log == [Self.start])

        let listed = PageServer(pages)
        _ = try await listed.logIn(answers: answers(["pw": "x"], "https://sp.example", "https://evil.example"))
        #expect(listed.log.last == "POST https://evil.example/x pw=x")
    }

    /// A button's own action counts as well.
    @Test func aButtonCannotSendAnswersElsewhere() async throws {
        let page =
            "<form method=post><input name=pw type=password><button formaction='https://evil.example/x'>Go</button></form>"
        let server = PageServer([Self.start: page])
        let error = try await failure {
            try await server.logIn(answers: answers(["pw": "canary"], "https://sp.example"))
        }
        #expect(error.code == .answersNotAllowed)
        #expect(server.log == [Self.start])
    }

    @Test(arguments: [
        "<form method=post action='http://sp.example/x'><input type=hidden name=SAMLResponse value=canary></form>",
        "<form method=post action='http://sp.example/x'><input name=u></form>",
        "<meta http-equiv=refresh content='0;url=http://sp.example/'>",
    ]) func nothingGoesFromEncryptedToPlain(page: String) async throws {
        let server = PageServer([Self.start: page])
        #expect(try await failure { try await server.logIn(FakePerson(["u": ["canary"]])) }.code == .pageFailed)
        #expect(server.log == [Self.start])
    }

    /// As in a browser, traffic to this machine crosses no network.
    @Test(arguments: ["127.0.0.1:8080", "127.9.8.7", "[::1]:8080", "localhost:8080"])
    func thisMachineNeedsNoEncryption(host: String) async throws {
        let message =
            "<form method=post action='http://\(host)/x'><input type=hidden name=SAMLResponse value=r></form>"
        let form = "<form method=post action='http://\(host)/y'><input name=u></form>"
        let server = PageServer([
            Self.start: [PageServer.html(message)],
            "POST http://\(host)/x": [PageServer.redirect("https://sp.example/form")],
            "GET https://sp.example/form": [PageServer.html(form)],
            "POST http://\(host)/y": [PageServer.redirect("https://sp.example/on")],
            "GET https://sp.example/on": [PageServer.redirect("http://\(host)/last")],
            "GET http://\(host)/last": [PageServer.redirect("https://sp.example/done")],
        ])
        // Values that a person enters still need consent.
        let question = "Your input for https://sp.example will be sent to http://\(host). Send it there?"
        let person = FakePerson(["u": ["v"], question: ["yes"]])
        _ = try await server.logIn(person)
        #expect(
            server.log.contains("POST http://\(host)/x SAMLResponse=r") && server.log.last?.hasSuffix("/last") == true)
        #expect(server.log.contains("POST http://\(host)/y u=v"))
        #expect(person.asked.contains(question))
    }

    @Test(arguments: ["localhost.example", "127.0.0.1.example", "128.0.0.1", "[::ffff:127.0.0.1]", "192.0.2.1"])
    func otherMachinesNeedIt(host: String) async throws {
        let server = PageServer([Self.start: [PageServer.redirect("http://\(host)/")]])
        #expect(try await failure { try await server.logIn() }.code == .pageFailed)
        #expect(server.log == [Self.start])
    }

    @Test func redirectsDoNotLeadToPlainOrOtherSchemes() async throws {
        for (location, code) in [("http://sp.example/", WebLoginError.Code.pageFailed), ("other:/x", .unsupportedPage)]
        {
            let server = PageServer([Self.start: [PageServer.redirect(location)]])
            #expect(try await failure { try await server.logIn() }.code == code)
            #expect(server.log == [Self.start])
        }
    }

    @Test func whatWasEnteredIsNotRedirectedElsewhere() async throws {
        let server = PageServer([
            Self.start: [PageServer.html("<form method=post action=/a><input name=u></form>")],
            "POST https://sp.example/a": [PageServer.redirect("/b", .temporaryRedirect)],
            "POST https://sp.example/b": [PageServer.redirect("https://evil.example/", .temporaryRedirect)],
        ])
        #expect(try await failure { try await server.logIn(FakePerson(["u": ["canary"]])) }.code == .pageFailed)
        #expect(server.log.suffix(2) == ["POST https://sp.example/a u=canary", "POST https://sp.example/b u=canary"])
    }

    // MARK: Self-submitting pages

    @Test(arguments: [
        "<body onload='document.forms[0].submit()'>", "<script src=submit.js></script>", "",
    ]) func samlMessagesCrossOriginsByThemselves(start: String) async throws {
        let page =
            start
            + "<form method=post action='https&#x3a;//idp.example/acs'><input type=hidden name=SAMLResponse value='PHg+'><input type=hidden name=RelayState value=r><input type=submit value=Continue></form>"
        let server = PageServer([
            Self.start: [PageServer.html(page)],
            "POST https://idp.example/acs": [PageServer.redirect("https://sp.example/done")],
        ])
        _ = try await server.logIn()
        #expect(server.log.last == "POST https://idp.example/acs SAMLResponse=PHg%2B&RelayState=r")
    }

    @Test func aSAMLFieldIsNoExcuseForOtherFields() async throws {
        let page =
            "<form method=post action='https://evil.example/'><input type=hidden name=SAMLResponse><input name=pw type=password></form>"
        let server = PageServer([Self.start: page])
        let error = try await failure {
            try await server.logIn(answers: answers(["pw": "canary"], "https://sp.example"))
        }
        #expect(error.code == .answersNotAllowed)
        #expect(server.log == [Self.start])
        // Other hidden forms are not sent across origins by themselves either.
        let hidden = PageServer([
            Self.start:
                "<form method=post action='https://evil.example/'><input type=hidden name=a value=b><input type=submit></form>"
        ])
        #expect(try await failure { try await hidden.logIn() }.code == .answersNotAllowed)
        #expect(hidden.log == [Self.start])
    }

    private static let message =
        "<form method=post action=/sso><input type=hidden name=SAMLRequest value=x><button>Single sign-on</button>"
        + "</form>"

    /// A login form beside a button for single sign-on is filled in, or a person chooses.
    @Test func aLoginFormBesideAMessageIsNotBypassed() async throws {
        let page =
            "<form method=post action=/in><input type=password name=pw></form><form><input name=q></form>"
            + Self.message
        func server() -> PageServer {
            PageServer([
                Self.start: [PageServer.html(page)], "POST https://sp.example/in": [PageServer.redirect("/done")],
                "POST https://sp.example/sso": [PageServer.redirect("/done")],
            ])
        }
        let prepared = server()
        _ = try await prepared.logIn(answers: answers(["pw": "w"], "https://sp.example"))
        #expect(prepared.log.last == "POST https://sp.example/in pw=w")
        let attended = server()
        let person = FakePerson(["Which form": ["Single sign-on"]])
        _ = try await attended.logIn(person)
        #expect(person.asked == ["Which form: *pw|q|Single sign-on"])
        #expect(attended.log.last == "POST https://sp.example/sso SAMLRequest=x")
        // Answers for other origins are for the identity provider's page.
        for answers in [nil, try answers(["pw": "canary"], "https://idp.example")] {
            let unattended = server()
            _ = try await unattended.logIn(answers: answers)
            #expect(unattended.log.last == "POST https://sp.example/sso SAMLRequest=x")
        }
    }

    @Test func twoMessagesAreAChoice() async throws {
        let page = Self.message + Self.message.replacing("/sso", with: "/b").replacing("Single sign-on", with: "B")
        let server = PageServer([
            Self.start: [PageServer.html(page)], "POST https://sp.example/b": [PageServer.redirect("/done")],
        ])
        let person = FakePerson(["Which form": ["B"]])
        _ = try await server.logIn(person)
        #expect(person.asked == ["Which form: Single sign-on|B"])
        #expect(server.log.last == "POST https://sp.example/b SAMLRequest=x")
        let unattended = PageServer([Self.start: page])
        #expect(try await failure { try await unattended.logIn() }.code == .missingAnswer)
        #expect(unattended.log == [Self.start])
    }

    /// A button in the head of a page and one in its body.
    @Test func equalMessagesAreNoChoice() async throws {
        for person in [FakePerson(), nil] {
            let server = PageServer([
                Self.start: [PageServer.html(Self.message + "<p>Welcome</p>" + Self.message)],
                "POST https://sp.example/sso": [PageServer.redirect("/done")],
            ])
            _ = try await server.logIn(person)
            #expect(person?.asked.isEmpty != false && server.log.last == "POST https://sp.example/sso SAMLRequest=x")
        }
    }

    // MARK: Without a form

    /// A page that waits for an approval elsewhere, which its only button would cancel.
    @Test func aPageThatWaitsIsNotCancelled() async throws {
        let page =
            "<meta http-equiv=refresh content='0;url=/next'><p>Approve 42 on your phone</p>"
            + "<form method=post><button name=c>Cancel</button></form>"
        for person in [FakePerson(), nil] {
            let server = PageServer([
                Self.start: [PageServer.html(page)],
                "GET https://sp.example/next": [PageServer.html(page), PageServer.redirect("/done")],
            ])
            _ = try await server.logIn(person)
            #expect(server.log == [Self.start] + Array(repeating: "GET https://sp.example/next", count: 2))
            #expect(person?.asked.isEmpty != false)
            #expect(person.map { $0.pages.map(\.text) == ["Approve 42 on your phone"] } != false)
        }
    }

    /// The field counts as in browsers, before the page's own refresh.
    @Test func aRefreshFieldLeadsOn() async throws {
        let field = try #require(HTTPField.Name("Refresh"))
        let server = PageServer([
            Self.start: [
                PageServer.html("<meta http-equiv=refresh content='0;/own'><p>Wait</p>", [field: "0; url=/next"])
            ], "GET https://sp.example/next": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn()
        #expect(server.log == [Self.start, "GET https://sp.example/next"])
    }

    /// A transport puts U+FFFD where bytes of a field are not UTF-8: the URL would be another one.
    @Test func aFieldThatIsNotUTF8LeadsNowhere() async throws {
        let redirected = PageServer([Self.start: [PageServer.redirect("/caf\u{FFFD}")]])
        #expect(try await failure { try await redirected.logIn() }.code == .pageFailed)
        let field = try #require(HTTPField.Name("Refresh"))
        let refreshed = PageServer([Self.start: [PageServer.html("<p>Wait</p>", [field: "0; url=/caf\u{FFFD}"])]])
        #expect(try await failure { try await refreshed.logIn() }.code == .pageFailed)
        #expect(redirected.log == [Self.start] && refreshed.log == [Self.start])
    }

    /// A link that logs out or consents is a decision (security rule S14).
    @Test(arguments: ["Log out", "I accept"]) func aLinkIsNoConsent(label: String) async throws {
        let page = "<p>Welcome</p><a href=/next>\(label)</a>"
        let server = PageServer([Self.start: page])
        let error = try await failure { try await server.logIn() }
        #expect(error.code == .pageFailed && error.pageText == "Welcome \(label)" && server.log == [Self.start])
        let attended = PageServer([Self.start: page])
        let person = FakePerson(["Where to go on": [""]])
        #expect(try await failure { try await attended.logIn(person) }.code == .pageFailed)
        #expect(person.asked == ["Where to go on: \(label)"] && attended.log == [Self.start])
    }

    @Test func customSchemesAndRefreshesEndALogin() async throws {
        let redirected = PageServer([Self.start: [PageServer.redirect("app:/cb?code=1")]])
        #expect(try await redirected.logIn().finish.value == "app:/cb?code=1")
        let refreshed = PageServer([Self.start: "<meta http-equiv=refresh content='0;url=app:/cb?code=2'>"])
        #expect(try await refreshed.logIn().finish.value == "app:/cb?code=2")
        let linked = PageServer([
            Self.start: "<a href='#top'>Top</a><a href='/help'>Help</a><a href='app:/cb?code=3'>Back to the app</a>"
        ])
        let person = FakePerson(["Where to go on": ["Back to the app"]])
        #expect(try await linked.logIn(person).finish.value == "app:/cb?code=3")
        #expect(person.asked == ["Where to go on: Help|Back to the app"])
    }

    @Test(arguments: [
        "<a href=/next>Continue</a>",
        "<a href=/help>Help</a><noscript><a href=/next>Continue</a></noscript><script></script>",
        "<script></script><noscript><a href=/next>If you are not redirected, click here</a></noscript>",
        "<a href=/next>Back to the application</a>",
    ]) func theOnlyLinkIsTheWayOn(page: String) async throws {
        let server = PageServer([
            Self.start: page, "GET https://sp.example/next": "<meta http-equiv=refresh content='0;/done'>",
        ])
        _ = try await server.logIn()
        #expect(server.log == [Self.start, "GET https://sp.example/next"])
    }

    @Test func nobodyChoosesAmongLinks() async throws {
        for links in ["<a href=/a>A</a><a href=/b>B</a>", "<a href='https://other.example/'>Elsewhere</a>"] {
            let server = PageServer([Self.start: links])
            #expect(try await failure { try await server.logIn() }.code == .pageFailed)
            #expect(server.log == [Self.start])
        }
    }

    @Test func pagesThatNeedScriptsSaySo() async throws {
        let server = PageServer([
            Self.start:
                "<div id=root></div><a href=/help>Help</a><script src=a.js></script><noscript>Enable JavaScript\u{202E}</noscript>"
        ])
        let error = try await failure { try await server.logIn(FakePerson()) }
        #expect(error.code == .unsupportedPage && error.message.contains("chromium"))
        #expect(error.pageText == "Help Enable JavaScript\\u{202e}")
    }

    /// The sign-in page of Microsoft Entra ID leads browsers without scripts to a page that says so. A link to help on
    /// another server is no way on.
    @Test(arguments: ["", "<a href='https://help.example/'>Help</a>"], [true, false])
    func aRefreshForBrowsersWithoutScriptsNeedsScripts(link: String, isAttended: Bool) async throws {
        let server = PageServer([
            Self.start:
                "<head><noscript><meta http-equiv=Refresh content='0; URL=/off'></noscript><script>a()</script></head>",
            "GET https://sp.example/off": "<h1>We cannot sign you in</h1><p>Scripts are off.</p>\(link)",
        ])
        let person = isAttended ? FakePerson() : nil
        let error = try await failure { try await server.logIn(person) }
        #expect(error.code == .unsupportedPage && error.message.contains("chromium"), "\(error)")
        #expect(server.log == [Self.start, "GET https://sp.example/off"])
        #expect(person?.asked.isEmpty != false)
    }

    /// Some servers have a login for browsers without scripts.
    @Test func aRefreshForBrowsersWithoutScriptsMayLeadToAForm() async throws {
        let server = PageServer([
            Self.start: [
                PageServer.html(
                    "<script>a()</script><noscript><meta http-equiv=refresh content='0;/basic'></noscript>")
            ],
            "GET https://sp.example/basic": [
                PageServer.html("<form method=post><input name=user><input type=password name=pw></form>")
            ],
            "POST https://sp.example/basic": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(answers: answers(["user": "a", "pw": "b"], "https://sp.example"))
        #expect(server.log.last == "POST https://sp.example/basic user=a&pw=b")
    }

    @Test func aDeadEndTellsWhatThePageSays() async throws {
        let server = PageServer([
            Self.start: [PageServer.html("<h1>Locked</h1><p>Ask your administrator.", status: .forbidden)]
        ])
        let error = try await failure { try await server.logIn() }
        #expect(
            error.code == .pageFailed && error.message.contains("403")
                && error.pageText == "Locked Ask your administrator.")
    }

    @Test func loopsEnd() async throws {
        let redirects = PageServer([Self.start: [PageServer.redirect("/start")]])
        #expect(try await failure { try await redirects.logIn() }.code == .pageFailed)
        let pages = PageServer([Self.start: "<meta http-equiv=refresh content=0>"])
        #expect(try await failure { try await pages.logIn(maximumPages: 5) }.code == .pageFailed)
        #expect(pages.arrivals.count == 5)
    }

    @Test func filesAndHugePagesAreRefused() async throws {
        let files = PageServer([Self.start: "<form method=post><input type=file name=f></form>"])
        #expect(try await failure { try await files.logIn(FakePerson()) }.code == .unsupportedPage)
        let inputs = String(repeating: "<input name=a>", count: 2000)
        let huge = PageServer([Self.start: "<form method=post>\(inputs)</form>"])
        #expect(try await failure { try await huge.logIn(FakePerson()) }.code == .unsupportedPage)
        #expect(huge.log == [Self.start])
    }

    // MARK: Unattended logins

    @Test func wrongAnswersAreSentOnce() async throws {
        let form = "<form method=post><input name=user><input name=pw type=password></form>"
        let server = PageServer([
            Self.start: form, "POST \(PageServer.start)": "<p role=alert>Wrong password.</p>" + form,
        ])
        let error = try await failure {
            try await server.logIn(answers: answers(["user": "a", "pw": "geheim-canary"], "https://sp.example"))
        }
        #expect(error.code == .answersRefused && error.pageText == "Wrong password.")
        #expect(server.log == [Self.start, "POST \(PageServer.start) user=a&pw=geheim-canary"])
        #expect(!"\(error)".contains("canary"))
    }

    @Test func nobodyAndNoAnswer() async throws {
        let server = PageServer([Self.start: "<form method=post><input name=user><input name=pw type=password></form>"])
        let error = try await failure { try await server.logIn() }
        #expect(error.code == .missingAnswer && error.message.contains("\"user\" and \"pw\""))
        #expect(
            error.missingFields == [.init("user", .text, purpose: .login), .init("pw", .secret, purpose: .login)])
        let some = try await failure { try await server.logIn(answers: answers(["user": "a"], "https://sp.example")) }
        #expect(some.code == .missingAnswer && some.message.contains("\"pw\""))
        let other = try await failure { try await server.logIn(answers: answers(["pw": "p"], "https://sp.example")) }
        #expect(other.missingFields == [.init("user", .text, purpose: .login)])
        #expect(server.log.allSatisfy { $0 == Self.start }, "no try was spent")
    }

    @Test func answersChooseAmongFormsOptionsAndButtons() async throws {
        let page = """
            <form action=/search><input name=q><button>Search</button></form>
            <form method=post action=/in><input name=u><select name=d required><option value="">-<option value=c>Corp</select>
            <input type=radio name=r value=1><input type=radio name=r value=2><input type=checkbox name=k checked>
            <button name=b value=no>No</button><button name=b value=yes>Yes</button></form>
            """
        let server = PageServer([
            Self.start: [PageServer.html(page)], "POST https://sp.example/in": [PageServer.redirect("/done")],
        ])
        _ = try await server.logIn(
            answers: answers(["u": "x", "d": "Corp", "r": "2", "k": "off", "b": "Yes"], "https://sp.example"))
        #expect(server.log.last == "POST https://sp.example/in u=x&d=c&r=2&b=yes")
        let wrong = PageServer([Self.start: page])
        let error = try await failure {
            try await wrong.logIn(answers: answers(["u": "x", "d": "Other"], "https://sp.example"))
        }
        #expect(error.code == .missingAnswer && error.message.contains("\"d\""))
    }

    @Test func aPersonChoosesAmongForms() async throws {
        let page =
            "<form action=/a><input name=q></form><form method=post action=/b><input type=password name=pw></form>"
        let server = PageServer([
            Self.start: [PageServer.html(page)], "GET https://sp.example/a?q=1": [PageServer.redirect("/done")],
        ])
        let person = FakePerson(["Which form": ["q"], "q": ["1"]])
        _ = try await server.logIn(person)
        #expect(person.asked == ["Which form: q|*pw", "q"])
    }

    /// An identity provider that requires Basic. The password for the caller's own server is not for it, unless the
    /// application names it (security rule S7).
    @Test(arguments: [false, true]) func theConversationAnswersBasicChallenges(_ isNamed: Bool) async throws {
        let page = PageServer([
            Self.start: [PageServer.redirect("https://idp.example/login")],
            "GET https://idp.example/login": [
                .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""]),
                PageServer.redirect("https://sp.example/done"),
            ],
        ])
        let origins = isNamed ? [try TargetURL("https://idp.example").origin] : []
        let provider = try StaticCredentialProvider(username: "alice", password: "w", for: origins)
        if isNamed {
            _ = try await page.logIn(provider: provider)
        } else {
            await #expect(throws: WebLoginError.self) { _ = try await page.logIn(provider: provider) }
        }
        let asked = page.arrivals.filter { $0.line.contains("idp.example") }
        #expect(asked.map { $0.fields[.authorization] != nil } == (isNamed ? [false, true] : [false]))
    }

    /// The session knows that the server offers Digest, so its pages get no password by Basic (security rule S10).
    @Test func aPageOfAServerThatOfferedDigestGetsNoBasic() async throws {
        let page = PageServer([
            "GET https://sp.example/before": [
                .init(.unauthorized, [.wwwAuthenticate: "Digest realm=\"d\", nonce=\"n\""])
            ],
            Self.start: [
                .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""]), PageServer.redirect("/done"),
            ],
        ])
        let session = HttpSession()
        try await page.visit("https://sp.example/before", session: session)
        let provider = try StaticCredentialProvider(
            username: "alice", password: "w", for: [try TargetURL("https://sp.example").origin])
        await #expect(throws: WebLoginError.self) { _ = try await page.logIn(session: session, provider: provider) }
        #expect(page.log == ["GET https://sp.example/before", Self.start])
        #expect(page.arrivals.allSatisfy { $0.fields[.authorization] == nil })
    }
}
