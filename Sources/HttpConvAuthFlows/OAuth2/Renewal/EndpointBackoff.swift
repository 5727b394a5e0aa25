import Foundation
import HttpConversation
import Synchronization

/// Keeps from asking a token endpoint again right after it could not answer.
final class EndpointBackoff: Sendable {
    private struct Pause {
        let until: Date
        let error: OAuth2Error
    }

    private let pauses = Mutex<[OAuth2TokenKey: Pause]>([:])
    /// Where the server does not say how long.
    private static let standard: TimeInterval = 2

    /// Throws the last failure where it is too early to try again.
    func check(_ key: OAuth2TokenKey, at now: Date) throws {
        let pause = pauses.withLock { pauses in
            if let pause = pauses[key], pause.until <= now { pauses[key] = nil }
            return pauses[key]
        }
        if let pause { throw pause.error }
    }

    func note(_ error: OAuth2Error, _ key: OAuth2TokenKey, at now: Date) {
        guard error.isTemporary else { return }
        let asked = error.retryAfter.map { Double($0.components.seconds) } ?? Self.standard
        pauses.withLock { $0[key] = Pause(until: now.addingTimeInterval(min(max(asked, 1), 300)), error: error) }
    }
}
