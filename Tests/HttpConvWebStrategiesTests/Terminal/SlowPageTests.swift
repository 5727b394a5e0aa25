import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Testing

@testable import HttpConvWebStrategies

/// Servers of a login that are slow or never end, by the table of limits in docs/threat-model.md.
@Suite(.timeLimit(.minutes(1))) struct SlowPageTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

    /// Logs in with a real server, and with shorter time limits.
    private func failure(
        page: Duration = .seconds(20), login: Duration = .seconds(20), _ script: @escaping RawServer.Script
    ) async throws -> (error: WebLoginError?, time: Duration) {
        try await RawServer.run(script: script) { server in
            var strategy = TerminalWebStrategy(prompter: nil)
            strategy.pageTime = page
            strategy.loginTime = login
            let start = try TargetURL(server.url)
            let transport = NIOTransport()
            let context = HttpConversationManager(transport: transport).detachedContext(for: start)
            let webLogin = WebLogin(.saml2, start: start, cookieTargets: [start], returnsCookies: true) { _ in false }
            let clock = ContinuousClock()
            let began = clock.now
            var failure: WebLoginError?
            do { _ = try await strategy.perform(webLogin, in: context) } catch { failure = error as? WebLoginError }
            let time = clock.now - began
            await transport.shutdown()
            return (failure, time)
        }
    }

    @Test(arguments: [head + "\r\n", "HTTP/1.1 200 OK\r\nX: "]) func aPageThatDripsIsGivenUp(begun: String) async throws
    {
        let (error, time) = try await failure(page: .milliseconds(400)) { connection in
            _ = try await connection.readHead()
            try await connection.write(begun)
            while true {
                try await connection.write("x")
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(error?.code == .pageFailed)
        #expect((error?.underlyingError as? ConversationError)?.code == .timedOut)
        #expect(time < .seconds(15))
    }

    @Test func aPageWithoutEndIsGivenUp() async throws {
        let piece = String(repeating: "x", count: 64 << 10)
        let (error, _) = try await failure { connection in
            _ = try await connection.readHead()
            try await connection.write(Self.head + "\r\n")
            while true { try await connection.write(piece) }
        }
        #expect(error?.code == .pageFailed)
        #expect((error?.underlyingError as? ConversationError)?.code == .tooLarge)
    }

    /// Each page is within its limit, but all together are not.
    @Test(arguments: [0, 1]) func pagesThatLeadOnSlowlyAreGivenUp(delay: Int) async throws {
        let text = "<meta http-equiv=refresh content='\(delay);url=/next'>"
        let (error, time) = try await failure(login: .milliseconds(600)) { connection in
            while true {
                _ = try await connection.readHead()
                try await Task.sleep(for: .milliseconds(100))
                try await connection.respond(text, headers: "Content-Type: text/html\r\n")
            }
        }
        #expect(error?.code == .pageFailed)
        #expect(
            error?.message.contains("all pages together") == true || error?.underlyingError != nil,
            "\(String(describing: error))")
        #expect(time < .seconds(15))
    }
}
