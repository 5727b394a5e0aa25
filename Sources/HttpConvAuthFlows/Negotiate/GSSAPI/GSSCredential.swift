#if os(Linux)
import CGSSAPI
import HttpConvPlatform
import Synchronization

/// The tickets of a login in the library's memory. All calls block.
final class GSSCredential: Sendable {
    let library: GSSLibrary
    /// The remaining lifetime of the credential; nil if unknown.
    let lifetime: Duration?
    private let handle: Mutex<gssapi_handle?>

    /// Acquires the credential of a login.
    ///
    /// - Parameter memory: the name of a cache in memory, for tickets that a keytab gets
    init(_ login: KerberosLogin, memory: String) throws(KerberosError) {
        let library = try GSSLibrary.load()
        var credential: gssapi_handle?
        var lifetime: gssapi_number = 0
        try Self.acquire(login, memory, library, &credential, &lifetime)
        self.library = library
        self.lifetime = GSSStatus.duration(lifetime)
        handle = Mutex(credential)
    }

    deinit {
        handle.withLock { handle in
            var minor: gssapi_number = 0
            _ = library.functions.release_credential(&minor, &handle)
        }
    }

    /// Calls the library with the credential.
    func use<Value: Sendable, Failure: Error>(
        _ body: (gssapi_handle?) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let handle = handle.withLock { UInt(bitPattern: $0) }
        return try withExtendedLifetime(self) { () throws(Failure) in try body(gssapi_handle(bitPattern: handle)) }
    }

    private static func acquire(
        _ login: KerberosLogin, _ memory: String, _ library: GSSLibrary, _ credential: inout gssapi_handle?,
        _ lifetime: inout gssapi_number
    ) throws(KerberosError) {
        guard let principal = login.principal else {
            return try acquire(login, nil, memory, library, &credential, &lifetime)
        }
        // A user name is read as a principal (RFC 1964 §2.1.1).
        return try library.withName(principal, gssapi_principal()) { name throws(KerberosError) in
            try acquire(login, name, memory, library, &credential, &lifetime)
        }
    }

    private static func acquire(
        _ login: KerberosLogin, _ name: gssapi_handle?, _ memory: String, _ library: GSSLibrary,
        _ credential: inout gssapi_handle?, _ lifetime: inout gssapi_number
    ) throws(KerberosError) {
        let functions = library.functions
        var minor: gssapi_number = 0
        var major = call(login, name, memory, library, gssapi_spnego(), &minor, &credential, &lifetime)
        if !GSSStatus.isFailure(major) {
            // Kerberos only: SPNEGO offers NTLM where a plugin has it.
            var kerberos = gssapi_oids(count: 1, elements: gssapi_kerberos())
            major = functions.set_mechanisms(&minor, credential, &kerberos)
        } else {
            // SPNEGO does not say why there is no credential.
            var other: gssapi_handle?
            var otherMinor: gssapi_number = 0
            let otherMajor = call(login, name, memory, library, gssapi_kerberos(), &otherMinor, &other, &lifetime)
            if GSSStatus.isFailure(otherMajor) { (major, minor) = (otherMajor, otherMinor) }
            _ = functions.release_credential(&otherMinor, &other)
        }
        do throws(KerberosError) { try library.check(major, minor, "The \(login) cannot be used") } catch {
            _ = functions.release_credential(&minor, &credential)
            throw error
        }
    }

    private static func call(
        _ login: KerberosLogin, _ name: gssapi_handle?, _ memory: String, _ library: GSSLibrary,
        _ mechanism: UnsafeMutablePointer<gssapi_oid>, _ minor: inout gssapi_number,
        _ credential: inout gssapi_handle?, _ lifetime: inout gssapi_number
    ) -> gssapi_number {
        let functions = library.functions
        let initiates: Int32 = 1
        var mechanisms = gssapi_oids(count: 1, elements: mechanism)
        let store: [(key: String, value: String)]
        switch login.source {
        case .password(let password):
            return GSSLibrary.withBuffer(Array(password.value.utf8)) { buffer in
                functions.acquire_with_password(
                    &minor, name, buffer, .max, &mechanisms, initiates, &credential, nil, &lifetime)
            }
        case .cache(nil):
            return functions.acquire_from(
                &minor, name, .max, &mechanisms, initiates, nil, &credential, nil, &lifetime)
        case .cache(let cache?): store = [("ccache", cache)]
        case .keytab(let path): store = [("client_keytab", path), ("ccache", "MEMORY:\(memory)")]
        }
        return withSettings(store) { settings in
            functions.acquire_from(
                &minor, name, .max, &mechanisms, initiates, settings, &credential, nil, &lifetime)
        }
    }

    private static func withSettings<Value>(
        _ values: [(key: String, value: String)], _ body: (UnsafeMutablePointer<gssapi_settings>) -> Value
    ) -> Value {
        let texts = values.flatMap { [strdup($0.key), strdup($0.value)] }
        defer { for text in texts { free(text) } }
        var elements = stride(from: 0, to: texts.count, by: 2).map { index in
            gssapi_setting(key: texts[index], value: texts[index + 1])
        }
        return elements.withUnsafeMutableBufferPointer { elements in
            var settings = gssapi_settings(count: gssapi_number(elements.count), elements: elements.baseAddress)
            return body(&settings)
        }
    }
}
#endif
