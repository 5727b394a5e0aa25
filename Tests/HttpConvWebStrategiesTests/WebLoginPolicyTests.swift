import HTTPTypes
import HttpC
import Testing

@testable import HttpConvAuthFlows

/// The policy of all views, event by state.
@Suite struct WebLoginPolicyTests {
    /// The events that a policy has seen before the one of a test.
    enum State: CaseIterable {
        case start, loading, page, trying, over
    }

    private static let origin = "https://sp.example.com"

    private static func login(hasTrial: Bool) throws -> WebLogin {
        let start = try TargetURL("\(origin)/report")
        guard hasTrial else {
            return WebLogin(.saml2, start: start, cookieTargets: [start], returnsCookies: true) {
                $0 == "\(origin)/done"
            }
        }
        let trial = WebLoginTrial(at: start.origin) { _ in true }
        return WebLogin(.webLogin, start: start, cookieTargets: [start], trial: trial)
    }

    /// The view of a row.
    enum Kind: Sendable {
        /// A view without abilities of its own and without settings.
        case plain
        /// Like WebKit's: settings for one server, a certificate for the identity provider, and a proxy.
        case web
        /// Like Chromium's: the same, and the conversation can send its requests. It asks for passwords itself.
        case delegating
        /// Like the terminal's.
        case terminal
    }

    private static let idp = "https://idp.example.com"
    private static let pinned = "https://pinned.example.com"

    private static func view(_ kind: Kind, isAttended: Bool) throws -> WebLoginPolicy.View {
        var view = WebLoginPolicy.View(isAttended: isAttended)
        view.refusesDowngrades = kind == .terminal
        guard kind == .web || kind == .delegating else { return view }
        view.asksForPasswords = kind == .delegating
        view.delegatesRequests = kind == .delegating
        view.connectionPolicy = ConnectionPolicy([.pinnedKeys], for: [try TargetURL(pinned).origin])
        view.proxies = .always(try ProxyServer(.http, host: "proxy.example.com", port: 3128))
        view.presentsIdentity = { $0.origin.host == "idp.example.com" }
        return view
    }

    private static func policy(
        in state: State, isAttended: Bool, hasTrial: Bool, _ kind: Kind = .plain
    ) throws -> WebLoginPolicy {
        var policy = WebLoginPolicy(try login(hasTrial: hasTrial), in: try view(kind, isAttended: isAttended))
        switch state {
        case .start: break
        case .loading: _ = policy.decide(.navigation(to: "\(idp)/login", .redirect, isMainFrame: true))
        case .page: _ = policy.decide(.arrived("\(idp)/login"))
        case .trying: _ = policy.decide(.response(from: "\(origin)/a", status: 200, isMainFrame: true))
        case .over: _ = policy.decide(.crashed)
        }
        return policy
    }

    private static func name(_ action: WebLoginPolicy.Action) -> String {
        switch action {
        case .allow: "allow"
        case .refuse: "refuse"
        case .finish(let url): "finish \(url)"
        case .tryResource: "try"
        case .openApplication: "open"
        case .askProviders(let challenge, let failures): "ask \(challenge.space.origin) \(failures)"
        case .logIn(let login): "log in \(login.username)"
        case .askPerson: "ask the person"
        case .presentIdentity(let origin): "present \(origin)"
        case .delegate(let isAnonymous): isAnonymous ? "delegate, anonymous" : "delegate"
        case .closeDialog(let isAccepted): "close \(isAccepted)"
        case .fail(let error): "fail \(error.code)"
        }
    }

    /// An event with the actions that it leads to in each state of a login, with a person and without.
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let event: WebLoginPolicy.Event
        let attended: String
        let alone: String
        /// While the identity provider's page is loading, and when it was shown; with a person.
        let loading: String
        let afterPage: String
        /// During a trial.
        let trying: String
        let hasTrial: Bool
        let view: Kind
        var testDescription: String { name }

        init(
            _ name: String, _ event: WebLoginPolicy.Event, _ attended: String, alone: String? = nil,
            loading: String? = nil, afterPage: String? = nil, trying: String? = nil, hasTrial: Bool = false,
            view: Kind = .plain
        ) {
            self.name = name
            self.event = event
            self.attended = attended
            self.alone = alone ?? attended
            self.loading = loading ?? attended
            self.afterPage = afterPage ?? attended
            self.trying = trying ?? attended
            self.hasTrial = hasTrial
            self.view = view
        }
    }

    private static let done = "\(origin)/done"
    private static let rows: [Row] = [
        Row("a page", .navigation(to: "https://idp.example.com/", .link, isMainFrame: true), "allow"),
        Row("a script's page", .navigation(to: "about:blank", .other, isMainFrame: true), "allow"),
        Row("an application", .navigation(to: "tel:1", .link, isMainFrame: true), "refuse"),
        Row("a file of the machine", .navigation(to: "file:///etc/passwd", .redirect, isMainFrame: true), "refuse"),
        Row("the end", .navigation(to: done, .redirect, isMainFrame: true), "finish \(done)"),
        Row("the end by a form", .navigation(to: done, method: .post, .form, isMainFrame: true), "finish \(done)"),
        Row("the end in a frame", .navigation(to: done, .link, isMainFrame: false), "allow"),
        Row("an application in a frame", .navigation(to: "tel:1", .link, isMainFrame: false), "refuse"),
        Row("the end in a window", .newWindow(done), "allow"),
        Row("an application in a window", .newWindow("intent://x"), "refuse"),
        Row("a response", .response(from: "\(origin)/a", status: 200, isMainFrame: true), "allow"),
        Row(
            "an arrival", .response(from: "\(origin)/a", status: 200, isMainFrame: true), "try", trying: "allow",
            hasTrial: true),
        Row(
            "one with an error", .response(from: "\(origin)/a", status: 500, isMainFrame: true), "try", trying: "allow",
            hasTrial: true),
        Row("one in a frame", .response(from: "\(origin)/a", status: 200, isMainFrame: false), "allow", hasTrial: true),
        Row(
            "one elsewhere", .response(from: "https://evil.example/a", status: 200, isMainFrame: true), "allow",
            hasTrial: true),
        Row(
            "one at another port", .response(from: "\(origin):444/a", status: 200, isMainFrame: true), "allow",
            hasTrial: true),
        Row(
            "a code on its way", .response(from: "\(origin)/cb?code=1", status: 200, isMainFrame: true), "allow",
            hasTrial: true),
        Row(
            "an artifact on its way", .response(from: "\(origin)/acs?x=1&SAMLart=1", status: 200, isMainFrame: true),
            "allow", hasTrial: true),
        Row(
            "a ticket on its way", .response(from: "\(origin)/?ticket=ST-1", status: 200, isMainFrame: true), "allow",
            hasTrial: true),
        Row("a page that is shown", .arrived("\(origin)/a"), "allow"),
        Row("an alert", .dialog(.alert), "allow", alone: "close false"),
        Row("a confirmation", .dialog(.confirmation), "allow", alone: "close false"),
        Row("a prompt", .dialog(.prompt), "allow", alone: "close false"),
        Row("leaving a page", .dialog(.beforeUnload), "allow", alone: "close true"),
        Row("a download", .download("\(origin)/file"), "refuse"),
        Row("nothing to show", .failed(.nothingToShow, detail: "204", isMainFrame: true), "allow"),
        Row("a certificate", .failed(.certificate, detail: "x", isMainFrame: true), "fail pageFailed"),
        Row("a client certificate", .failed(.clientCertificate, detail: "x", isMainFrame: true), "fail pageFailed"),
        Row(
            "a network", .failed(.network, detail: "x", isMainFrame: true), "fail pageFailed", afterPage: "allow",
            trying: "allow"),
        Row(
            "a proxy", .failed(.proxy, detail: "x", isMainFrame: true), "fail pageFailed", afterPage: "allow",
            trying: "allow"),
        Row("a certificate in a frame", .failed(.certificate, detail: "x", isMainFrame: false), "allow"),
        Row("a window that is closed", .closed, "fail cancelled", alone: "fail pageFailed"),
        Row("a crash", .crashed, "fail browserFailed"),
        Row("a trial", .tried(true), "allow", trying: "finish \(origin)/a"),
        Row("a trial that failed", .tried(false), "allow"),
    ]

    /// The same for questions and for single requests, in views with settings.
    private static func questions() throws -> [Row] {
        func challenge(
            _ name: String, _ origin: String, isProxy: Bool = false, target: String? = nil, _ attended: String,
            loading: String? = nil
        ) throws -> Row {
            Row(
                name,
                .challenge(
                    WebLoginPolicy.Challenge(
                        from: try TargetURL(origin).origin, isProxy: isProxy, method: .basic, realm: "r",
                        target: try target.map { try TargetURL($0) })), attended, loading: loading, view: .web)
        }
        func request(
            _ name: String, _ url: String, _ requester: WebLoginPolicy.Requester, isReadable: Bool = true,
            _ action: String, view: Kind = .delegating
        ) throws -> Row {
            Row(name, .request(to: try TargetURL(url), by: requester, isReadable: isReadable), action, view: view)
        }
        let proxy = "http://proxy.example.com:3128"
        let space = WebViewChallenge(target: try TargetURL(idp), method: .basic, realm: "r")
        let login = UsernamePassword(username: "alice", password: "x")
        return [
            try challenge("a server's challenge", idp, target: "\(idp)/a", "ask \(idp) 0"),
            try challenge("one without a URL", idp, "ask \(idp) 0"),
            try challenge("one of another server", "https://evil.example", target: "\(idp)/a", "refuse"),
            try challenge("the proxy's", proxy, isProxy: true, target: "\(idp)/a", "ask \(proxy) 0"),
            try challenge("the proxy's without a URL", proxy, isProxy: true, "refuse", loading: "ask \(proxy) 0"),
            try challenge("another proxy's", "http://evil.example:3128", isProxy: true, target: "\(idp)/a", "refuse"),
            Row("an answer", .answer(.credential(login, persistence: .session), to: space), "log in alice"),
            Row("an answer of nobody", .answer(.none, to: space), "refuse", view: .web),
            Row(
                "one that the view can ask for", .answer(.none, to: space), "ask the person", alone: "refuse",
                view: .delegating),
            Row("a person who says no", .answer(.cancel, to: space), "fail cancelled"),
            Row(
                "a certificate request of the page's server", .certificateRequest(try TargetURL(idp).origin), "refuse",
                loading: "present \(idp)", afterPage: "present \(idp)", view: .web),
            Row(
                "one without a certificate", .certificateRequest(try TargetURL(idp).origin), "refuse"),
            Row("one of another server", .certificateRequest(try TargetURL(origin).origin), "refuse", view: .web),
            Row(
                "a server with settings", .navigation(to: "\(pinned)/", .link, isMainFrame: true),
                "fail invalidConfiguration", view: .web),
            Row(
                "one in a frame", .navigation(to: "\(pinned)/", .link, isMainFrame: false),
                "fail invalidConfiguration", view: .web),
            Row(
                "one that the conversation can reach", .navigation(to: "\(pinned)/", .link, isMainFrame: true), "allow",
                view: .delegating),
            Row(
                "a user name in a URL", .navigation(to: "https://a:b@idp.example.com/", .redirect, isMainFrame: true),
                "fail pageFailed"),
            Row(
                "plain http", .navigation(to: "http://idp.example.com/", .link, isMainFrame: true), "allow",
                afterPage: "fail pageFailed", view: .terminal),
            Row(
                "a redirect to plain http", .navigation(to: "http://idp.example.com/", .redirect, isMainFrame: true),
                "allow", loading: "fail pageFailed", afterPage: "fail pageFailed", view: .terminal),
            Row(
                "plain http in a browser", .navigation(to: "http://idp.example.com/", .link, isMainFrame: true), "allow"
            ),
            Row(
                "plain http on this machine", .navigation(to: "http://127.0.0.1/", .link, isMainFrame: true), "allow",
                view: .terminal),
            try request("a document with a certificate", "\(idp)/", .navigation, "delegate"),
            try request("its own request", "\(idp)/x", .ownDocument, "delegate"),
            try request("another server's", "\(idp)/x", .foreignDocument, "allow"),
            try request("one that cannot be read", "\(idp)/", .navigation, isReadable: false, "allow"),
            try request("a server with settings, request", "\(pinned)/", .navigation, "delegate"),
            try request("one by another server", "\(pinned)/", .foreignDocument, "delegate, anonymous"),
            try request("one that cannot be read, there", "\(pinned)/", .navigation, isReadable: false, "refuse"),
            try request("any other", "\(origin)/", .navigation, "allow"),
            try request("one that nobody can send", "\(pinned)/", .ownDocument, "refuse", view: .web),
        ]
    }

    /// Everything that can happen has a row.
    @Test func theTableIsComplete() throws {
        func kind(_ event: WebLoginPolicy.Event) -> Int {
            switch event {
            case .navigation: 0
            case .newWindow: 1
            case .response: 2
            case .arrived: 3
            case .challenge: 4
            case .answer: 5
            case .certificateRequest: 6
            case .request: 7
            case .dialog: 8
            case .download: 9
            case .failed: 10
            case .closed: 11
            case .crashed: 12
            case .tried: 13
            }
        }
        #expect(Set((Self.rows + (try Self.questions())).map { kind($0.event) }) == Set(0...13))
    }

    @Test func questionsAndRequests() throws {
        for row in try Self.questions() { try check(row) }
    }

    /// A refused login is not sent again, and after two there are no more.
    @Test func aPasswordIsTriedOnce() throws {
        var policy = try Self.policy(in: .page, isAttended: true, hasTrial: false)
        let origin = try TargetURL(Self.idp).origin
        let asked = WebLoginPolicy.Event.challenge(.init(from: origin, method: .basic, realm: "r"))
        let space = WebViewChallenge(target: try origin.targetURL(), method: .basic, realm: "r")
        func answer(_ password: String) -> WebLoginPolicy.Event {
            .answer(
                .credential(UsernamePassword(username: "alice", password: password), persistence: .session), to: space)
        }
        #expect(Self.name(policy.decide(answer("1"))) == "log in alice")
        #expect(Self.name(policy.decide(asked)) == "ask \(origin) 1")
        #expect(Self.name(policy.decide(answer("1"))) == "refuse")
        #expect(Self.name(policy.decide(answer("2"))) == "log in alice")
        #expect(Self.name(policy.decide(asked)) == "refuse")
        let other = WebLoginPolicy.Event.challenge(.init(from: origin, method: .basic, realm: "other"))
        #expect(Self.name(policy.decide(other)) == "ask \(origin) 0")
    }

    /// Simultaneous requests get the same login, until it is refused to one of them.
    @Test func simultaneousChallenges() throws {
        var policy = try Self.policy(in: .page, isAttended: true, hasTrial: false)
        let origin = try TargetURL(Self.idp).origin
        func asked(_ failures: Int) -> WebLoginPolicy.Event {
            .challenge(.init(from: origin, method: .basic, realm: "r", previousFailures: failures))
        }
        let space = WebViewChallenge(target: try origin.targetURL(), method: .basic, realm: "r")
        func answer(_ user: String) -> WebLoginPolicy.Event {
            .answer(.credential(UsernamePassword(username: user, password: "x"), persistence: .session), to: space)
        }
        #expect(Self.name(policy.decide(asked(0))) == "ask \(origin) 0")
        #expect(Self.name(policy.decide(asked(0))) == "ask \(origin) 0")
        #expect(Self.name(policy.decide(answer("alice"))) == "log in alice")
        #expect(Self.name(policy.decide(answer("alice"))) == "log in alice")
        #expect(Self.name(policy.decide(asked(0))) == "log in alice")
        #expect(Self.name(policy.decide(asked(1))) == "ask \(origin) 1")
        #expect(Self.name(policy.decide(answer("alice"))) == "refuse")
        #expect(Self.name(policy.decide(asked(0))) == "ask \(origin) 1")
        #expect(Self.name(policy.decide(answer("bob"))) == "log in bob")
        #expect(Self.name(policy.decide(asked(1))) == "log in bob")
        #expect(Self.name(policy.decide(asked(2))) == "refuse")
        #expect(Self.name(policy.decide(asked(0))) == "refuse")
    }

    /// A server that makes up realms does not fill the memory.
    @Test func thereAreNotAnyNumberOfRealms() throws {
        var policy = try Self.policy(in: .page, isAttended: true, hasTrial: false)
        let origin = try TargetURL(Self.idp).origin
        for number in 0..<100 {
            let space = WebViewChallenge(target: try origin.targetURL(), method: .basic, realm: "\(number)")
            _ = policy.decide(
                .answer(.credential(UsernamePassword(username: "a", password: "x"), persistence: .session), to: space))
        }
        let next = WebLoginPolicy.Event.challenge(.init(from: origin, method: .basic, realm: "next"))
        #expect(Self.name(policy.decide(next)) == "refuse")
        for number in 0..<100 { _ = policy.decide(.arrived("https://h\(number).example/")) }
        #expect(policy.shownOrigins.count == 20)
    }

    @Test(arguments: rows) func everyEvent(_ row: Row) throws { try check(row) }

    private func check(_ row: Row) throws {
        func action(_ state: State, isAttended: Bool = true, hasTrial: Bool? = nil) throws -> String {
            var policy = try Self.policy(
                in: state, isAttended: isAttended, hasTrial: hasTrial ?? row.hasTrial, row.view)
            return Self.name(policy.decide(row.event))
        }
        #expect(try action(.start) == row.attended, "\(row)")
        #expect(try action(.start, isAttended: false) == row.alone, "\(row)")
        #expect(try action(.loading) == row.loading, "\(row)")
        #expect(try action(.page) == row.afterPage, "\(row)")
        // A login with a trial has no finish URL, and tries every arrival.
        if !row.name.hasPrefix("the end") { #expect(try action(.trying, hasTrial: true) == row.trying, "\(row)") }
        // Nothing happens after the end.
        #expect(try action(.over) == "refuse", "\(row)")
    }

    @Test func aTrialEndsTheLoginOrNot() throws {
        var policy = try Self.policy(in: .trying, isAttended: true, hasTrial: true)
        #expect(Self.name(policy.decide(.tried(true))) == "finish \(Self.origin)/a")
        #expect(policy.isOver)
        policy = try Self.policy(in: .trying, isAttended: true, hasTrial: true)
        #expect(Self.name(policy.decide(.tried(false))) == "allow")
        #expect(!policy.isOver)
        #expect(Self.name(policy.decide(.tried(true))) == "allow")
    }

    /// Chromium reports an empty 405 as a failure. Its head may have set the cookie that ends the login.
    @Test(arguments: [true, false]) func aFailureDuringATrial(isDone: Bool) throws {
        var policy = try Self.policy(in: .start, isAttended: false, hasTrial: true)
        _ = policy.decide(.navigation(to: "\(Self.origin)/a", .other, isMainFrame: true))
        let response = WebLoginPolicy.Event.response(from: "\(Self.origin)/a", status: 405, isMainFrame: true)
        #expect(Self.name(policy.decide(response)) == "try")
        #expect(Self.name(policy.decide(.failed(.network, detail: "x", isMainFrame: true))) == "allow")
        switch policy.decide(.tried(isDone)) {
        case .finish(let url): #expect(isDone && url == "\(Self.origin)/a")
        case .fail(let error): #expect(!isDone && error.message.hasSuffix("(x): the server answered 405."), "\(error)")
        case let action: Issue.record("\(action)")
        }
    }

    /// A failure is forgotten when the page leads on.
    @Test func aFailureBeforeAnotherPage() throws {
        var policy = try Self.policy(in: .trying, isAttended: false, hasTrial: true)
        _ = policy.decide(.failed(.network, detail: "x", isMainFrame: true))
        _ = policy.decide(.navigation(to: "\(Self.idp)/login", .other, isMainFrame: true))
        #expect(Self.name(policy.decide(.tried(false))) == "allow")
    }

    /// The cookies may have come between the trial and its answer.
    @Test func anArrivalDuringATrialIsTriedAfterIt() throws {
        var policy = try Self.policy(in: .trying, isAttended: true, hasTrial: true)
        let second = WebLoginPolicy.Event.response(from: "\(Self.origin)/b", status: 200, isMainFrame: true)
        #expect(Self.name(policy.decide(second)) == "allow")
        #expect(Self.name(policy.decide(.tried(false))) == "try")
        #expect(Self.name(policy.decide(.tried(true))) == "finish \(Self.origin)/b")
    }

    // MARK: Trials

    private func cookie(_ name: String, _ value: String, domain: String = "sp.example.com", isHostOnly: Bool = true)
        -> Cookie
    {
        Cookie(name: name, value: value, domain: domain, isHostOnly: isHostOnly, isSecure: true)
    }

    @Test func onlyNewCookiesOfTheResourceAreTried() async throws {
        let sent = Sent()
        let origin = try TargetURL(Self.origin).origin
        let trial = WebLoginTrial(at: origin, knowing: [cookie("old", "1")]) { cookies in
            await sent.add(cookies.map(\.name))
            return cookies.contains { $0.name == "session" }
        }
        #expect(try await !trial.attempt([cookie("old", "1")]))
        #expect(try await !trial.attempt([cookie("old", "1"), cookie("session", "x", domain: "evil.example")]))
        #expect(await sent.all.isEmpty)
        #expect(try await !trial.attempt([cookie("old", "2"), cookie("idp", "x", domain: "idp.example.com")]))
        #expect(try await !trial.attempt([cookie("old", "2")]))
        #expect(try await !trial.attempt([cookie("old", "1")]))
        #expect(await sent.all == [["old"]])
        #expect(try await trial.attempt([cookie("old", "2"), cookie("session", "x")]))
        #expect(trial.hasSucceeded)
        #expect(try await trial.attempt([cookie("other", "x")]))
        #expect(await sent.all.count == 2)
    }

    /// A server may keep the session's cookie over the login, so a form that was sent is a reason, too.
    @Test func aFormThatWasSentIsAReason() async throws {
        let sent = Sent()
        let start = try TargetURL("\(Self.origin)/report")
        let trial = WebLoginTrial(at: start.origin) { cookies in
            await sent.add(cookies.map(\.name))
            return await sent.all.count == 2
        }
        let login = WebLogin(.webLogin, start: start, cookieTargets: [start], trial: trial)
        var policy = WebLoginPolicy(login, isAttended: true)
        #expect(try await !trial.attempt([cookie("session", "1")]))
        for kind in WebLoginPolicy.NavigationKind.allCases where kind != .form {
            _ = policy.decide(.navigation(to: "\(Self.origin)/a", kind, isMainFrame: true))
        }
        _ = policy.decide(.navigation(to: "\(Self.origin)/a", .form, isMainFrame: false))
        #expect(try await !trial.attempt([cookie("session", "1")]))
        #expect(await sent.all.count == 1)
        _ = policy.decide(.navigation(to: "\(Self.idp)/login", .form, isMainFrame: true))
        #expect(try await trial.attempt([cookie("session", "1")]))
    }

    /// Tells whether a page is tried, by what it asks for: away from the resource and at it, before and after something
    /// was entered, without and with a new cookie.
    @Test(arguments: [
        (ArrivedPage.Question.nothing, [false, true, true, true], [false, true, true, true]),
        (.decision, [false, false, false, false], [false, true, true, true]),
        (.text(isDemanded: false), [false, false, false, true], [false, true, true, true]),
        (.text(isDemanded: true), [false, false, false, false], [false, true, true, true]),
        (.login, [false, false, false, false], [false, false, false, true]),
    ]) func aPageThatAsksForALoginIsNotTried(
        _ question: ArrivedPage.Question, _ elsewhere: [Bool], _ there: [Bool]
    ) async throws {
        for (path, expected) in [("/login", elsewhere), ("/report/", there)] {
            for (number, isTried) in expected.enumerated() {
                let sent = Sent()
                let trial = WebLoginTrial(
                    of: try TargetURL("\(Self.origin)/report"), knowing: [cookie("session", "1")]
                ) { _, demand in
                    await sent.add([demand ?? ""])
                    return nil
                }
                if number > 1 { trial.noteInput() }
                let cookies = [cookie("session", number.isMultiple(of: 2) ? "1" : "2")]
                let page = try #require(ArrivedPage(at: "\(Self.origin)\(path)?x=1", asking: question))
                _ = try await trial.attempt(cookies, at: page)
                #expect(await sent.all.count == (isTried ? 1 : 0), "\(question) at \(path), \(number)")
                // If the login cannot go on, a trial does no harm, and a redirect to the same page does not end the
                // login.
                _ = try await trial.attempt(cookies, at: page, isStuck: true)
                #expect(await sent.all.count == (number > 0 ? 1 : 0), "\(question) at \(path), \(number)")
                let isQuestion = if case .nothing = question { false } else { path == "/login" }
                if !isTried, number > 0 { #expect(await sent.all == [[isQuestion ? path : ""]]) }
            }
        }
    }

    /// A resource may ask for a password itself, such as a page to change it.
    @Test func aPageAtTheResourceIsTriedIfLoginsAreElsewhere() async throws {
        let trial = WebLoginTrial(of: try TargetURL("\(Self.origin)/report"), isAlwaysRedirected: true) { cookies, _ in
            cookies
        }
        for (path, isTried) in [("/login", false), ("/report", true)] {
            let page = try #require(ArrivedPage(at: Self.origin + path, asking: .login))
            #expect(try await trial.attempt([cookie("session", "1")], at: page) == isTried)
        }
    }

    /// A page that waits for a person elsewhere loads itself again, and is not tried each time.
    @Test func anotherPageIsAReasonAndTheSameOneIsNot() async throws {
        let sent = Sent()
        let trial = WebLoginTrial(of: try TargetURL("\(Self.origin)/report")) { _, _ in
            await sent.add([])
            return nil
        }
        for path in ["/wait", "/wait?x=1", "/wait", "/report", "/report"] {
            let page = try #require(ArrivedPage(at: Self.origin + path, asking: .nothing))
            _ = try await trial.attempt([cookie("session", "1")], at: page)
        }
        #expect(await sent.all.count == 2)
    }

    @Test func pagesThatLeadElsewhereLeaveTries() async throws {
        let sent = Sent()
        let trial = WebLoginTrial(
            of: try TargetURL("\(Self.origin)/report"), knowing: [cookie("session", "1")]
        ) { cookies, _ in
            await sent.add(cookies.map(\.value))
            return nil
        }
        func arrive(_ path: String, _ value: String) async throws {
            let page = try #require(ArrivedPage(at: Self.origin + path, asking: .nothing))
            #expect(try await !trial.attempt([cookie("session", value)], at: page))
        }
        for number in 0..<6 { try await arrive("/\(number)", "1") }
        #expect(await sent.all == Array(repeating: ["1"], count: 3))
        trial.noteInput()
        try await arrive("/report", "2")
        #expect(await sent.all.last == ["2"])
    }

    /// Cookies that the login page had already are not new after a wrong password.
    @Test func cookiesOfTheLastArrivalAreNotNew() async throws {
        let sent = Sent()
        let trial = WebLoginTrial(of: try TargetURL("\(Self.origin)/report")) { cookies, _ in
            await sent.add(cookies.map(\.value))
            return nil
        }
        let page = try #require(ArrivedPage(at: "\(Self.origin)/report", asking: .login))
        for value in ["1", "1", "2"] {
            _ = try await trial.attempt([cookie("session", value)], at: page)
            trial.noteInput()
        }
        #expect(await sent.all == [["2"]])
    }

    /// Only the resource itself, and with something new, as for a trial.
    @Test func aSilentResourceEndsALogin() throws {
        let report = "\(Self.origin)/report?id=1"
        func isEnd(_ url: String, session: String, withInput: Bool = false) throws -> Bool {
            let trial = WebLoginTrial(of: try TargetURL(report), knowing: [cookie("session", "1")]) { _, _ in nil }
            if withInput { trial.noteInput() }
            let isEnd = trial.end(with: [cookie("session", session)], atSilent: try TargetURL(url))
            #expect(trial.hasSucceeded == isEnd && trial.newerCookies.map(\.value) == (isEnd ? [session] : []))
            return isEnd
        }
        #expect(try isEnd(report, session: "2"))
        #expect(try isEnd(report + "#top", session: "1", withInput: true))
        #expect(try !isEnd(report, session: "1"))
        for other in ["\(Self.origin)/report", "\(Self.origin)/login?id=1", "https://other.example/report?id=1"] {
            #expect(try !isEnd(other, session: "2", withInput: true), "\(other)")
        }
        let trial = WebLoginTrial(at: try TargetURL(report).origin) { _ in false }
        #expect(!trial.end(with: [cookie("session", "2")], atSilent: try TargetURL(report)))
    }

    @Test func fiveTriesAreEnough() async throws {
        let sent = Sent()
        let trial = WebLoginTrial(at: try TargetURL(Self.origin).origin) { cookies in
            await sent.add(cookies.map(\.value))
            return false
        }
        for number in 0..<WebLoginTrial.maximumTries {
            #expect(try await !trial.attempt([cookie("a", "\(number)")]))
        }
        let error = await #expect(throws: WebLoginError.self) { try await trial.attempt([cookie("a", "last")]) }
        #expect(error?.code == .challengedAgain)
        #expect(await sent.all.count == 5)
    }

    private actor Sent {
        var all: [[String]] = []
        func add(_ texts: [String]) { all.append(texts) }
    }
}
