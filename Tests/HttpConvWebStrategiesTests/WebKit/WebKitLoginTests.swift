import Foundation
import HTTPTypes
import HttpC
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConvWebStrategies

/// Logins in WebKit, by the call-backs that its engine makes.
@Suite(.timeLimit(.minutes(1))) @MainActor struct WebKitLoginTests {
    private nonisolated static let sp = "https://sp.example.com"
    private nonisolated static let idp = "https://idp.example.com"

    private func login(
        _ path: String, _ purpose: WebLogin.Purpose = .saml2, at server: String = sp,
        until finish: @escaping @Sendable (String) -> Bool
    ) throws -> WebLogin {
        let start = try TargetURL("\(server)/\(path)")
        return WebLogin(
            purpose, start: start, cookieTargets: [try TargetURL(Self.sp)], returnsCookies: true, isFinish: finish)
    }

    /// The result of a login whose view makes these call-backs, and the replies.
    private func run(
        _ login: WebLogin, _ events: [WebKitEvent], in context: ConversationContext? = nil, _ view: RecordedView? = nil
    ) async throws -> (Result<WebLoginOutcome, any Error>, [String]) {
        let view = view ?? RecordedView()
        let state = try WebKitLogin(login, in: try context ?? .testing("\(Self.sp)/"), view: view)
        let running = Task { try await state.run() }
        for await _ in view.isShown {}
        var replies: [String] = []
        for event in events {
            if case .navigationResponse(let url, let status, let isMain, let canShow) = event {
                let reply = await state.receiveResponse(url: url, status: status, isMainFrame: isMain, canShow: canShow)
                replies.append("\(reply)")
            } else {
                replies.append("\(state.receive(event))")
            }
        }
        let hasEnded = replies.contains("cancel") && state.isOver
        if !hasEnded { running.cancel() }
        let result = await running.result
        #expect(view.isRemoved)
        return (result, replies)
    }

    /// SAML2 by three bindings and OAuth2 by three kinds of redirect URI: the login ends before the URL is loaded.
    @Test(arguments: [
        ("post/start", "https://sp.example.com/post/done", sp),
        ("redirect/start", "https://sp.example.com/redirect/done", sp),
        ("artifact/start", "https://sp.example.com/artifact/done", sp),
        ("certificate/start", "https://sp.example.com/certificate/done", sp),
        ("oauth/scheme", "com.example.app:/callback?code=1&state=2", idp),
        ("oauth/web", "https://sp.example.com/callback?code=1&state=2", idp),
        ("oauth/loopback", "http://127.0.0.1:49152/callback?code=1&state=2", idp),
        ("otp/form", "https://idp.example.com/otp/form?finished=true", idp),
    ]) func aLoginEnds(_ path: String, at end: String, from server: String) async throws {
        let events = try Recording.events(of: path)
        let (result, replies) = try await run(try login(path, at: server) { $0 == end }, events)
        #expect(try result.get().finish.value == end)
        let last = try #require(replies.firstIndex(of: "cancel"))
        guard case .navigationAction(let url, _, _, .main, _) = events[last] else {
            Issue.record("\(path) ended with \(events[last])")
            return
        }
        #expect(url == end)
        #expect(replies[..<last].allSatisfy { $0 == "allow" })
        #expect(replies[last...].allSatisfy { $0 == "cancel" }, "nothing happens after the end")
    }

    /// Everything else that pages do, by the engine's own call-backs.
    @Test(arguments: [
        ("blank", ["loadInPlace", "loadInPlace"]), ("opened", ["loadInPlace"]), ("blankform", ["cancel", "cancel"]),
        ("file", ["cancel"]), ("nothing", []), ("telephone", ["cancel"]), ("framed", []), ("dialogs", []),
        ("replaced", []), ("saved", []), ("close", ["loadInPlace"]),
        // A call in a frame, and another application. A page in a URL is refused by the view itself.
        ("hostile", ["cancel", "cancel"]),
    ]) func aLoginGoesOn(_ path: String, _ expected: [String]) async throws {
        let (result, replies) = try await run(
            try login(path, at: Self.idp) { _ in false }, try Recording.events(of: path))
        #expect(replies.filter { $0 != "allow" } == expected, "\(path)")
        #expect(throws: CancellationError.self) { try result.get() }
    }

    /// The engine leaves the user name out of the action, and has it in the response.
    @Test(arguments: [
        ("userinfo", WebLoginError.Code.pageFailed), ("refused", .pageFailed), ("crash", .browserFailed),
    ]) func aLoginFails(_ path: String, _ code: WebLoginError.Code) async throws {
        let (result, replies) = try await run(
            try login(path, at: Self.idp) { _ in false }, try Recording.events(of: path))
        let error = #expect(throws: WebLoginError.self) { try result.get() }
        #expect(error?.code == code, "\(path)")
        #expect(replies.last == "cancel")
        #expect(!"\(String(describing: error))".contains("secret"))
    }

    @Test func thePersonClosesTheView() async throws {
        let (result, _) = try await run(
            try login("a") { _ in false }, [.committed(url: "\(Self.idp)/"), .closed])
        let error = #expect(throws: WebLoginError.self) { try result.get() }
        #expect(error?.code == .cancelled)
    }

    @Test func thePersonClosesARecordedView() async throws {
        let (result, _) = try await run(
            try login("cancelled", at: Self.idp) { _ in false }, try Recording.events(of: "cancelled"))
        #expect(throws: WebLoginError.self) { try result.get() }
    }

    /// No page gets from https to plain http on another machine.
    @Test func plainHTTPEndsTheLogin() async throws {
        let action = { (url: String) in
            WebKitEvent.navigationAction(url: url, method: "GET", type: -1, frame: .main, isDownload: false)
        }
        let (result, replies) = try await run(
            try login("a") { _ in false }, [action("\(Self.sp)/a"), .started, action("http://idp.example.com/")])
        #expect(replies == ["allow", "allow", "cancel"])
        #expect(throws: WebLoginError.self) { try result.get() }
    }

    @Test(arguments: [
        ("NSURLErrorDomain", -999, WebLoginPolicy.Failure.nothingToShow), ("WebKitErrorDomain", 102, .nothingToShow),
        ("WebKitErrorDomain", 101, .nothingToShow), ("NSURLErrorDomain", -1202, .certificate),
        ("NSURLErrorDomain", -1206, .clientCertificate), ("NSURLErrorDomain", -1205, .clientCertificate),
        ("kCFErrorDomainCFNetwork", 310, .proxy), ("NSURLErrorDomain", -1004, .network), ("Other", -999, .network),
    ]) func failures(_ domain: String, _ code: Int, _ failure: WebLoginPolicy.Failure) {
        #expect(WebLoginPolicy.Failure(domain: domain, code: code) == failure)
    }

    // MARK: Ends without a certain URL

    @Test func aTrialEndsTheLogin() async throws {
        let tried = Mutex(0)
        let start = try TargetURL("\(Self.sp)/app")
        let trial = WebLoginTrial(at: start.origin) { _ in
            tried.withLock {
                $0 += 1; return $0 == 2
            }
        }
        let login = WebLogin(.webLogin, start: start, cookieTargets: [start], trial: trial)
        let view = RecordedView()
        let state = try WebKitLogin(login, in: try .testing("\(Self.sp)/app"), view: view)
        let running = Task { try await state.run() }
        for await _ in view.isShown {}
        func arrive(_ value: String, canShow: Bool = true) async -> String {
            view.stored = [
                Cookie(name: "session", value: value, domain: "sp.example.com", isHostOnly: true, isSecure: true)
            ]
            return
                "\(await state.receiveResponse(url: "\(Self.sp)/app", status: 200, isMainFrame: true, canShow: canShow))"
        }
        // The page is looked at before the trial.
        view.answers = [#"{"isLoading": true, "forms": []}"#, #"{"isLoading": false, "forms": []}"#]
        #expect(await arrive("1") == "allow")
        #expect(tried.withLock { $0 } == 0)
        #expect("\(state.receive(.committed(url: "\(Self.sp)/app")))" == "allow")
        while tried.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await arrive("2", canShow: false) == "cancel")
        #expect(try await running.value.finish.value == "\(Self.sp)/app")
        #expect(tried.withLock { $0 } == 2)
    }

    /// No page of such a response arrives.
    @Test(arguments: [204, 205]) func aResponseWithoutAPageIsTriedAtOnce(status: Int) async throws {
        let tried = Mutex(0)
        let start = try TargetURL("\(Self.sp)/app")
        let trial = WebLoginTrial(at: start.origin) { _ in
            tried.withLock {
                $0 += 1; return $0 == 2
            }
        }
        let login = WebLogin(.webLogin, start: start, cookieTargets: [start], trial: trial)
        let view = RecordedView()
        view.stored = [Cookie(name: "session", value: "1", domain: "sp.example.com", isHostOnly: true, isSecure: true)]
        view.answers = [#"{"isLoading": false, "forms": []}"#]
        let state = try WebKitLogin(login, in: try .testing("\(Self.sp)/app"), view: view)
        let running = Task { try await state.run() }
        for await _ in view.isShown {}
        _ = await state.receiveResponse(url: "\(Self.sp)/app", status: 200, isMainFrame: true, canShow: true)
        _ = state.receive(.committed(url: "\(Self.sp)/app"))
        while tried.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        let reply = await state.receiveResponse(
            url: "\(Self.sp)/empty", status: status, isMainFrame: true, canShow: true)
        #expect("\(reply)" == "allow")
        #expect(try await running.value.finish.value == "\(Self.sp)/empty")
    }

    /// A login page is not tried; the form that the person sends there is a reason to try the next page.
    @Test func aLoginPageIsNotTried() async throws {
        let tried = Mutex(0)
        let start = try TargetURL("\(Self.sp)/app")
        let trial = WebLoginTrial(at: start.origin) { _ in
            tried.withLock { $0 += 1 }
            return true
        }
        let login = WebLogin(.webLogin, start: start, cookieTargets: [start], trial: trial)
        let view = RecordedView()
        view.stored = [Cookie(name: "session", value: "1", domain: "sp.example.com", isHostOnly: true, isSecure: true)]
        let state = try WebKitLogin(login, in: try .testing("\(Self.sp)/app"), view: view)
        let running = Task { try await state.run() }
        for await _ in view.isShown {}
        func arrive(_ page: String) async {
            view.answers = [page]
            let reply = await state.receiveResponse(
                url: "\(Self.sp)/app", status: 200, isMainFrame: true, canShow: true)
            #expect("\(reply)" == "allow")
            _ = state.receive(.committed(url: "\(Self.sp)/app"))
            for await _ in view.called { break }
        }
        let field = #"{"name": "p", "password": true}"#
        await arrive(#"{"isLoading": false, "forms": [{"post": true, "fields": [\#(field)], "buttons": []}]}"#)
        _ = state.receive(
            .navigationAction(url: "\(Self.sp)/app", method: "POST", type: 1, frame: .main, isDownload: false))
        await arrive(#"{"isLoading": false, "forms": []}"#)
        #expect(try await running.value.finish.value == "\(Self.sp)/app")
        #expect(tried.withLock { $0 } == 1)
    }

    // MARK: Challenges

    private struct Passwords: UsernamePasswordProvider {
        let asks: @Sendable (ConversationContext) async throws -> Void
        func serves(_ destination: CredentialDestination) -> Bool {
            destination.target.origin.host == "idp.example.com"
        }
        func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
            try await asks(challenge.context)
            return .credential(UsernamePassword(username: "alice", password: "secret"), persistence: .session)
        }
    }

    private func challenge(
        _ method: WebKitChallenge.Method, _ host: String = "idp.example.com", port: Int = 443, isProxy: Bool = false,
        failures: Int = 0
    ) -> WebKitChallenge {
        WebKitChallenge(
            method: method, host: host, port: port, scheme: "https", realm: "here", isProxy: isProxy,
            previousFailures: failures)
    }

    /// The answers to challenges of a login whose page is the identity provider's, and the login's end: by itself, or
    /// because the test cancels it.
    private func answers(
        _ configurator: CommonAuthenticationConfigurator, _ challenges: [WebKitChallenge], endsByItself: Bool = false,
        _ change: (inout HttpConversationManager.Configuration) -> Void = { _ in }
    ) async throws -> ([String], Result<WebLoginOutcome, any Error>) {
        var configuration = HttpConversationManager.Configuration(applying: [configurator])
        change(&configuration)
        let context = try ConversationContext.testing("\(Self.sp)/", configuration: configuration)
        let view = RecordedView()
        let state = try WebKitLogin(try login("a") { _ in false }, in: context, view: view)
        let running = Task { try await context.interact { try await state.run() } }
        for await _ in view.isShown {}
        _ = state.receive(
            .navigationAction(url: "\(Self.idp)/", method: "GET", type: -1, frame: .main, isDownload: false))
        var found: [String] = []
        for challenge in challenges {
            let words =
                switch await state.answer(challenge) {
                case .password(let login): "password of \(login.username)"
                case .identity(let identity): "\(identity)"
                case let other: "\(other)"
                }
            found.append(words)
        }
        if !endsByItself { running.cancel() }
        return (found, await running.result)
    }

    /// A provider may use the screen that the login has.
    @Test func aProviderAnswersBasicAndDigest() async throws {
        var configurator = CommonAuthenticationConfigurator()
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.add(Passwords { try await $0.interact {} })
        let other = challenge(.basic, "evil.example")
        let (found, _) = try await answers(
            configurator,
            [
                challenge(.basic), challenge(.basic), challenge(.basic, failures: 1), challenge(.basic),
                challenge(.digest), other, challenge(.other),
                challenge(.basic, "proxy.example.com", port: 3128, isProxy: true),
            ])
        let password = "password of alice"
        #expect(
            found == [password, password, "rejected", "rejected", password, "rejected", "rejected", "rejected"],
            "a refused password is not sent again, and goes to no other server")
    }

    @Test func aProviderFails() async throws {
        struct Failure: Error {}
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(Passwords { _ in throw Failure() })
        let (found, result) = try await answers(configurator, [challenge(.basic)], endsByItself: true)
        #expect(found == ["cancelled"])
        #expect(throws: ConversationError.self) { try result.get() }
    }

    /// Has a certificate for one server, or for all.
    private struct Certificates: ClientCertProvider {
        var host: String?
        let identity = ClientIdentity(
            certificates: [[1]], privateKey: .der([1]),
            summary: CertificateSummary(
                subject: "CN=alice", issuer: "CN=ca", names: [], notBefore: .distantPast, notAfter: .distantFuture,
                fingerprint: [1], publicKeyFingerprint: [2]))

        func serves(_ destination: CredentialDestination) -> Bool {
            host.map { $0 == destination.target.origin.host } ?? true
        }

        func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity { .identity(identity) }
    }

    @Test func aCertificateIsForThePagesServer() async throws {
        let certificates = Certificates()
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(clientCertificate: certificates)
        let (found, _) = try await answers(
            configurator,
            [
                challenge(.clientCertificate), challenge(.clientCertificate, "evil.example"),
                challenge(.clientCertificate, isProxy: true),
            ])
        #expect(found == ["\(certificates.identity)", "noIdentity", "noIdentity"])
        let (without, _) = try await answers(CommonAuthenticationConfigurator(), [challenge(.clientCertificate)])
        #expect(without == ["noIdentity"])
    }

    /// A login whose identity provider asks for a certificate in its handshake, as the engine reports it: the request
    /// comes after a redirect to that server, and before its page.
    @Test func aCertificateInsideTheLogin() async throws {
        let (before, challenge) = try Recording.certificateRequest(of: "certificate/start")
        let certificates = Certificates(host: "idp.example.com")
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(clientCertificate: certificates)
        let context = try ConversationContext.testing(
            "\(Self.sp)/", configuration: HttpConversationManager.Configuration(applying: [configurator]))
        let view = RecordedView()
        let state = try WebKitLogin(try login("certificate/start") { _ in false }, in: context, view: view)
        let running = Task { try await context.interact { try await state.run() } }
        for await _ in view.isShown {}
        for event in before { #expect("\(state.receive(event))" == "allow") }
        guard case .identity(let shown) = await state.answer(challenge) else {
            Issue.record("no certificate")
            return
        }
        #expect(shown == certificates.identity)
        running.cancel()
        _ = await running.result
    }

    /// A key that the system cannot use, such as one on a card that was removed.
    @Test func aCertificateThatCannotBeUsedEndsTheLogin() async throws {
        let view = RecordedView()
        let state = try WebKitLogin(try login("a") { _ in false }, in: try .testing("\(Self.sp)/"), view: view)
        let running = Task { try await state.run() }
        for await _ in view.isShown {}
        #expect(state.made { () throws(ConversationError) in 1 } == 1)
        let made: Int? = state.made { () throws(ConversationError) in
            throw ConversationError(.clientCertificateUnusable, "The card is gone.")
        }
        #expect(made == nil)
        let error = await #expect(throws: WebLoginError.self) { try await running.value }
        #expect(error?.message.contains("The card is gone.") == true && view.isRemoved)
    }

    /// The conversation's filters judge the servers that the view meets.
    @Test func filtersJudgeServers() async throws {
        let summary = CertificateSummary(
            subject: "CN=idp", issuer: "CN=ca", names: [], notBefore: .distantPast, notAfter: .distantFuture,
            fingerprint: [1], publicKeyFingerprint: [UInt8](repeating: 7, count: 32))
        func judged(_ problems: Set<ServerTrust.Problem>, _ host: String = "idp.example.com") -> WebKitChallenge {
            var challenge = challenge(.serverTrust, host)
            challenge.judge = { _ in ServerTrust(certificates: [[1]], summary: summary, problems: problems) }
            return challenge
        }
        let nobody = try await answers(CommonAuthenticationConfigurator(), [judged([])])
        #expect(nobody.0 == ["byDefault"], "the system judges")
        let pinned = try await answers(
            CommonAuthenticationConfigurator(), [judged([]), judged([.expired])], endsByItself: true
        ) { $0.challengeFilters.add(JudgingFilter()) }
        #expect(pinned.0 == ["trusted", "cancelled"])
        let error = #expect(throws: WebLoginError.self) { try pinned.1.get() }
        #expect(error?.message.contains("has expired") == true)
        let elsewhere = try await answers(CommonAuthenticationConfigurator(), [judged([.expired], "evil.example")]) {
            $0.challengeFilters.add(JudgingFilter())
        }
        #expect(elsewhere.0 == ["cancelled"])
        #expect(throws: CancellationError.self) { try elsewhere.1.get() }
    }

    // MARK: The authenticator

    private struct Opener: ExternalURLOpener {
        let opens: @Sendable (URL) throws -> Void
        func open(_ url: URL) async throws { try opens(url) }
    }

    /// A login at a form with a link to the authenticator, and what happens to it.
    private func authenticated(
        _ schemes: CustomURLSchemeManagement, _ opener: Opener, answers: [String],
        _ body: @MainActor (WebKitLogin, RecordedView) async throws -> Void
    ) async throws {
        let target = try TargetURL("\(Self.idp)/otp/link")
        let callbacks = PasscodeCallbacks(parameter: "passcode")
        schemes.addHandler(callbacks)
        let login = WebLogin(
            .otp, start: target, cookieTargets: [target], returnsCookies: true,
            authenticator: CodeAuthenticator(origin: target.origin, callbacks: callbacks, opener: opener)
        ) { $0.hasSuffix("finished=true") }
        let view = RecordedView()
        view.answers = answers
        let state = try WebKitLogin(login, in: try .testing("\(Self.idp)/"), view: view)
        let running = Task { try await state.run() }
        for await _ in view.isShown {}
        let replies = try Recording.events(of: "otp/link").map { "\(state.receive($0))" }
        #expect(replies.filter { $0 != "allow" } == ["cancel"])
        try await body(state, view)
        let end = WebKitEvent.navigationAction(
            url: "\(Self.idp)/otp/form?finished=true", method: "GET", type: 1, frame: .main, isDownload: false)
        _ = state.receive(end)
        #expect(try await running.value.finish.value == "\(Self.idp)/otp/form?finished=true")
    }

    private static func form(_ buttons: [String]) -> String {
        """
        {"url": "\(idp)/otp/link", "origin": "\(idp)", "forms": [
          {"index": 0, "action": "https://evil.example/", "fields": [{"name": "code", "value": ""}], "buttons": []},
          {"index": 1, "action": "\(idp)/otp/check", "fields": [{"name": "passcode", "value": ""}],
            "buttons": [\(buttons.joined(separator: ","))]}]}
        """
    }

    private nonisolated static func button(
        _ label: String, sends: Bool = true, at path: String = "/otp/check"
    ) -> String {
        #"{"label": "\#(label)", "sends": \#(sends), "action": "\#(idp)\#(path)"}"#
    }

    /// The buttons of a form, and the number of the one to press. The first one may end the login.
    private nonisolated static let buttons: [([String], Int)] = [
        ([], -1), ([button("Check")], 0), ([button("Show", sends: false)], -1),
        ([button("Cancel", at: "/cancel"), button("Check")], 1),
        ([button("Resend"), button("Log in"), button("Show", sends: false)], 1),
    ]

    @Test(arguments: buttons)
    func theAuthenticatorsCodeGoesIntoTheForm(buttons: [String], pressed: Int) async throws {
        let schemes = CustomURLSchemeManagement()
        let (opened, opening) = AsyncStream<URL>.makeStream()
        try await authenticated(schemes, Opener { opening.yield($0) }, answers: [Self.form(buttons), "true"]) {
            _, view in
            var links = opened.makeAsyncIterator()
            #expect(await links.next()?.scheme == "sapauthenticator")
            let url = try #require(URL(string: "app.xcallbackurl://cb?passcode=123456"))
            #expect(schemes.handleOpenURL(url) == .delivered)
            var calls = view.called.makeAsyncIterator()
            #expect(await calls.next() == "[]")
            #expect(
                await calls.next() == #"["https:\/\/idp.example.com",1,{"passcode":"123456"},\#(pressed)]"#,
                "not into the form that goes to another server")
        }
    }

    /// A person without the application enters the code: the link does not end the login.
    @Test func theAuthenticatorIsMissing() async throws {
        struct Missing: Error {}
        let (tried, trying) = AsyncStream<Void>.makeStream()
        let opener = Opener { _ in
            trying.finish()
            throw Missing()
        }
        try await authenticated(CustomURLSchemeManagement(), opener, answers: []) { state, _ in
            for await _ in tried {}
            #expect(!state.isOver)
        }
    }

    // MARK: Dialogs and places

    @Test func dialogsBeginWithTheServer() throws {
        let server = try TargetURL("https://evil.example/").origin
        let dialog = LoginPageDialog(.prompt, from: server, message: "your\u{1b}[2J password?", suggestion: "x")
        #expect(dialog.title == "https://evil.example asks")
        #expect(!dialog.message.contains("\u{1b}"))
        #expect(LoginPageDialog(.alert, from: nil, message: "").title == "A page without a server says")
        #expect(LoginPagePlace(url: "https://idp.example.com/x?y", title: "t").server == "idp.example.com")
        #expect(LoginPagePlace(url: "http://idp.example.com/", title: "t").server == "http://idp.example.com")
        #expect(LoginPagePlace(url: "about:blank", title: "t").server == "")
    }
}
