import HttpConvConcurrency
import HttpConversation
import Synchronization

/// Keeps the requests of all sessions from a token endpoint that is down, and lets one try it again at a time.
///
/// One session's failures delay that session alone (`EndpointBackoff`). A service has thousands of sessions, and each
/// would ask.
final class TokenEndpointGate: Sendable {
    static let shared = TokenEndpointGate()
    /// The number of failures in a row before the first pause, of two sessions at least. Sessions share the gate, so
    /// requests that one of them makes fail must not stop the others.
    static let threshold = 5
    /// The pauses after one failed try after the other, unless the endpoint says how long.
    private static let pauses: [Duration] = [
        .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
    ]
    private static let longestPause = Duration.seconds(30)
    /// The maximum number of routes that are remembered. Above it, the one that failed first leaves.
    static let capacity = 1000

    /// A way to an endpoint: a proxy that fails does not stop requests that use another one, or none.
    private struct Route: Hashable {
        let endpoint: TargetURL
        let proxy: Origin?
    }

    private struct Failure {
        /// The session of the first failure; nil once it has gone.
        weak var session: HttpSession?
        /// Whether requests of another session have failed, too.
        var isOfSeveral = false
        var count = 0
        /// The number of pauses so far.
        var pauses = 0
        var status: Int?
        /// The uptime at which the pause ends.
        var until: Duration?
        var isBeingTried = false
        /// The uptime of the first failure.
        let since: Duration
    }

    private let routes = Mutex<[Route: Failure]>([:])
    private let clock: any WallClock
    private let spread: @Sendable () -> Double

    /// - Parameters:
    ///   - clock: measures the pauses
    ///   - spread: a factor for each pause, so that processes do not ask at the same moment
    init(clock: any WallClock = SystemClock(), spread: @escaping @Sendable () -> Double = { .random(in: 0.8...1.2) }) {
        self.clock = clock
        self.spread = spread
    }

    /// Runs a request to an endpoint, unless the endpoint has a pause.
    ///
    /// - Parameters:
    ///   - session: the session of the request
    ///   - proxy: the proxy on the way; nil: none
    func pass<Answer: Sendable>(
        to endpoint: TargetURL, of session: HttpSession, through proxy: Origin? = nil,
        _ request: () async throws -> Answer
    ) async throws -> Answer {
        let route = Route(endpoint: endpoint, proxy: proxy)
        try enter(route)
        do {
            let answer = try await request()
            routes.withLock { $0[route] = nil }
            return answer
        } catch {
            note(error, route, session)
            throw error
        }
    }

    /// The endpoints with failures, by URL.
    var failures: [OAuth2EndpointFailure] {
        let now = clock.uptime
        return routes.withLock { $0 }
            .map { route, failure in
                OAuth2EndpointFailure(
                    endpoint: route.endpoint, failures: failure.count, status: failure.status,
                    pause: failure.until.flatMap { $0 > now ? $0 - now : nil })
            }
            .sorted { $0.endpoint.absoluteString < $1.endpoint.absoluteString }
    }

    private func enter(_ route: Route) throws(OAuth2Error) {
        let now = clock.uptime
        let refused = routes.withLock { routes -> Failure? in
            guard let failure = routes[route], let until = failure.until else { return nil }
            if until > now || failure.isBeingTried { return failure }
            routes[route]?.isBeingTried = true
            return nil
        }
        guard let refused else { return }
        let endpoint = route.endpoint
        let last =
            refused.status.map { $0 < 400 ? "answered \($0) without tokens" : "answered \($0)" }
            ?? "could not be reached"
        let pause = refused.until.flatMap { $0 > now ? $0 - now : nil }
        let next = pause.map { "in \(max(1, $0.components.seconds)) s" } ?? "by another request now"
        throw OAuth2Error(
            .temporarilyUnavailable,
            "\(endpoint) \(last) \(refused.count) times in a row, and is asked again \(next): no tokens were requested.",
            endpoint: endpoint, status: refused.status, retryAfter: pause)
    }

    private func note(_ error: any Error, _ route: Route, _ session: HttpSession) {
        let error = error as? OAuth2Error
        routes.withLock { routes in
            routes[route]?.isBeingTried = false
            // A request that was cancelled or never sent shows nothing about the endpoint.
            guard let error else { return }
            if error.status != nil, !error.isTemporary, !error.saysNothingOfTokens { return routes[route] = nil }
            guard error.showsAFailure else { return }
            let now = clock.uptime
            if routes[route] == nil, routes.count >= Self.capacity,
                let oldest = routes.min(by: { $0.value.since < $1.value.since })
            {
                routes[oldest.key] = nil
            }
            var failure = routes[route] ?? Failure(session: session, since: now)
            failure.count += 1
            if failure.session !== session { failure.isOfSeveral = true }
            failure.status = error.status
            // Requests that were sent before the pause fail in it, too: they do not make it longer.
            if failure.isOfSeveral, failure.count >= Self.threshold, failure.until ?? now <= now {
                let pause = error.retryAfter ?? Self.pauses[min(failure.pauses, Self.pauses.count - 1)] * spread()
                failure.until = now + min(max(pause, .milliseconds(500)), Self.longestPause)
                failure.pauses += 1
            }
            routes[route] = failure
        }
    }
}

extension OAuth2Error {
    /// Whether the failure shows that the endpoint is down for all sessions. A 429 may be about one client, a 500 about
    /// one login, an error page about one request, and a refused server certificate may be due to one session's settings.
    fileprivate var showsAFailure: Bool {
        if let status {
            // A page in place of tokens, or a redirect, is that of a portal, or of a server that is being maintained.
            return code == .temporarilyUnavailable && (502...504).contains(status)
                || code == .malformedResponse && saysNothingOfTokens && status < 400
        }
        guard code == .endpointUnreachable, let error = underlyingError as? ConversationError else { return false }
        return [.hostNotResolved, .connectionFailed, .timedOut, .emptyResponse, .sendFailed, .receiveFailed]
            .contains(error.code)
    }
}
