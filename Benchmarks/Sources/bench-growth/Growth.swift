import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationNIO
import Synchronization

/// Requests by a client that knows much: `size` of something. They go to ten of its servers in turn.
struct Growth {
    struct WrongAnswer: Error {}

    private let manager: HttpConversationManager
    private var sessions: UserSessions<Int>?
    private let step: Int
    private let requests: [HTTPRequest]

    private static func url(_ number: Int, _ path: String) -> String { "https://s\(number).example.com/\(path)" }

    private static func requests(_ size: Int, _ path: String) throws -> [HTTPRequest] {
        try (0..<10).map { try HTTPRequest(.get, url($0 * max(1, size / 10), path)) }
    }

    /// - Returns: nil for an unknown kind
    init?(_ kind: String, _ size: Int) async throws {
        var configuration = HttpConversationManager.Configuration()
        let servers = GrowingServers()
        var path = "data"
        var manager: HttpConversationManager?
        step = max(1, size / 10)
        switch kind {
        case "cookies", "renewed-cookies":
            if kind == "renewed-cookies" { path = "renewed" }
            let cookies = configuration.session.cookies
            for number in 0..<size { try cookies.store(setCookie: ["c0=1; Path=/"], from: Self.url(number, "")) }
        case "spaces":
            path = "protected"
            var login = CommonAuthenticationConfigurator()
            login.add(StaticCredentialProvider(username: "alice", password: "secret"))
            configuration.apply(login)
            let taught = HttpConversationManager(transport: servers, configuration: configuration)
            for number in 0..<size { try await Self.fetch(HTTPRequest(.get, Self.url(number, path)), taught) }
            manager = taught
        case "storage-urls":
            path = "bearer"
            configuration.apply(try await Tokens.configurator(size: size) { Self.url($0, "") })
        case "sessions":
            let sessions = UserSessions<Int>(transport: servers) { _ in .init() }
            for number in 0..<size { _ = try await sessions.manager(of: number) }
            self.sessions = sessions
        case "filters":
            for number in 0..<size {
                let filter = IdleFilter()
                configuration.requestFilters.add(filter, id: "filter \(number)")
                configuration.responseFilters.add(filter, id: "filter \(number)")
            }
        default: return nil
        }
        requests = try Self.requests(kind == "filters" ? 1 : size, path)
        self.manager = manager ?? HttpConversationManager(transport: servers, configuration: configuration)
    }

    func run(_ count: Int) async throws {
        for number in 0..<count {
            let manager = try await sessions?.manager(of: number % 10 * step) ?? manager
            try await Self.fetch(requests[number % requests.count], manager)
        }
    }

    private static func fetch(_ request: HTTPRequest, _ manager: HttpConversationManager) async throws {
        guard try await manager.data(for: request).status == .ok else { throw WrongAnswer() }
    }
}

/// A filter that does nothing, in both directions.
private struct IdleFilter: RequestFilter, ResponseFilter {
    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
        .proceed
    }
}

enum Tokens {
    /// A configurator with tokens of `size` servers in memory.
    ///
    /// - Parameter age: seconds since the tokens expired; negative for valid ones
    static func configurator(
        size: Int, expiredSince age: TimeInterval = -86_400, _ url: (Int) -> String
    ) async throws -> CommonAuthenticationConfigurator {
        let storage = InMemoryTokenStorage()
        var urls: [String] = []
        let now = Date()
        for number in 0..<size {
            let url = url(number)
            let tokens = OAuth2Tokens(
                accessToken: "old", refreshToken: "refresh", expiresAt: now - age, receivedAt: now - 86_400)
            try await storage.save(tokens, for: OAuth2TokenKey(storageURL: TargetURL(url), supportName: "growth"))
            urls.append(url)
        }
        var configurator = CommonAuthenticationConfigurator()
        configurator.tokenStorage = storage
        configurator.add(
            oauth2: try ConfiguredOAuth2ServerSupport(
                name: "growth", tokenOrigins: urls,
                configuration: OAuth2Configuration(
                    clientID: "bench", authentication: .basic(secret: "secret"),
                    tokenEndpoint: "https://login.example.com/token", grant: .clientCredentials)))
        return configurator
    }
}

/// Conversations side by side that send one token, valid or expired.
enum Crowd {
    struct WrongRefreshes: Error {}

    private final class Counts: Sendable {
        let running: Atomic<Int>
        let wrong = Atomic(0)

        init(_ running: Int) { self.running = Atomic(running) }

        func end(_ continuation: CheckedContinuation<Void, Never>) {
            if running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { continuation.resume() }
        }
    }

    /// - Parameter port: of a real server; nil: without a network
    static func run(_ count: Int, isExpired: Bool, port: Int?) async throws {
        let servers = GrowingServers(inFrontOf: port.map { _ in NIOTransport() })
        let origin = port.map { "http://127.0.0.1:\($0)" } ?? "https://s.example.com"
        var configuration = HttpConversationManager.Configuration(
            applying: [
                try await Tokens.configurator(size: 1, expiredSince: isExpired ? 60 : -86_400) { _ in "\(origin)/" }
            ])
        // All wait for a few connections, and counting instructions makes a request a hundred times as slow.
        configuration.connectTimeout = .seconds(600)
        let manager = HttpConversationManager(transport: servers, configuration: configuration)
        let request = try HTTPRequest(.get, "\(origin)/bearer")
        servers.await(count)
        let before = Resident.peak
        // No group of tasks: it looks for each that has ended among all. And no handles: a task that has ended keeps
        // its memory as long as there is one.
        let counts = Counts(count)
        await withCheckedContinuation { continuation in
            for _ in 0..<count {
                Task {
                    servers.begin()
                    let status = try? await manager.data(for: request).status
                    if status != .ok { counts.wrong.add(1, ordering: .relaxed) }
                    counts.end(continuation)
                }
            }
        }
        guard counts.wrong.load(ordering: .acquiring) == 0 else { throw Growth.WrongAnswer() }
        guard servers.refreshes == (isExpired ? 1 : 0) else { throw WrongRefreshes() }
        print((Resident.peak - before) * 1024 / count)
    }
}

enum Resident {
    /// The peak of resident memory so far, in KiB.
    static var peak: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
