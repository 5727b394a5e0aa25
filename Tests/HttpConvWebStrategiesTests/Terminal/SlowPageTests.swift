import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvWebStrategies

/// Servers of a login that are slow or never end, by the table of limits in docs/threat-model.md.
@Suite(.timeLimit(.minutes(1))) struct SlowPageTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

    /// Longer than the time limit of a test.
    private static let unlimited = Duration.seconds(600)

    /// Logs in with a real server, and with shorter time limits.
    private func failure(
        page: Duration = unlimited, login: Duration = unlimited, _ script: @escaping RawServer.Script
    ) async throws -> WebLoginError? {
        try await RawServer.run(script: script) { server in
            var strategy = TerminalWebStrategy(prompter: nil)
            strategy.pageTime = page
            strategy.loginTime = login
            let start = try TargetURL(server.url)
            let transport = NIOTransport()
            let context = HttpConversationManager(transport: transport).detachedContext(for: start)
            let webLogin = WebLogin(.saml2, start: start, cookieTargets: [start], returnsCookies: true) { _ in false }
            var failure: WebLoginError?
            do { _ = try await strategy.perform(webLogin, in: context) } catch { failure = error as? WebLoginError }
            await transport.shutdown()
            return failure
        }
    }

    @Test(arguments: [head + "\r\n", "HTTP/1.1 200 OK\r\nX: "]) func aPageThatDripsIsGivenUp(begun: String) async throws
    {
        let error = try await failure(page: .milliseconds(400)) { connection in
            _ = try await connection.readHead()
            try await connection.write(begun)
            while true {
                try await connection.write("x")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(error?.code == .pageFailed)
        #expect((error?.underlyingError as? ConversationError)?.code == .timedOut)
    }

    @Test func aPageWithoutEndIsGivenUp() async throws {
        let piece = String(repeating: "x", count: 64 << 10)
        let error = try await failure { connection in
            _ = try await connection.readHead()
            try await connection.write(Self.head + "\r\n")
            while true { try await connection.write(piece) }
        }
        // Its first bytes have no form.
        #expect(error?.code == .pageFailed && error?.underlyingError == nil, "\(String(describing: error))")
    }

    // MARK: Resources

    private static let form =
        "<form method=post action=/enter><input name=user><input type=password name=password></form>"

    /// Logs in at a form, which leads to a resource.
    ///
    /// - Parameters:
    ///   - time: the time that is left for the resource's server; the pages before it are not limited
    ///   - isWelcome: whether the trial of the resource succeeds
    ///   - resource: writes the answer
    private func logIn(
        leaving time: Duration? = nil, isWelcome: Bool = true, at place: String = "/resource",
        _ resource: @escaping RawServer.Script
    ) async throws -> (outcome: Result<WebLoginOutcome, any Error>, tries: Int) {
        let clock = TestClock()
        return try await RawServer.run { connection in
            while true {
                let head = try await connection.readHead()
                if head.hasPrefix("POST ") {
                    _ = try await connection.readBytes("user=alice&password=canary".utf8.count)
                    // The rest of the login's time is spent at once.
                    if let time { clock.advance(by: Self.unlimited - time) }
                    try await connection.write(
                        "HTTP/1.1 303 See Other\r\nLocation: \(place)\r\nSet-Cookie: session=1\r\n"
                            + "Content-Length: 0\r\n\r\n")
                    continue
                }
                if head.hasPrefix("GET /resource ") { return try await resource(connection) }
                try await connection.respond(Self.form, headers: "Content-Type: text/html\r\n")
            }
        } _: { server in
            let start = try TargetURL(server.url)
            let answers = try FormAnswers(["user": .text("alice"), "password": .text("canary")], origins: [server.url])
            var strategy = TerminalWebStrategy(prompter: nil, answers: answers)
            strategy.pageTime = Self.unlimited
            strategy.loginTime = Self.unlimited
            let tries = Tries()
            let trial = WebLoginTrial(at: start.origin) { cookies in
                tries.count.withLock { $0 += 1 }
                return isWelcome && cookies.contains { $0.name == "session" }
            }
            let login = WebLogin(.webLogin, start: start, cookieTargets: [start], trial: trial)
            let transport = NIOTransport()
            var configuration = HttpConversationManager.Configuration()
            configuration.peekTimeout = .milliseconds(200)
            if time != nil { configuration.clock = clock }
            let manager = HttpConversationManager(transport: transport, configuration: configuration)
            let context = manager.detachedContext(for: start)
            let outcome: Result<WebLoginOutcome, any Error>
            do {
                outcome = .success(try await strategy.perform(login, in: context))
            } catch {
                outcome = .failure(error)
            }
            await transport.shutdown()
            return (outcome, tries.count.withLock { $0 })
        }
    }

    private final class Tries: Sendable {
        let count = Mutex(0)
    }

    /// Only a page is read: nothing limits its time.
    @Test(arguments: [
        "Content-Type: text/event-stream", "Content-Type: text/plain", "Content-Type: text/csv",
        "Content-Type: text/html\r\nContent-Disposition: attachment", "X-Content-Type-Options: nosniff",
    ])
    func aResourceThatIsNoPageIsNotRead(fields: String) async throws {
        let (outcome, tries) = try await logIn { connection in
            _ = try? await connection.write("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\ndata: 1\n\n")
            _ = try? await connection.readHead()
        }
        _ = try outcome.get()
        #expect(tries == 1)
    }

    @Test func anUntypedResourceThatIsNoPageIsNotRead() async throws {
        let (outcome, tries) = try await logIn { connection in
            _ = try? await connection.write("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "data: 1\n\n", count: 100))
            _ = try? await connection.readHead()
        }
        _ = try outcome.get()
        #expect(tries == 1)
    }

    @Test func aLargePageIsReadInPart() async throws {
        let row = "<tr><td>row</td></tr>\n"
        let (outcome, tries) = try await logIn { connection in
            let body = "<!doctype html><table>" + String(repeating: row, count: (3 << 20) / row.utf8.count)
            // The client leaves before the end.
            try? await connection.respond(body, headers: "Content-Type: text/html\r\n")
        }
        _ = try outcome.get()
        #expect(tries == 1)
    }

    /// The trial decides.
    @Test(arguments: [true, false]) func aPageWithoutEndMayBeTheResource(isWelcome: Bool) async throws {
        let (outcome, tries) = try await logIn(leaving: .seconds(3), isWelcome: isWelcome) { connection in
            _ = try? await connection.write(Self.head + "\r\n<!doctype html><p>rows")
            _ = try? await connection.readHead()
        }
        #expect(tries == 1)
        guard !isWelcome else {
            _ = try outcome.get()
            return
        }
        let error = #expect(throws: WebLoginError.self) { try outcome.get() }
        #expect(error?.code == .pageFailed)
        #expect((error?.underlyingError as? ConversationError)?.code == .timedOut)
    }

    /// Nothing at another origin is an arrival.
    @Test(arguments: ["text/html", "text/event-stream"]) func aPageWithoutEndElsewhereIsNoArrival(
        type: String
    ) async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            _ = try? await connection.write("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\r\n<!doctype html>")
            _ = try? await connection.readHead()
        } _: { other in
            let (outcome, tries) = try await logIn(leaving: .seconds(3), at: other.url + "/resource") { _ in }
            let error = #expect(throws: WebLoginError.self) { try outcome.get() }
            #expect((error?.underlyingError as? ConversationError)?.code == .timedOut)
            #expect(tries == 0)
        }
    }

    // MARK: Answers that do not begin

    /// Requests `/data`, which wants a login. The password leads to a place.
    ///
    /// - Parameter silent: the number of the request that gets no answer in time
    private func request(
        leading place: String, silent: Int
    ) async throws -> (outcome: Result<String, any Error>, log: [String]) {
        let transport = ScriptedTransport { request, index in
            if index == silent { return .failure(ConversationError(.timedOut, "late")) }
            let isKnown = request.headerFields[.cookie]?.contains("session=") == true
            return switch (request.method, request.target.path) {
            case (.post, _): PageServer.redirect(place, cookie: "session=1; Path=/")
            case (_, "/data"): isKnown ? .init(.ok, body: "in") : PageServer.redirect("/login")
            case (_, "/login"): PageServer.html(Self.form)
            default: PageServer.html("<p>Welcome</p>")
            }
        }
        let origin = "https://sp.example"
        let answers = try FormAnswers(["user": .text("alice"), "password": .text("canary")], origins: [origin])
        var configurator = CommonAuthenticationConfigurator.webLogin(for: try TargetURL(origin))
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: nil, answers: answers))
        let manager = HttpConversationManager(transport: transport, configurator)
        let outcome: Result<String, any Error>
        do { outcome = .success(try await manager.get("\(origin)/data").text) } catch { outcome = .failure(error) }
        return (outcome, transport.requests.map { "\($0.method) \($0.target.path)" })
    }

    private static let login = ["GET /data", "GET /login", "GET /data", "GET /login", "POST /enter"]

    /// A challenge would have come at once. The request itself has its own time.
    @Test func aResourceThatSendsNothingYetIsWelcome() async throws {
        let (outcome, log) = try await request(leading: "/data", silent: 5)
        #expect(log == Self.login + ["GET /data", "GET /data"])
        #expect(try outcome.get() == "in")
    }

    /// The resource is tried from another page.
    @Test func aTrialThatGetsNothingEndsTheLogin() async throws {
        let (outcome, log) = try await request(leading: "/home", silent: 6)
        #expect(log == Self.login + ["GET /home", "GET /data", "GET /data"])
        #expect(try outcome.get() == "in")
    }

    /// Neither another page nor the resource before the password says that the login is done.
    @Test(arguments: [("/wait", 5), ("/data", 2), ("/data", 4)])
    func anotherPageThatSendsNothingIsGivenUp(place: String, silent: Int) async throws {
        let (outcome, log) = try await request(leading: place, silent: silent)
        #expect(log == Array((Self.login + ["GET \(place)"]).prefix(silent + 1)))
        let error = #expect(throws: ConversationError.self) { try outcome.get() }
        let cause = try #require(error?.underlyingError as? WebLoginError)
        #expect((cause.underlyingError as? ConversationError)?.code == .timedOut, "\(cause)")
        #expect(cause.message.hasPrefix("A page of the web login at https://sp.example could not be loaded."))
    }

    // MARK: Many pages

    /// Each page is within its limit, but all together are not.
    @Test(arguments: [0, 1]) func pagesThatLeadOnSlowlyAreGivenUp(delay: Int) async throws {
        let text = "<meta http-equiv=refresh content='\(delay);url=/next'>"
        let error = try await failure(login: .milliseconds(600)) { connection in
            while true {
                _ = try await connection.readHead()
                try await Task.sleep(for: .milliseconds(100))
                try await connection.respond(text, headers: "Content-Type: text/html\r\n")
            }
        }
        #expect(error?.code == .pageFailed)
        #expect(
            error?.message.contains("all pages together") == true
                || (error?.underlyingError as? ConversationError)?.code == .timedOut,
            "\(String(describing: error))")
    }
}
