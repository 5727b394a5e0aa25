import Foundation
import HttpConversation
import NIOSSL
import X509

extension NIOTransport.TLSSettings {
    /// Blocking: reads the trusted certificates.
    func configuration(_ protocols: ApplicationProtocols) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
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
        if !verifiesCertificates { configuration.certificateVerification = .none }
        return configuration
    }

    /// Verifies as the configuration would. Blocking: reads the trusted certificates.
    func verifier() throws -> ServerVerifier {
        guard verifiesCertificates else { return ServerVerifier(roots: nil) }
        guard case .certificates(let roots)? = try configuration(.http1).trustRoots else {
            return ServerVerifier(roots: try Self.systemRoots())
        }
        // What cannot be read vouches for nobody.
        return ServerVerifier(
            roots: CertificateStore(roots.compactMap { try? Certificate(derEncoded: $0.toDERBytes()) }))
    }

    /// The error of a system that has no certificates, of which BoringSSL says nothing at all; nil for others.
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

    private static func systemRoots() throws -> CertificateStore {
        #if canImport(Darwin)
        throw ConversationError(
            .trustRootsUnusable,
            "The system's certificates cannot be read here: where filters decide about servers, name a file with the trusted certificates."
        )
        #else
        return .systemTrustRoots
        #endif
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
