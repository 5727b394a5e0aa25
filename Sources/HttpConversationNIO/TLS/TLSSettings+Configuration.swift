import HttpConvPlatform
import HttpConversation
import NIOCore
import NIOSSL
import X509

extension NIOTransport.TLSSettings {
    /// The TLS configuration. Blocks: reads the trusted certificates.
    func configuration(_ protocols: ApplicationProtocols) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // A server that never answers the closing alert holds its connection, and the filters of its request, for this
        // long.
        configuration.shutdownTimeout = .seconds(1)
        configuration.applicationProtocols = protocols.names
        switch trustRoots {
        case .system: break
        case .file(let url):
            let path = url.path(percentEncoded: false)
            configuration.trustRoots = .certificates(
                try Self.certificates("the file \"\(url.lastPathComponent)\"") {
                    try NIOSSLCertificate.fromPEMFile(path)
                })
        case .pem(let bytes):
            configuration.trustRoots = .certificates(
                try Self.certificates("the given PEM") { try NIOSSLCertificate.fromPEMBytes(bytes) })
        }
        // `ServerIdentity` compares the names.
        configuration.certificateVerification = verifiesCertificates ? .noHostnameVerification : .none
        return configuration
    }

    /// The explanation of refusals by these roots. Blocks: reads the trusted certificates.
    func explanation() throws -> TrustExplanation {
        guard case .certificates(let roots)? = try configuration(.http1).trustRoots else {
            return TrustExplanation(roots: Self.systemRoots())
        }
        return TrustExplanation(roots: Self.readable(roots))
    }

    /// The certificates that can be parsed.
    private static func readable(_ certificates: [NIOSSLCertificate]) -> [Certificate] {
        certificates.compactMap { try? Certificate(derEncoded: $0.toDERBytes()) }
    }

    /// The error for a system without certificates, for which BoringSSL gives no reason. Returns nil for other errors.
    func lacksRoots(_ error: any Error) -> ConversationError? {
        guard case .system = trustRoots, verifiesCertificates,
            case .unknownError(let stack)? = error as? BoringSSLError,
            stack.isEmpty
        else { return nil }
        return ConversationError(
            .trustRootsUnusable,
            "This system has no certificates of authorities: install them (Debian: ca-certificates), or name a file with them.",
            underlyingError: error)
    }

    /// The files that NIOSSL reads; the first one that exists counts.
    private static let systemFiles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]

    private static func systemRoots() -> [Certificate]? {
        systemFiles.lazy.compactMap { try? NIOSSLCertificate.fromPEMFile($0) }.first.map(readable)
    }

    private static func certificates(
        _ source: String, _ load: () throws -> [NIOSSLCertificate]
    ) throws -> [NIOSSLCertificate] {
        do {
            let certificates = try load()
            if !certificates.isEmpty { return certificates }
        } catch {
            throw unusable(source, error)
        }
        throw unusable(source, nil)
    }

    private static func unusable(_ source: String, _ error: (any Error)?) -> ConversationError {
        ConversationError(
            .trustRootsUnusable,
            "The trusted certificates cannot be read from \(source): it must exist and hold certificates in PEM.",
            underlyingError: error)
    }
}
