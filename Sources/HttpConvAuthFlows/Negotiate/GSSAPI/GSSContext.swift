#if os(Linux)
import CGSSAPI
import HttpConversation
import Synchronization

/// One login at one service: a security context of the initiator (RFC 2743 §2.2). All calls block, and follow one another.
final class GSSContext: Sendable {
    private struct State {
        /// The library's handle, as a number.
        var handle: UInt = 0
        var isComplete = false
    }

    private let credential: GSSCredential
    private let login: KerberosLogin
    private let host: String
    private let bindings: [UInt8]?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - host: the host of the service
    ///   - bindings: the data that bind the login to a TLS connection; nil: none
    init(_ credential: GSSCredential, _ login: KerberosLogin, host: String, bindings: [UInt8]?) {
        self.credential = credential
        self.login = login
        self.host = host
        self.bindings = bindings
    }

    deinit {
        state.withLock { state in
            var handle = gssapi_handle(bitPattern: state.handle)
            var minor: gssapi_number = 0
            _ = credential.library.functions.delete_context(&minor, &handle, nil)
        }
    }

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
        let library = credential.library
        let kind = login.naming == .principal ? gssapi_principal() : gssapi_hostbased()
        return try library.withName(login.serviceName(of: host), kind) { name throws(KerberosError) in
            var handle = gssapi_handle(bitPattern: state.handle)
            defer { state.handle = UInt(bitPattern: handle) }
            return try step(library, name, token, &handle, &state.isComplete)
        }
    }

    private func step(
        _ library: GSSLibrary, _ name: gssapi_handle?, _ token: [UInt8]?, _ handle: inout gssapi_handle?,
        _ isComplete: inout Bool
    ) throws(KerberosError) -> [UInt8] {
        var minor: gssapi_number = 0
        var granted: gssapi_number = 0
        var output = gssapi_buffer(length: 0, value: nil)
        let major = credential.use { credential in
            withBindings { bindings in
                GSSLibrary.withBuffer(token ?? []) { input in
                    library.functions.init_context(
                        &minor, credential, &handle, name, gssapi_spnego(), GSSFlags.wanted(login.delegation), 0,
                        bindings,
                        token == nil ? nil : input, nil, &output, &granted, nil)
                }
            }
        }
        let answer = library.take(&output)
        try library.check(major, minor, "No login with Kerberos at \(login.serviceName(of: host))")
        guard major & GSSStatus.isUnfinished == 0 else { return answer }
        guard granted & GSSFlags.mutual != 0 else {
            throw KerberosError(
                .serverNotAuthenticated, "The service \(host) did not prove that it has the key of its service.")
        }
        isComplete = true
        return answer
    }

    private func withBindings<Value>(_ body: (UnsafeMutablePointer<gssapi_bindings>?) -> Value) -> Value {
        guard let bindings else { return body(nil) }
        return GSSLibrary.withBuffer(bindings) { data in
            var bindings = gssapi_bindings()
            bindings.data = data.pointee
            return body(&bindings)
        }
    }
}
#endif
