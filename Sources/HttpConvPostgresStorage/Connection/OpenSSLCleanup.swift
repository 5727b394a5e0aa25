#if PostgreSQL
internal import HttpConvPlatform

/// Keeps OpenSSL from releasing its memory when the process exits.
///
/// It would do so while the listener's thread may be in a handshake, which ends the process with a signal. The system
/// releases the memory anyway.
enum OpenSSLCleanup {
    /// Runs once, before the first connection: OpenSSL decides when it is first used.
    static let isOff: Bool = {
        typealias Initialize = @convention(c) (UInt64, OpaquePointer?) -> Int32
        #if canImport(Darwin)
        let anyLibrary = UnsafeMutableRawPointer(bitPattern: -2)
        #else
        let anyLibrary: UnsafeMutableRawPointer? = nil
        #endif
        // libpq brings the library; its headers are not needed for one function.
        guard let function = dlsym(anyLibrary, "OPENSSL_init_crypto") else { return false }
        // OPENSSL_INIT_NO_ATEXIT
        return unsafeBitCast(function, to: Initialize.self)(0x0008_0000, nil) == 1
    }()
}
#endif
