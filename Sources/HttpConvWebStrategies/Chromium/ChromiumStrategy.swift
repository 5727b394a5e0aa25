#if os(Linux)
import Foundation
public import HttpConvAuthFlows
import HttpConvConcurrency
public import HttpConversation

/// Logins of every kind in a browser of the Chromium family, in a window of its own or without one.
///
/// Each login gets a browser with a temporary profile, driven over its DevTools pipe; nothing of the person's own
/// browser is read or changed, and nothing remains. The session's cookies go in and come back by security rule S17.
/// A 401 inside the browser is answered by the conversation's user name and password providers. What goes to servers
/// that its providers of client certificates serve is sent by the conversation, for the browser has no certificate.
/// The browser goes through the conversation's proxies, and tells them the password that the conversation has for them;
/// a SOCKS proxy with a password it cannot use.
///
/// Settings that decide which servers are spoken to (``/HttpConversation/ConnectionPolicy``: pinned keys, named authorities,
/// given addresses, sockets) are held by the conversation, which sends what goes to those servers; the browser has no way
/// there by itself. A page cannot load anything from another server that is held like that.
///
/// Only the login's own page ends it. Windows that the page opens are shown and watched, but going to the finish URL
/// there is not the end.
public struct ChromiumStrategy: WebLoginStrategy {
    /// How the browser is run.
    public struct Options: Sendable {
        /// A program's name or absolute path; nil means the first known browser on the `PATH`.
        public var program: String?
        /// No window: for logins that need no person.
        public var isHeadless = false
        /// Certificates, as PEM text, of authorities that are trusted beside the system's. Needs `certutil` (Debian:
        /// libnss3-tools).
        public var authorityPEM: String?
        /// How long a login may take; nil means
        /// ``/HttpConversation/HttpConversationManager/Configuration/interactionTimeout``.
        public var timeLimit: Duration?
        /// Fill in the forms of the login's pages. Without a window and without an answer for what a page asks, the
        /// login fails; in a window the person fills in the rest.
        public var answers: FormAnswers?
        /// How long the browser may take for a command while it starts.
        var answerLimit = Duration.seconds(60)
        /// How long it may leave a question without an answer later on before it counts as hung.
        var patience = Duration.seconds(20)
        /// How long a page may stay as it is where nobody looks at it.
        var stallLimit = Duration.seconds(15)
        /// What the browser's own is made from.
        var environment = ProcessInfo.processInfo.environment

        /// A window, the first browser found, the system's authorities.
        public init() {}
    }

    private let options: Options

    /// A strategy that runs the browser in this way.
    public init(_ options: Options = Options()) { self.options = options }

    /// Whether there is a browser to run, and a display for its window where it has one.
    public var isAvailable: Bool {
        (try? BrowserFinder().find(options.program)) != nil
            && (options.isHeadless || BrowserEnvironment.hasDisplay(options.environment))
    }

    public func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        let environment = options.environment
        let program = try BrowserFinder().find(options.program)
        guard options.isHeadless || BrowserEnvironment.hasDisplay(environment) else {
            throw WebLoginError(
                .browserFailed, "There is no display for the browser's window: run it headless, or log in elsewhere.")
        }
        let kept = KeptConnections(context.connectionPolicy)
        let browser = try await BrowserProcess.start(
            program, isHeadless: options.isHeadless, authorityPEM: kept.isEverything ? nil : options.authorityPEM,
            proxy: try BrowserProxy(context.configuration.proxies, kept: kept), kept: kept, environment: environment)
        let result: Result<WebLoginOutcome, any Error>
        do {
            result = .success(try await follow(login, in: context, browser))
        } catch { result = .failure(error) }
        // A task of its own: the browser goes also where this one is cancelled.
        let status = await Task { await browser.end() }.value
        do { return try result.get() } catch let error as WebLoginError where error.code == .browserFailed {
            guard status != 0 else { throw error }
            throw WebLoginError(
                .browserFailed, error.message + " \(program) ended with status \(status).", underlyingError: error)
        }
    }

    /// The first of these is the end: the login, its time limit, a browser that does not answer any more.
    func follow(
        _ login: WebLogin, in context: ConversationContext, _ browser: BrowserProcess
    ) async throws -> WebLoginOutcome {
        let arrival = Arrival<WebLoginOutcome>()
        let limit = options.timeLimit ?? context.configuration.interactionTimeout
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask { [options] in
                await ChromiumLogin(
                    login, in: context, options: options, connection: browser.connection, arrival: arrival
                ).run()
            }
            tasks.addTask { await watch(browser.connection, arrival) }
            if let limit {
                tasks.addTask {
                    guard (try? await Task.sleep(for: limit)) != nil else { return }
                    arrival.fail(
                        WebLoginError(.timedOut, "Nobody finished the \(login) within \(limit): try again."))
                }
            }
            return try await arrival.value()
        }
    }

    /// A browser that hangs keeps its pipe open: it is asked now and then.
    private func watch(_ connection: DevToolsConnection, _ arrival: Arrival<WebLoginOutcome>) async {
        do {
            try await Waiting.during("for the browser to start", atMost: options.answerLimit) {
                _ = try await connection.call("Browser.getVersion", within: options.answerLimit)
            }
            while true {
                try await Task.sleep(for: min(.seconds(5), options.patience))
                try await connection.call("Browser.getVersion", within: options.patience)
            }
        } catch is CancellationError { return } catch { arrival.fail(error) }
    }
}
#endif
