import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

@Suite("One-time codes", .timeLimit(.minutes(1)))
struct OTPRedirectFilterTests {
    private func bench(
        _ server: SessionServer = SessionServer(), saml2: (any SAML2ConfigProvider)? = nil,
        otp: any OTPConfigProvider = SessionServer.CodeProvider(),
        schemes: CustomURLSchemeManagement = CustomURLSchemeManagement(), opener: (any ExternalURLOpener)? = nil,
        script: (@Sendable (ScriptedWebLoginStrategy.Opened) async throws -> WebLoginOutcome)? = nil
    ) throws -> WebLoginBench {
        try WebLoginBench(server, saml2: saml2, otp: otp, schemes: schemes, opener: opener, script: script)
    }

    @Test func aRedirectToTheFormLeadsToOneLoginAndTheResource() async throws {
        let bench = try bench()
        bench.session.cookies.insert(Cookie(name: "FIRST", value: "1", domain: "sp.example.com", isHostOnly: true))
        #expect(try await bench.get("/free/otp-x").text == "item /free/otp-x")
        let opened = try #require(bench.web.opened.first)
        #expect(
            opened.login.start.absoluteString
                == SessionServer.base + "/otp?back=/free/otp-x&redirecttooriginalurl=false")
        // The view has the first factor's cookie when the form opens.
        #expect(opened.cookies.map(\.name) == ["FIRST"])
        #expect(bench.transport.requests.map { String($0.target.path) } == ["/free/otp-x", "/free/otp-x"])
        #expect(bench.web.opened.count == 1)
        guard case .webLoginStarted(.otp, _, _)? = bench.observer.logins.first else {
            Issue.record("\(bench.observer.logins)")
            return
        }
        #expect(bench.observer.violations.isEmpty)
    }

    @Test func afterSAML2() async throws {
        let bench = try bench(saml2: SessionServer.Provider())
        #expect(try await bench.get("/otp-x").text == "item /otp-x")
        #expect(bench.web.opened.map(\.login.purpose) == [.saml2, .otp])
        #expect(bench.web.opened.last?.cookies.map(\.name) == ["SESSION"])
    }

    @Test func oneCodeForEverybodyWhateverTheirReturnURL() async throws {
        let (late, crowd, login) = (HeldPath("/free/otp-late"), HeldPath("/free/otp-a"), Gate())
        let server = SessionServer(holding: late, crowd)
        let bench = try bench(server) { opened in
            await login.pass()
            return server.logIn(opened.login)
        }
        let key = try #require(try bench.otpKey())
        let urls = { @Sendable (prefix: String) in (0..<100).map { "\(SessionServer.base)/free/otp-\(prefix)/\($0)" } }
        async let lateOnes = bench.manager.getAll(urls("late"))
        await late.waitForArrivals(100)
        async let others = bench.manager.getAll(urls("a"))
        await crowd.waitForArrivals(100)
        crowd.gate.open()
        await bench.session.steps.waitForWaiters(100, of: key)
        async let newcomers = bench.manager.getAll(urls("new"))
        await bench.session.steps.waitForWaiters(200, of: key)
        login.open()
        #expect(await others.allSatisfy { (try? $0.get().status) == .ok })
        #expect(await newcomers.allSatisfy { (try? $0.get().status) == .ok })
        late.gate.open()
        #expect(await lateOnes.allSatisfy { (try? $0.get().status) == .ok })
        #expect(server.now.logins == 1)
        #expect(server.now.challenges == 200)
    }

    @Test(arguments: [
        ("otp-challenge", true), ("  otp-challenge\t", true), ("OTP-challenge", false), ("otp-challenge2", false),
        ("", false),
    ])
    func theValueHasToBeTheSame(_ value: String, _ expected: Bool) throws {
        let name = try #require(HTTPField.Name("X-SMP-Authentication"))
        let head = HTTPResponse(status: .found, headerFields: [name: value])
        #expect(OTPConfig.sap.isChallenge(head) == expected)
        #expect(!OTPConfig.sap.isChallenge(HTTPResponse(status: .found)))
    }

    @Test(arguments: [
        ("https://h/otp", "a=b", "https://h/otp?a=b"), ("https://h/otp?", "a=b", "https://h/otp?a=b"),
        ("https://h/otp?x=1", "a=b", "https://h/otp?x=1&a=b"), ("https://h/otp?x=1&", "&a=b", "https://h/otp?x=1&a=b"),
        ("https://h/otp#top", "?a=b", "https://h/otp?a=b#top"), ("https://h", "a=b", "https://h/?a=b"),
        ("https://h/otp?x", "", "https://h/otp?x"), ("http://localhost/otp", "a=b", "http://localhost/otp?a=b"),
    ])
    func additionalParameters(_ location: String, _ parameters: String, _ expected: String) throws {
        let config = try OTPConfig(
            headerName: "a", headerValue: "b", additionalParameters: parameters, finishParameters: ["x=y"])
        #expect(try config.form(at: TargetURL(location)).absoluteString == expected)
    }

    @Test func aFormInTheClearIsRefused() async throws {
        #expect {
            try OTPConfig.sap.form(at: TargetURL("http://form.example.com/otp"))
        } throws: { ($0 as? WebLoginError)?.code == .insecurePage }
    }

    @Test(arguments: [
        ("https://sp.example.com/done?finished=true", true), ("https://form.example.com/?a=b&finished=%74rue", true),
        ("https://sp.example.com/done?finished=false", false), ("https://sp.example.com/done?x=finished=true", false),
        ("https://sp.example.com/done#?finished=true", false), ("https://evil.example/done?finished=true", false),
        ("http://sp.example.com/done?finished=true", false), ("https://sp.example.com/done", false),
    ])
    func theEndIsOnExpectedOriginsOnly(_ url: String, _ expected: Bool) throws {
        let origins = Set(
            try ["https://sp.example.com", "https://form.example.com"].map { try TargetURL($0).origin })
        #expect(OTPConfig.sap.isFinish(url, on: origins) == expected)
    }

    @Test func allFinishParametersCount() throws {
        let config = try OTPConfig(headerName: "a", headerValue: "b", finishParameters: ["done=1", "ok"])
        let origins = Set([try TargetURL("https://h/").origin])
        #expect(config.isFinish("https://h/?ok&x=1&done=1", on: origins))
        #expect(!config.isFinish("https://h/?done=1", on: origins))
        #expect(!config.isFinish("https://h/?ok", on: origins))
    }

    /// A redirect from the caller's server to another one does not let that one show a form for codes.
    @Test func anotherServerShowsNoForm() async throws {
        let mark = try #require(HTTPField.Name("x-smp-authentication"))
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            switch request.target.origin.host {
            case "sp.example.com": .init(.found, [.location: "https://evil.example/a"])
            case "evil.example": .init(.found, [.location: "https://evil.example.net/phish", mark: "otp-challenge"])
            default: .init(.ok, body: "followed")
            }
        }
        let web = ScriptedWebLoginStrategy { _ in throw WebLoginError(.cancelled, "closed") }
        var configurator = CommonAuthenticationConfigurator()
        configurator.webStrategies = WebStrategies(default: web)
        configurator.add(otp: SessionServer.CodeProvider())
        let manager = HttpConversationManager(transport: transport, configurator)
        #expect(try await manager.get(SessionServer.base + "/free").text == "followed")
        #expect(web.opened.isEmpty)
        #expect(transport.requests.count == 3)
    }

    @Test func nobodyIsAskedForABodyThatIsGone() async throws {
        let bench = try bench()
        let body = AsyncStream([UInt8].self) {
            $0.yield([1]); $0.finish()
        }
        let request = try HTTPRequest(.post, SessionServer.base + "/free/otp-x")
        await #expect {
            _ = try await bench.manager.data(for: request, body: .oneShot(RequestBodyStream(body)))
        } throws: { ($0 as? ConversationError)?.code == .bodyNotReplayable }
        #expect(bench.web.opened.isEmpty && bench.server.now.challenges == 1)
        #expect(try await bench.manager.data(for: request, body: .text("whole")).status == .ok)
        #expect(bench.transport.bodies.suffix(2).map { String(decoding: $0, as: UTF8.self) } == ["whole", "whole"])
    }

    @Test func aSecondChallengeIsAnErrorAndNoLoop() async throws {
        let bench = try bench { _ in WebLoginOutcome(url: SessionServer.base + "/?finished=true", cookies: []) }
        #expect(await bench.failure("/free/otp-x")?.webLoginCode == .challengedAgain)
        #expect(bench.web.opened.count == 1)
        #expect(bench.server.now.challenges == 2)
    }

    // MARK: The authenticator

    private struct Opener: ExternalURLOpener {
        let opened = Box<[String]>([])
        func open(_ url: URL) async throws { opened.update { $0.append(url.absoluteString) } }
    }

    @Test func theAuthenticatorsCallBackBringsTheCode() async throws {
        let schemes = CustomURLSchemeManagement(schemes: ["com.example.app.xcallbackurl", "com.example.app"])
        let server = SessionServer()
        let codes = Box<[String]>([])
        let bench = try bench(server, schemes: schemes, opener: Opener()) { opened in
            let authenticator = try #require(opened.login.authenticator)
            let page = opened.login.start
            #expect(
                try await authenticator.open(
                    "sapauthenticator://x?x-success=com.example.app.xcallbackurl://x", from: page))
            for url in [
                "com.example.app:/?passcode=1", "com.other.xcallbackurl://x?passcode=2",
                "com.example.app.xcallbackurl://x?other=3", "com.example.app.xcallbackurl://x?passcode=",
                "com.example.app.xcallbackurl://y?passcode=4",
            ] {
                #expect(schemes.handleOpenURL(try #require(URL(string: url))) != .delivered)
            }
            let url = try #require(URL(string: "com.example.app.xCallbackURL://x?a=b&passcode=12%33456"))
            #expect(schemes.handleOpenURL(url) == .delivered)
            #expect(schemes.handleOpenURL(url) == .nobodyWaiting, "one code for each opening")
            let code = try await authenticator.passcode(for: page)
            codes.update { $0.append(code.value) }
            return server.logIn(opened.login)
        }
        _ = try await bench.get("/free/otp-x")
        #expect(codes.value == ["123456"])
        // After the form there is no waiter any more.
        let url = try #require(URL(string: "com.example.app.xcallbackurl://x?passcode=1"))
        #expect(schemes.handleOpenURL(url) == .nobodyWaiting)
    }

    /// A code goes only to the page whose link was opened, even if other pages are shown meanwhile.
    @Test func aCodeGoesToTheFormThatLedToIt() async throws {
        let schemes = CustomURLSchemeManagement()
        let server = SessionServer()
        let callback = try #require(URL(string: "com.example.app.xcallbackurl://x?passcode=123456"))
        let bench = try bench(server, schemes: schemes, opener: Opener()) { opened in
            let authenticator = try #require(opened.login.authenticator)
            let page = opened.login.start
            #expect(schemes.handleOpenURL(callback) == .nobodyWaiting, "nobody has opened the application")
            let elsewhere = try TargetURL("https://evil.example/otp")
            #expect(try await !authenticator.open("sapauthenticator://x", from: elsewhere))
            #expect(schemes.handleOpenURL(callback) == .nobodyWaiting, "nor has this")
            let other = Task { try await authenticator.passcode(for: try page.with(path: "/other")) }
            let right = Task { try await authenticator.passcode(for: try page.appending(query: "")) }
            #expect(try await authenticator.open("sapauthenticator://x", from: page))
            #expect(schemes.handleOpenURL(callback) == .delivered)
            #expect(try await right.value.value == "123456")
            other.cancel()
            await #expect(throws: CancellationError.self) { try await other.value }
            return server.logIn(opened.login)
        }
        _ = try await bench.get("/free/otp-x")
    }

    @Test func onlyLinksToTheAuthenticatorAreOpened() async throws {
        let opener = Opener()
        let server = SessionServer()
        let bench = try bench(server, opener: opener) { opened in
            let authenticator = try #require(opened.login.authenticator)
            for link in [
                "https://evil.example/", "file:///etc/passwd", "javascript:alert(1)", "tel:1", "sapauth:x", "",
            ] {
                #expect(try await !authenticator.open(link, from: opened.login.start))
            }
            let link = "SAPauthenticator://x-callback-url/getpasscode?account=a"
            #expect(try await authenticator.open(link, from: opened.login.start))
            return server.logIn(opened.login)
        }
        _ = try await bench.get("/free/otp-x")
        #expect(opener.opened.value == ["SAPauthenticator://x-callback-url/getpasscode?account=a"])
    }
}
