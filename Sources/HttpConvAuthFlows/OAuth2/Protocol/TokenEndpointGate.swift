import HttpConvConcurrency
import HttpConversation
import Synchronization

/// Keeps the requests of all sessions from a token endpoint that is down, and lets one try it again at a time.
///
/// One session's failures delay that session alone (`EndpointBackoff`). A service has thousands of sessions, and each
/// would ask.
final class TokenEndpointGate: Sendable {
    static let shared = TokenEndpointGate()
    /// The number of failures in a row before the first pause. Sessions share the gate, so a request that one of them
    /// makes fail must not stop the others.
    static let threshold = 5
    /// The pauses after one failed try after the other, unless the endpoint says how long.
    private static let pauses: [Duration] = [
        .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
    ]
    private static let longestPause = Duration.seconds(30)
    /// The maximum number of endpoints that are remembered.
    private static let capacity = 1000

    private struct Failure {
        var count = 0
        /// The number of pauses so far.
        var pauses = 0
        var status: Int?
        /// The uptime at which the pause ends.
        var until: Duration?
        var isBeingTried = false
    }

    private let endpoints = Mutex<[TargetURL: Failure]>([:])
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
    func pass<Answer: Sendable>(
        to endpoint: TargetURL, _ request: () async throws -> Answer
    ) async throws -> Answer {
        try enter(endpoint)
        do {
            let answer = try await request()
            endpoints.withLock { $0[endpoint] = nil }
            return answer
        } catch {
            note(error, endpoint)
            throw error
        }
    }

    /// The endpoints with failures, by URL.
    var failures: [OAuth2EndpointFailure] {
        let now = clock.uptime
        return endpoints.withLock { $0 }
            .map { endpoint, failure in
                OAuth2EndpointFailure(
                    endpoint: endpoint, failures: failure.count, status: failure.status,
                    pause: failure.until.flatMap { $0 > now ? $0 - now : nil })
            }
            .sorted { $0.endpoint.absoluteString < $1.endpoint.absoluteString }
    }

    private func enter(_ endpoint: TargetURL) throws(OAuth2Error) {
        let now = clock.uptime
        let refused = endpoints.withLock { endpoints -> Failure? in
            guard let failure = endpoints[endpoint], let until = failure.until else { return nil }
            if until > now || failure.isBeingTried { return failure }
            endpoints[endpoint]?.isBeingTried = true
            return nil
        }
        guard let refused else { return }
        let last = refused.status.map { "answered \($0)" } ?? "could not be reached"
        let pause = refused.until.flatMap { $0 > now ? $0 - now : nil }
        let next = pause.map { "in \(max(1, $0.components.seconds)) s" } ?? "by another request now"
        throw OAuth2Error(
            .temporarilyUnavailable,
            "\(endpoint) \(last) \(refused.count) times in a row, and is asked again \(next): no tokens were requested.",
            endpoint: endpoint, status: refused.status, retryAfter: pause)
    }

    private func note(_ error: any Error, _ endpoint: TargetURL) {
        let error = error as? OAuth2Error
        endpoints.withLock { endpoints in
            endpoints[endpoint]?.isBeingTried = false
            // A cancelled request says nothing, nor does one that was never sent.
            guard let error else { return }
            if error.status != nil, !error.isTemporary { return endpoints[endpoint] = nil }
            guard error.showsAFailure, endpoints[endpoint] != nil || endpoints.count < Self.capacity else { return }
            var failure = endpoints[endpoint] ?? Failure()
            failure.count += 1
            failure.status = error.status
            let now = clock.uptime
            // Requests that were sent before the pause fail in it, too: they do not make it longer.
            if failure.count >= Self.threshold, failure.until ?? now <= now {
                let pause = error.retryAfter ?? Self.pauses[min(failure.pauses, Self.pauses.count - 1)] * spread()
                failure.until = now + min(max(pause, .milliseconds(500)), Self.longestPause)
                failure.pauses += 1
            }
            endpoints[endpoint] = failure
        }
    }
}

extension OAuth2Error {
    /// Whether the endpoint is down for everybody: too many requests (429) may be those of one client, and a server's
    /// certificate that is refused may be a setting of one session.
    fileprivate var showsAFailure: Bool {
        if let status { return code == .temporarilyUnavailable && status >= 500 }
        guard code == .endpointUnreachable, let error = underlyingError as? ConversationError else { return false }
        return [.hostNotResolved, .connectionFailed, .timedOut, .emptyResponse, .sendFailed, .receiveFailed]
            .contains(error.code)
    }
}
