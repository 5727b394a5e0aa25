#if os(Linux)
import CGSSAPI
import HttpConvPlatform
import HttpConversation
import Synchronization

/// MIT's Kerberos library, which is loaded when it is first needed.
///
/// Sendable without the compiler's proof: the functions are never changed once they are loaded, the library stays
/// loaded for good, and it may be called by any thread.
struct GSSLibrary: @unchecked Sendable {
    let functions: gssapi_functions

    private static let loaded = Mutex<GSSLibrary?>(nil)
    private static let name = "libgssapi_krb5.so.2"

    /// Loads the library, once in a process. Blocks.
    static func load() throws(KerberosError) -> GSSLibrary { try load(name) }

    static func load(_ name: String) throws(KerberosError) -> GSSLibrary {
        let library = loaded.withLock { loaded -> GSSLibrary? in
            if name == Self.name, let loaded { return loaded }
            guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL), let functions = gssapi_functions_of(handle)
            else { return nil }
            let library = GSSLibrary(functions: functions.pointee)
            if name == Self.name { loaded = library }
            return library
        }
        guard let library else {
            throw KerberosError(
                .libraryMissing,
                "The Kerberos library \(name) is missing, or older than version 1.12: install MIT's Kerberos (Debian: libgssapi-krb5-2; Fedora: krb5-libs)."
            )
        }
        return library
    }

    // MARK: Values

    /// A name, for one call.
    func withName<Value>(
        _ text: String, _ kind: UnsafeMutablePointer<gssapi_oid>,
        _ body: (gssapi_handle?) throws(KerberosError) -> Value
    ) throws(KerberosError) -> Value {
        var name: gssapi_handle?
        var minor: gssapi_number = 0
        let major = Self.withBuffer(Array(text.utf8)) { functions.import_name(&minor, $0, kind, &name) }
        defer { _ = functions.release_name(&minor, &name) }
        try check(major, minor, "The name \(TerminalText.sanitise(text, limit: 120)) cannot be read")
        return try body(name)
    }

    /// Bytes as an argument of the library, which does not change them.
    static func withBuffer<Value, Failure: Error>(
        _ bytes: [UInt8], _ body: (UnsafeMutablePointer<gssapi_buffer>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // A copy of our own, because an empty array has no address.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
        defer {
            // Overwritten, because it may be a password.
            copy.withMemoryRebound(to: UInt8.self) { $0.update(repeating: 0) }
            copy.deallocate()
        }
        copy.copyBytes(from: bytes)
        var buffer = gssapi_buffer(length: bytes.count, value: copy.baseAddress)
        return try body(&buffer)
    }

    /// Takes the bytes that the library has allocated.
    func take(_ buffer: inout gssapi_buffer) -> [UInt8] {
        let bytes = Array(UnsafeRawBufferPointer(start: buffer.value, count: buffer.value == nil ? 0 : buffer.length))
        var minor: gssapi_number = 0
        _ = functions.release_buffer(&minor, &buffer)
        return bytes
    }

    // MARK: Failures

    /// Throws if a call has failed.
    ///
    /// - Parameter what: the beginning of a sentence, which the library's text ends
    func check(
        _ major: gssapi_number, _ minor: gssapi_number, _ what: @autoclosure () -> String
    ) throws(KerberosError) {
        guard GSSStatus.isFailure(major) else { return }
        let text = text(major, minor)
        let code = GSSStatus.code(major, text)
        throw KerberosError(code, "\(what()): \(text).\(GSSStatus.advice(code))")
    }

    /// The library's words for a failure.
    private func text(_ major: gssapi_number, _ minor: gssapi_number) -> String {
        let detail = minor == 0 ? "" : message(minor, kind: 2, gssapi_kerberos())
        let text = detail.isEmpty || detail == "Success" ? message(major, kind: 1, nil) : detail
        // Some messages count their last NUL.
        let shown = TerminalText.sanitise(text.replacing("\0", with: ""), limit: 300)
        return shown.hasSuffix(".") ? String(shown.dropLast()) : shown
    }

    private func message(_ status: gssapi_number, kind: Int32, _ mechanism: UnsafeMutablePointer<gssapi_oid>?) -> String
    {
        var more: gssapi_number = 0
        var minor: gssapi_number = 0
        var buffer = gssapi_buffer(length: 0, value: nil)
        let major = functions.display_status(&minor, status, kind, mechanism, &more, &buffer)
        let text = String(decoding: take(&buffer), as: UTF8.self)
        return major == 0 ? text : ""
    }
}
#endif
