#if os(Linux)
import CGSSAPI

/// The calls of MIT's library.
extension GSSContext {
    func delete(_ handle: UInt) {
        var handle = gssapi_handle(bitPattern: handle)
        var minor: gssapi_number = 0
        _ = credential.library.functions.delete_context(&minor, &handle, nil)
    }

    func step(_ token: [UInt8]?, _ number: inout UInt) throws(KerberosError) -> Step {
        let library = credential.library
        let kind = login.naming == .principal ? gssapi_principal() : gssapi_hostbased()
        return try library.withName(login.serviceName(of: host), kind) { name throws(KerberosError) in
            var handle = gssapi_handle(bitPattern: number)
            defer { number = UInt(bitPattern: handle) }
            return try step(library, name, token, &handle)
        }
    }

    private func step(
        _ library: GSSLibrary, _ name: gssapi_handle?, _ token: [UInt8]?, _ handle: inout gssapi_handle?
    ) throws(KerberosError) -> Step {
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
        try library.check(major, minor, failedLogin)
        return Step(
            token: answer, isUnfinished: major & GSSStatus.isUnfinished != 0, isMutual: granted & GSSFlags.mutual != 0)
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
