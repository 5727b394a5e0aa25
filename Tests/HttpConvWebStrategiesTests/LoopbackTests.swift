import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import HttpConvWebStrategies

@Suite("Loopback listener for logins", .timeLimit(.minutes(1)))
struct LoopbackTests {
    /// A browser that runs the test's closure with the login's URL.
    private struct Browser: ExternalURLOpener {
        let visit: @Sendable (Login) async throws -> Void
        func open(_ url: URL) async throws { try await visit(Login(url)) }
    }

    /// The parts of the URL that a browser is opened with.
    struct Login: Sendable {
        let url: URL
        let redirect: URL
        let state: String

        init(_ url: URL) throws {
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            let value = { (name: String) in items.first { $0.name == name }?.value }
            self.url = url
            let back = try #require(value("redirect_uri"))
            redirect = try #require(URL(string: back))
            state = try #require(value("state"))
        }

        var port: Int { redirect.port ?? 0 }
        var host: String { redirect.host() ?? "" }
        var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

        /// Sends a hand-written request to the listener.
        func ask(
            _ target: String, method: String = "GET", host: String? = nil, at address: String? = nil
        ) async throws -> String {
            try await RawClient.exchange(
                address ?? self.host, port,
                "\(method) \(target) HTTP/1.1\r\nHost: \(host ?? authority)\r\nContent-Length: 0\r\n\r\n")
        }

        func finish() async throws -> String { try await ask("/callback?code=c0de&state=\(state)") }
    }

    /// A server that requires a token, and a token endpoint that gives one for the right code.
    private func run(
        redirect: String = "http://127.0.0.1:0/callback", authorization: String = "https://auth.example.com/authorize",
        _ visit: @escaping @Sendable (Login) async throws -> Void
    ) async throws -> (response: ConversationResponse, forms: [String]) {
        let transport = ScriptedTransport { request, _ in
            if request.target.path == "/token" {
                return .init(.ok, body: #"{"access_token":"good","token_type":"Bearer"}"#)
            }
            guard request.headerFields[.authorization] == "Bearer good" else {
                return .init(.unauthorized, [.wwwAuthenticate: "Bearer"])
            }
            return .init(.ok, body: "in")
        }
        var configurator = CommonAuthenticationConfigurator()
        configurator.webStrategies = WebStrategies()
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.webStrategies.defaultOAuth2Strategy = LoopbackOAuth2Strategy(opener: Browser(visit: visit))
        configurator.add(
            oauth2: try ConfiguredOAuth2ServerSupport(
                name: "x", tokenOrigins: [try Origin(scheme: .https, host: "api.example.com")],
                configuration: try OAuth2Configuration(
                    clientID: "c", tokenEndpoint: "https://auth.example.com/token",
                    grant: .authorizationCode(
                        AuthorizationCodeGrant(authorizationEndpoint: authorization, redirectURI: redirect)))))
        let manager = HttpConversationManager(transport: transport, configurator)
        let response = try await manager.data(for: HTTPRequest(.get, "https://api.example.com/"))
        return (response, transport.bodies.map { String(decoding: $0, as: UTF8.self) })
    }

    @Test(arguments: ["http://127.0.0.1:0/callback", "http://localhost:0/callback"])
    func aLoginComesBack(redirect: String) async throws {
        let page = Mutex("")
        let (response, forms) = try await run(redirect: redirect) { login in
            #expect(login.port > 0)
            let text = try await login.ask(
                "/callback?session_state=<b>&code=c0de&state=\(login.state)", at: "127.0.0.1")
            page.withLock { $0 = text }
        }
        #expect(response.text == "in")
        let form = try #require(forms.first)
        #expect(form.contains("code=c0de"))
        let text = page.withLock { $0 }
        #expect(text.hasPrefix("HTTP/1.1 200"))
        #expect(text.lowercased().contains("cache-control: no-store"))
        for secret in ["c0de", "session_state", "<b>"] { #expect(!text.contains(secret)) }
    }

    /// On the literal `[::1]` the listener does not listen on IPv4.
    @Test func theIPv6LiteralIsListenedOnAlone() async throws {
        let (response, _) = try await run(redirect: "http://[::1]:0/callback") { login in
            await #expect(throws: (any Error).self) { try await login.ask("/callback", at: "127.0.0.1") }
            let text = try await login.ask("/callback?code=c0de&state=\(login.state)", at: "::1")
            #expect(text.hasPrefix("HTTP/1.1 200"))
        }
        #expect(response.text == "in")
    }

    /// The listener answers every other request with 404, and goes on waiting.
    @Test func whatIsNotTheAnswerIsNotFound() async throws {
        let (response, forms) = try await run { login in
            let state = login.state
            let callback = "/callback?code=evil&state=\(state)"
            for answer in [
                try await login.ask("/favicon.ico"), try await login.ask("/callback?code=evil"),
                try await login.ask("/callback?code=evil&state=wrong"),
                try await login.ask("/?code=evil&state=\(state)"),
                try await login.ask("/callback/?code=evil&state=\(state)"),
                try await login.ask(callback, method: "POST"),
                try await login.ask(callback, method: "HEAD"), try await login.ask(callback, host: "evil.example"),
                try await login.ask(callback, host: "127.0.0.1"),
                try await login.ask(callback, host: "localhost:\(login.port)"),
                try await login.ask("/callback?code=evil&state=\(state)&state=\(state)"),
            ] { #expect(answer.hasPrefix("HTTP/1.1 404")) }
            // More idle connections than the listener keeps.
            for _ in 0..<80 { try await RawClient.connect("127.0.0.1", login.port) }
            #expect(try await RawClient.exchange("127.0.0.1", login.port, "nonsense\r\n\r\n").contains("404") == false)
            _ = try await login.finish()
        }
        #expect(response.text == "in")
        #expect(forms.count == 1)
        #expect(forms[0].contains("code=c0de"))
    }

    /// Counts the answers that a listener accepts.
    private final class Accepted: Sendable {
        let count = Atomic(0)
    }

    /// Another user reads the login's URL in the process list, and answers it with a login of his own.
    @Test(arguments: ["127.0.0.1", "::1"]) func anotherUsersProgramIsNotServed(address: String) async throws {
        let accepted = Accepted()
        func ask(admitting user: UInt32) async throws -> String? {
            let listener = try await LoopbackListener.start(
                for: try OAuth2RedirectURI("http://localhost:0/callback"), page: FinishedPage(),
                users: ListenerUsers([user])
            ) { _, _ in
                accepted.count.add(1, ordering: .relaxed)
                return true
            }
            let port = try #require(listener.redirectURI.target?.origin.port)
            let request = "GET /callback?code=evil HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n"
            // A closed connection may be an error at its client.
            let answer = try? await RawClient.exchange(address, port, request)
            await listener.stop()
            return answer
        }
        let refused = try await ask(admitting: geteuid() + 1)
        #expect(refused ?? "" == "" && accepted.count.load(ordering: .relaxed) == 0)
        #expect(try await ask(admitting: geteuid())?.hasPrefix("HTTP/1.1 200") == true)
        #expect(accepted.count.load(ordering: .relaxed) == 1)
    }

    @Test func aSecondAnswerChangesNothing() async throws {
        let (response, forms) = try await run { login in
            _ = try await login.finish()
            // The listener may be closed by now; the request has no effect in either case.
            _ = try? await login.ask("/callback?code=evil&state=\(login.state)")
        }
        #expect(response.text == "in")
        #expect(forms.count == 1)
        #expect(forms[0].contains("code=c0de"))
    }

    @Test func theListenerIsGoneAfterTheLogin() async throws {
        let port = Mutex(0)
        _ = try await run { login in
            port.withLock { $0 = login.port }
            _ = try await login.finish()
        }
        let number = port.withLock { $0 }
        await #expect(throws: (any Error).self) { try await RawClient.connect("127.0.0.1", number) }
    }

    @Test func aCancelledLoginLeavesNoListener() async throws {
        let (opened, continuation) = AsyncStream<Int>.makeStream()
        let task = Task { try await run { continuation.yield($0.port) } }
        var ports = opened.makeAsyncIterator()
        let port = try #require(await ports.next())
        try await RawClient.connect("127.0.0.1", port)
        task.cancel()
        await #expect(throws: (any Error).self) { _ = try await task.value }
        // The flight ends in its own task.
        var isOpen = true
        while isOpen { isOpen = (try? await RawClient.connect("127.0.0.1", port)) != nil }
    }

    @Test func aFixedPortInUseIsAClearError() async throws {
        let caught = Mutex<OAuth2Error?>(nil)
        _ = try await run { login in
            do {
                _ = try await run(redirect: "http://127.0.0.1:\(login.port)/callback") { _ in }
            } catch let error as ConversationError {
                caught.withLock { $0 = error.underlyingError as? OAuth2Error }
            }
            _ = try await login.finish()
        }
        #expect(caught.withLock { $0 }?.code == .loginFailed)
    }

    /// `localhost` has two addresses, and the browser may choose either: neither may belong to another program.
    @Test(arguments: ["127.0.0.1", "::1"]) func aSecondAddressInUseIsAClearError(address: String) async throws {
        let other = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: address, port: 0).get()
        let port = try #require(other.localAddress?.port)
        let opened = Mutex(0)
        let error = await #expect(throws: ConversationError.self) {
            _ = try await run(redirect: "http://localhost:\(port)/callback") { _ in opened.withLock { $0 += 1 } }
        }
        let cause = try #require(error?.underlyingError as? OAuth2Error)
        #expect(cause.code == .loginFailed && cause.message.contains("\(port)"))
        #expect(opened.withLock { $0 } == 0, "no browser is sent to somebody else's listener")
        try await other.close()
    }

    @Test(arguments: [
        ("https://app.example.com/callback", "https://auth.example.com/authorize"),
        ("com.example.app:/callback", "https://auth.example.com/authorize"),
        ("http://127.0.0.1:0/callback", "com.example.login:/authorize"),
    ])
    func whatCannotComeBackIsNotOpened(redirect: String, authorization: String) async throws {
        let opened = Mutex(0)
        await #expect {
            _ = try await run(redirect: redirect, authorization: authorization) { _ in opened.withLock { $0 += 1 } }
        } throws: {
            (($0 as? ConversationError)?.underlyingError as? OAuth2Error)?.code == .invalidConfiguration
        }
        #expect(opened.withLock { $0 } == 0)
    }

    /// The environment may contain passwords, which the browser must not see.
    @Test func theBrowserDoesNotInheritSecrets() async throws {
        let directory = try TemporaryPlace.folder("browser")
        defer { try? FileManager.default.removeItem(at: directory) }
        let (program, partial, output) = (
            directory.appending(path: "browser"), directory.appending(path: "partial"), directory.appending(path: "out")
        )
        let script =
            "#!/bin/sh\n{ env; echo \"$1\"; } > '\(partial.path())'\nmv '\(partial.path())' '\(output.path())'\n"
        try Data(script.utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path())
        var environment = ProcessInfo.processInfo.environment
        environment["WORK_PASSWORD"] = "canary-8812"
        try await SystemBrowser(program: program.path(), environment: environment).open(
            #require(URL(string: "https://auth.example.com/?a=;id")))
        while !FileManager.default.fileExists(atPath: output.path()) { try await Task.sleep(for: .milliseconds(5)) }
        let text = try String(contentsOf: output, encoding: .utf8)
        #expect(text.hasSuffix("https://auth.example.com/?a=;id\n"))
        #expect(text.contains("PATH="))
        #expect(!text.contains("canary-8812"))
    }

    @Test func onlyWebPagesAreOpenedInTheSystemsBrowser() async throws {
        let browser = SystemBrowser(program: "/bin/true")
        try await browser.open(#require(URL(string: "https://auth.example.com/?a=;id")))
        for text in ["file:///etc/passwd", "javascript:alert(1)", "com.example.app:/x"] {
            await #expect(throws: OAuth2Error.self) { try await browser.open(#require(URL(string: text))) }
        }
        // The second program exists, but finds no browser.
        for program in ["/nowhere/browser", "/bin/false"] {
            await #expect(throws: OAuth2Error.self) {
                try await SystemBrowser(program: program).open(#require(URL(string: "https://a.example/")))
            }
        }
    }
}
