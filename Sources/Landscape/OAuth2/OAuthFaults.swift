import Synchronization

/// What the next requests meet at the authorization server.
final class OAuthFaults: Sendable {
    private struct TokenEntry {
        let fault: OAuthTokenFault
        let grant: OAuthGrantType?
        var remaining: Int?
    }

    private struct State {
        var token: [TokenEntry] = []
        var authorization: [(fault: OAuthAuthorizationFault, remaining: Int?)] = []
        var delay: Duration?
    }

    private let state = Mutex(State())

    /// How long each token request waits.
    var delay: Duration? {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue } }
    }

    func add(_ fault: OAuthTokenFault, times: Int?, grant: OAuthGrantType?) {
        state.withLock { $0.token.append(TokenEntry(fault: fault, grant: grant, remaining: times)) }
    }

    func add(_ fault: OAuthAuthorizationFault, times: Int?) {
        state.withLock { $0.authorization.append((fault, times)) }
    }

    /// The first fault for the grant, of those that replace an answer or of those that alter one.
    func takeToken(grant: OAuthGrantType?, replacing: Bool) -> OAuthTokenFault? {
        state.withLock { state in
            let index = state.token.firstIndex {
                $0.fault.replacesAnswer == replacing && ($0.grant == nil || $0.grant == grant) && $0.remaining != 0
            }
            guard let index else { return nil }
            let fault = state.token[index].fault
            state.token[index].remaining = state.token[index].remaining.map { $0 - 1 }
            state.token.removeAll { $0.remaining == 0 }
            return fault
        }
    }

    func takeAuthorization() -> OAuthAuthorizationFault? {
        state.withLock { state in
            guard let first = state.authorization.first else { return nil }
            state.authorization[0].remaining = first.remaining.map { $0 - 1 }
            state.authorization.removeAll { $0.remaining == 0 }
            return first.fault
        }
    }

    func removeAll() {
        state.withLock { $0 = State() }
    }
}
