import NIOSSL

/// The authority that all servers of the suite have their certificates from.
enum SuiteAuthority {
    static let authority = Result { try TestAuthority() }

    static func context(protocols: [String] = ["http/1.1"]) throws -> NIOSSLContext {
        try authority.get().serverContext(protocols: protocols)
    }
}
