#if os(Linux) || canImport(GSS)
import HttpConversation
import Synchronization

/// One login at one service: a security context of the initiator (RFC 2743 §2.2). All calls block. One call at a time.
final class GSSContext: Sendable {
    private struct State {
        /// The library's handle, as a number.
        var handle: UInt = 0
        var isComplete = false
    }

    /// The library's answer to a token.
    struct Step {
        /// The token for the server; empty if it needs none.
        let token: [UInt8]
        let isUnfinished: Bool
        /// Whether the server has proved that it has the key of its service.
        let isMutual: Bool
    }

    let credential: GSSCredential
    let login: KerberosLogin
    /// The host of the service.
    let host: String
    /// The data that bind the login to a TLS connection; nil: none.
    let bindings: [UInt8]?
    private let state = Mutex(State())

    init(_ credential: GSSCredential, _ login: KerberosLogin, host: String, bindings: [UInt8]?) {
        self.credential = credential
        self.login = login
        self.host = host
        self.bindings = bindings
    }

    deinit { state.withLock { delete($0.handle) } }

    /// Whether both sides have proved who they are.
    var isComplete: Bool { state.withLock(\.isComplete) }

    /// Makes the next token.
    ///
    /// - Parameter token: the server's token; nil at the beginning
    /// - Returns: the token for the server; empty if it needs none
    func next(_ token: [UInt8]? = nil) throws(KerberosError) -> [UInt8] {
        let result = state.withLock { state in
            Result { () throws(KerberosError) in try next(token, &state) }
        }
        return try result.get()
    }

    private func next(_ token: [UInt8]?, _ state: inout State) throws(KerberosError) -> [UInt8] {
        guard !state.isComplete else {
            throw KerberosError(.invalidToken, "The service \(host) sent another token after the login was complete.")
        }
        let step = try step(token, &state.handle)
        guard !step.isUnfinished else { return step.token }
        guard step.isMutual else {
            throw KerberosError(
                .serverNotAuthenticated, "The service \(host) did not prove that it has the key of its service.")
        }
        state.isComplete = true
        return step.token
    }

    /// The login, for errors.
    var failedLogin: String { "No login with Kerberos at \(login.serviceName(of: host))" }
}
#endif
