import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConvWebStrategies
import HttpConversation
import HttpConversationTesting
import Synchronization

/// Pages of several servers, by method and URL, and a login on them.
final class PageServer: Sendable {
    /// A request with its body.
    struct Arrival: Sendable, CustomStringConvertible {
        let line: String
        let body: String
        let fields: HTTPFields

        var description: String { body.isEmpty ? line : "\(line) \(body)" }
    }

    static let start = "https://sp.example/start"
    private let state: Mutex<(pages: [String: [ScriptedTransport.Answer]], arrivals: [Arrival])>

    /// - Parameter pages: by method and URL; the last of several for one key is repeated
    init(_ pages: [String: [ScriptedTransport.Answer]]) { state = Mutex((pages, [])) }

    /// Creates a server with one HTML page for each key.
    convenience init(_ pages: [String: String]) { self.init(pages.mapValues { [Self.html($0)] }) }

    static func html(_ text: String, _ fields: HTTPFields = [:], status: HTTPResponse.Status = .ok)
        -> ScriptedTransport.Answer
    {
        var fields = fields
        fields[.contentType] = "text/html; charset=utf-8"
        return ScriptedTransport.Answer(status, fields, body: text)
    }

    static func redirect(_ location: String, _ status: HTTPResponse.Status = .found, cookie: String? = nil)
        -> ScriptedTransport.Answer
    {
        var fields: HTTPFields = [.location: location]
        fields[.setCookie] = cookie
        return ScriptedTransport.Answer(status, fields)
    }

    var arrivals: [Arrival] { state.withLock { $0.arrivals } }
    /// The method, URL and body of each request.
    var log: [String] { arrivals.map(\.description) }

    /// Performs the login of the start page; it ends at `https://sp.example/done…` and `app:…`.
    func logIn(
        _ person: FakePerson? = nil, answers: FormAnswers? = nil, named: [String] = [], maximumPages: Int = 10,
        session: HttpSession = HttpSession(), provider: StaticCredentialProvider? = nil,
        singleSignOn: SingleSignOnPolicy? = nil
    ) async throws -> WebLoginOutcome {
        let strategy = try TerminalWebStrategy(
            prompter: person, answers: answers, namedOrigins: named,
            maximumPages: maximumPages)
        let start = try TargetURL(Self.start)
        let login = WebLogin(.saml2, start: start, cookieTargets: [start], returnsCookies: true) {
            $0.hasPrefix("https://sp.example/done") || $0.hasPrefix("app:")
        }
        let probe = Probe(
            login: login, strategy: singleSignOn.map { SingleSignOnStrategy(strategy, at: $0) } ?? strategy)
        var configuration = HttpConversationManager.Configuration(session: session)
        if let provider {
            configuration.challengeFilters.add(
                UsernamePasswordFilter(providers: [provider]), id: FlowID.usernamePassword)
        }
        configuration.responseFilters.add(probe)
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        _ = try await manager.data(for: HTTPRequest(.get, "https://caller.example/"))
        return try probe.outcome.withLock { try $0.get() }
    }

    /// Runs an ordinary conversation of a session.
    func visit(_ url: String, session: HttpSession) async throws {
        let manager = HttpConversationManager(transport: transport, configuration: .init(session: session))
        _ = try await manager.data(for: HTTPRequest(.get, url))
    }

    private var transport: ScriptedTransport {
        ScriptedTransport { [self] request, _ throws(ConversationError) in
            if request.target.origin.host == "caller.example" { return .init(.ok) }
            var body = ""
            if case .bytes(let bytes) = request.body?.kind { body = String(decoding: bytes, as: UTF8.self) }
            let line = "\(request.method.rawValue) \(request.target.absoluteString)"
            return try state.withLock { state throws(ConversationError) in
                state.arrivals.append(Arrival(line: line, body: body, fields: request.headerFields))
                guard var answers = state.pages[line] else { return Self.html("no page", status: .notFound) }
                guard !answers.isEmpty else { throw ConversationError(.connectionFailed, "No connection.") }
                let answer = answers.removeFirst()
                if !answers.isEmpty { state.pages[line] = answers }
                return answer
            }
        }
    }

    /// Performs the login during a conversation, as a flow does.
    private final class Probe: ResponseFilter {
        let login: WebLogin
        let strategy: any WebLoginStrategy
        let outcome = Mutex<Result<WebLoginOutcome, any Error>>(.failure(CancellationError()))

        init(login: WebLogin, strategy: any WebLoginStrategy) {
            self.login = login
            self.strategy = strategy
        }

        func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
            let result: Result<WebLoginOutcome, any Error>
            do { result = .success(try await strategy.perform(login, in: context)) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            return .proceed
        }
    }
}
