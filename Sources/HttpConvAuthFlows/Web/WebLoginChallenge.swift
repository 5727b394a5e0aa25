import HttpConversation

/// The exchange that a server answered with the demand for a web login.
struct WebLoginChallenge: Sendable {
    /// The URL of the exchange.
    let target: TargetURL
    /// The session's epoch when its cookies were chosen.
    let sentUnder: UInt64
    /// Ends the exchange: nothing is held while the person logs in.
    let finish: @Sendable () async -> Void

    init(_ response: ReceivedResponse) {
        target = response.target
        sentUnder = response.sentUnder
        finish = { await response.finish() }
    }

    init(_ redirect: Redirect) {
        target = redirect.source
        sentUnder = redirect.sentUnder
        finish = { await redirect.finish() }
    }
}
