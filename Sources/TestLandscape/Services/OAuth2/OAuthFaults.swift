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
        var delay: Duration?
    }

    let authorization = FaultQueue<OAuthAuthorizationFault>()
    private let state = Mutex(State())

    /// The delay of each token request.
    var delay: Duration? {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue } }
    }

    func add(_ fault: OAuthTokenFault, times: Int?, grant: OAuthGrantType?) {
        state.withLock { $0.token.append(TokenEntry(fault: fault, grant: grant, remaining: times)) }
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

    func removeAll() {
        authorization.removeAll()
        state.withLock { $0 = State() }
    }
}

/// A fault of an authorization answer, see ``Landscape/failAuthorizations(_:)``.
package enum OAuthAuthorizationFault: String, Sendable, Hashable, Codable, CaseIterable {
    /// `iss` names another issuer.
    case wrongIssuer = "wrong-issuer"
    /// No `iss`, though the metadata promises it.
    case missingIssuer = "missing-issuer"
    /// Another `state`.
    case wrongState = "wrong-state"
    /// No `state`.
    case missingState = "missing-state"
    /// An error instead of a code.
    case serverError = "server-error"
    /// A code that the server did not issue.
    case foreignCode = "foreign-code"
}
