#if canImport(GSS)
import GSS
import HttpConversation

/// The tickets of a login, by Apple's framework. All calls block.
final class GSSCredential: Sendable {
    /// The remaining lifetime of the credential; nil if unknown.
    let lifetime: Duration?
    /// The framework's handle, as a number.
    private let handle: UInt

    /// Acquires the credential of a login: the system's tickets, or those for a password.
    init(_ login: KerberosLogin, memory: String) throws(KerberosError) {
        var credential: gss_cred_id_t?
        var lifetime: OM_uint32 = 0
        var minor: OM_uint32 = 0
        let major: OM_uint32
        switch login.source {
        case .cache(nil):
            major = try GSSCalls.withName(login.principal, GSSCalls.user) { name in
                GSSCalls.withMechanisms { gss_acquire_cred(&minor, name, .max, $0, 1, &credential, nil, &lifetime) }
            }
        case .password(let password):
            major = try GSSCalls.withName(login.principal, GSSCalls.user) { name in
                guard let name else { return 0 }
                return GSSCalls.withBuffer(Array(password.value.utf8)) { buffer in
                    GSSCalls.withMechanisms {
                        gss_acquire_cred_with_password(
                            &minor, name, buffer, .max, $0, 1, &credential, nil, &lifetime)
                    }
                }
            }
        case .cache, .keytab:
            throw KerberosError(
                .unsupported,
                "Apple's Kerberos has the system's tickets and passwords, and neither keytabs nor named caches.")
        }
        try GSSCalls.check(major, minor, "The \(login) cannot be used")
        self.lifetime = GSSStatus.duration(lifetime)
        handle = UInt(bitPattern: credential)
    }

    deinit {
        var credential = gss_cred_id_t(bitPattern: handle)
        var minor: OM_uint32 = 0
        _ = gss_release_cred(&minor, &credential)
    }

    fileprivate var credential: gss_cred_id_t? { gss_cred_id_t(bitPattern: handle) }
}

/// The calls of Apple's framework.
extension GSSContext {
    func delete(_ handle: UInt) {
        var context = gss_ctx_id_t(bitPattern: handle)
        var minor: OM_uint32 = 0
        _ = gss_delete_sec_context(&minor, &context, nil)
    }

    func step(_ token: [UInt8]?, _ handle: inout UInt) throws(KerberosError) -> Step {
        var context = gss_ctx_id_t(bitPattern: handle)
        var minor: OM_uint32 = 0
        var granted: OM_uint32 = 0
        var output = gss_buffer_desc()
        let kind = login.naming == .principal ? GSSCalls.principal : GSSCalls.hostbased
        let major: OM_uint32 = try GSSCalls.withName(login.serviceName(of: host), kind) { name in
            guard let name else { return 0 }
            return withBindings { bindings in
                GSSCalls.withBuffer(token ?? []) { input in
                    GSSCalls.withOID(GSSCalls.spnego) { mechanism in
                        gss_init_sec_context(
                            &minor, credential.credential, &context, name, mechanism,
                            GSSFlags.wanted(login.delegation), 0, bindings, token == nil ? nil : input, nil, &output,
                            &granted, nil)
                    }
                }
            }
        }
        handle = UInt(bitPattern: context)
        let answer = GSSCalls.take(&output)
        try GSSCalls.check(major, minor, failedLogin)
        return Step(
            token: answer, isUnfinished: major & GSSStatus.isUnfinished != 0, isMutual: granted & GSSFlags.mutual != 0)
    }

    private func withBindings<Value>(_ body: (gss_channel_bindings_t?) -> Value) -> Value {
        guard let bindings else { return body(nil) }
        return GSSCalls.withBuffer(bindings) { data in
            var bindings = gss_channel_bindings_struct()
            bindings.application_data = data.pointee
            return body(&bindings)
        }
    }
}

/// The framework's values.
private enum GSSCalls {
    // Object identifiers in DER, without tag and length.
    static let spnego: [UInt8] = [0x2b, 6, 1, 5, 5, 2]
    static let kerberos: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 2]
    static let principal: [UInt8] = kerberos + [1]
    static let user: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 1, 1]
    static let hostbased: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 1, 4]

    static func withOID<Value>(_ bytes: [UInt8], _ body: (gss_OID) -> Value) -> Value {
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { bytes in
            var oid = gss_OID_desc(length: OM_uint32(bytes.count), elements: bytes.baseAddress)
            return body(&oid)
        }
    }

    /// Kerberos only: the framework would offer NTLM, too.
    static func withMechanisms<Value>(_ body: (gss_OID_set) -> Value) -> Value {
        withOID(kerberos) { oid in
            var set = gss_OID_set_desc(count: 1, elements: oid)
            return body(&set)
        }
    }

    static func withBuffer<Value>(_ bytes: [UInt8], _ body: (gss_buffer_t) -> Value) -> Value {
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { bytes in
            var buffer = gss_buffer_desc(length: bytes.count, value: bytes.baseAddress)
            return body(&buffer)
        }
    }

    static func withName<Value>(
        _ text: String?, _ kind: [UInt8], _ body: (gss_name_t?) -> Value
    ) throws(KerberosError) -> Value {
        guard let text else { return body(nil) }
        var name: gss_name_t?
        var minor: OM_uint32 = 0
        let major = withBuffer(Array(text.utf8)) { buffer in
            withOID(kind) { gss_import_name(&minor, buffer, $0, &name) }
        }
        defer { _ = gss_release_name(&minor, &name) }
        try check(major, minor, "The name \(TerminalText.sanitise(text, limit: 120)) cannot be read")
        return body(name)
    }

    static func take(_ buffer: inout gss_buffer_desc) -> [UInt8] {
        let bytes = Array(UnsafeRawBufferPointer(start: buffer.value, count: buffer.value == nil ? 0 : buffer.length))
        var minor: OM_uint32 = 0
        _ = gss_release_buffer(&minor, &buffer)
        return bytes
    }

    static func check(
        _ major: OM_uint32, _ minor: OM_uint32, _ what: @autoclosure () -> String
    ) throws(KerberosError) {
        guard GSSStatus.isFailure(major) else { return }
        let detail = minor == 0 ? "" : withOID(kerberos) { message(minor, 2, $0) }
        let text = TerminalText.sanitise(detail.isEmpty ? message(major, 1, nil) : detail, limit: 300)
        let code = GSSStatus.code(major, text)
        throw KerberosError(code, "\(what()): \(text).\(GSSStatus.advice(code))")
    }

    private static func message(_ status: OM_uint32, _ kind: Int32, _ mechanism: gss_OID?) -> String {
        var more: OM_uint32 = 0
        var minor: OM_uint32 = 0
        var buffer = gss_buffer_desc()
        let major = gss_display_status(&minor, status, kind, mechanism, &more, &buffer)
        let text = String(decoding: take(&buffer), as: UTF8.self)
        return major == 0 ? text : ""
    }
}
#endif
