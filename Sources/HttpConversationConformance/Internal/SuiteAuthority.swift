import NIOSSL

/// The authority of all certificates of the suite's servers.
enum SuiteAuthority {
    static let authority = Result { try TestAuthority() }

    static func context(protocols: [String] = ["http/1.1"]) throws -> NIOSSLContext {
        try authority.get().serverContext(protocols: protocols)
    }
}
