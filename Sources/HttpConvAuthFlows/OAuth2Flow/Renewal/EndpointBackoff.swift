import HttpConversation
import Synchronization

/// Delays requests to a token endpoint that just failed temporarily, or answered with something other than OAuth2.
final class EndpointBackoff: Sendable {
    private struct Pause {
        /// The uptime at which it ends.
        let until: Duration
        let error: OAuth2Error
    }

    private let pauses = Mutex<[OAuth2TokenKey: Pause]>([:])
    /// The pause if the server does not give one.
    private static let standard = Duration.seconds(2)

    /// Throws the last failure until its pause is over.
    func check(_ key: OAuth2TokenKey, at now: Duration) throws {
        let pause = pauses.withLock { pauses in
            if let pause = pauses[key], pause.until <= now { pauses[key] = nil }
            return pauses[key]
        }
        if let pause { throw pause.error }
    }

    /// - Parameter now: the uptime: a date may be set back, and the pause would last as long
    func note(_ error: OAuth2Error, _ key: OAuth2TokenKey, at now: Duration) {
        guard error.isTemporary || error.saysNothingOfTokens else { return }
        let pause = min(max(error.retryAfter ?? Self.standard, .seconds(1)), .seconds(300))
        pauses.withLock { $0[key] = Pause(until: now + pause, error: error) }
    }
}
