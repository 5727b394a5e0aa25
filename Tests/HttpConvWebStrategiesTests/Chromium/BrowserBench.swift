#if os(Linux)
import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversationTesting
import TestLandscape
import Testing

@testable import HttpConvWebStrategies
@testable import HttpConversation

/// A landscape, and logins in real browsers on its raw origin, where a test puts its pages.
struct BrowserBench {
    let landscape: Landscape
    var configuration = HttpConversationManager.Configuration()
    var options = ChromiumStrategy.Options()
    /// The transport for the conversation's own requests.
    var transport: any HTTPTransport = ScriptedTransport { _, _ in .init(.ok) }
    /// The targets for cookies, in addition to the raw origin.
    var targets: [TargetURL]

    init(_ landscape: Landscape) throws {
        self.landscape = landscape
        options.isHeadless = true
        options.timeLimit = .seconds(90)
        targets = [try TargetURL(landscape.url(.raw, "/"))]
    }

    var strategy: ChromiumStrategy { ChromiumStrategy(options) }

    /// Serves a page at a path.
    func page(_ path: String, _ html: String, headers: String = "") {
        landscape.raw.respond(
            path: path,
            text:
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\(headers)Content-Length: \(html.utf8.count)\r\n\r\n\(html)"
        )
    }

    /// Serves a redirect at a path.
    func redirect(_ path: String, to location: String, headers: String = "") {
        landscape.raw.respond(
            path: path, text: "HTTP/1.1 302 Found\r\nLocation: \(location)\r\n\(headers)Content-Length: 0\r\n\r\n")
    }

    /// A login that ends at any web URL with the path `finish`, or at any other URL with that prefix.
    func login(
        from start: URL? = nil, to finish: String = "/finish", returnsCookies: Bool = true,
        authenticator: CodeAuthenticator? = nil
    ) throws -> WebLogin {
        WebLogin(
            .saml2, start: try TargetURL(start ?? landscape.url(.raw, "/start")), cookieTargets: targets,
            returnsCookies: returnsCookies, authenticator: authenticator
        ) { url in
            guard let target = try? TargetURL(url) else { return url.hasPrefix(finish) }
            return target.path == finish
        }
    }

    /// The context of a conversation.
    func context() throws -> ConversationContext {
        ConversationContext(
            target: try TargetURL(landscape.url(.main, "/")), snapshot: ConfigurationSnapshot(configuration),
            transport: transport, parent: nil, extraObservers: [])
    }

    /// Performs a login, and checks that it leaves nothing, whatever its result.
    func perform(_ login: WebLogin) async throws -> WebLoginOutcome {
        let before = Self.remains()
        let result: Result<WebLoginOutcome, any Error>
        do { result = .success(try await strategy.perform(login, in: context())) } catch { result = .failure(error) }
        #expect(Self.remains().subtracting(before) == [])
        return try result.get()
    }

    /// Performs a login that must fail.
    func failure(_ login: WebLogin) async throws -> WebLoginError {
        let error = await #expect(throws: WebLoginError.self) { _ = try await perform(login) }
        return try #require(error)
    }

    /// The directories of logins, and the processes that use one.
    static func remains() -> Set<String> {
        let parent = FileManager.default.temporaryDirectory
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path(percentEncoded: false))) ?? []
        let processes = BrowserProcess.processes(naming: BrowserProfile.parent + "weblogin-").map { "process \($0)" }
        return Set(names.filter { $0.hasPrefix("weblogin-") } + processes)
    }

    /// The browser's main process: of those that use a directory, the one with the pipe and without a type.
    static func browser() throws -> pid_t {
        let found = BrowserProcess.processes(naming: BrowserProfile.parent + "weblogin-").filter { identifier in
            let line = FileManager.default.contents(atPath: "/proc/\(identifier)/cmdline") ?? Data()
            let text = String(decoding: line, as: UTF8.self)
            return text.contains("--remote-debugging-pipe") && !text.contains("--type=") && !text.hasPrefix("/bin/sh")
        }
        return try #require(found.first)
    }
}
#endif
