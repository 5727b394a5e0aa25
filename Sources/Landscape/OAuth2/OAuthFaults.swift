import Synchronization

/// The injected faults of the authorization server.
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

    /// The delay of each token request.
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

    /// The first fault for the grant, either of the faults that replace the answer or of those that alter it.
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
