import Crypto
import Foundation
import HttpConvCertificates
import HttpConversation
import HttpConversationConformance
import NIOSSL
import X509

/// A server that asks for a client certificate, and answers with its subject.
struct MutualServer {
    /// The TLS version that it speaks.
    enum Version: String, CaseIterable, Sendable {
        case tls12, tls13

        var version: TLSVersion { self == .tls12 ? .tlsv12 : .tlsv13 }
    }

    let authority: TestAuthority
    let version: Version
    var isOptional = false
    /// Whether it speaks only HTTP/2.
    var isHTTP2 = false

    func context() throws -> NIOSSLContext {
        var configuration = try authority.serverConfiguration()
        configuration.minimumTLSVersion = version.version
        configuration.maximumTLSVersion = version.version
        configuration.certificateVerification = isOptional ? .optionalVerification : .noHostnameVerification
        if isHTTP2 { configuration.applicationProtocols = ["h2"] }
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(authority.pem))
        return try NIOSSLContext(configuration: configuration)
    }

    /// Runs the server while `body` runs.
    func run<Result: Sendable>(_ body: @Sendable (RawServer) async throws -> Result) async throws -> Result {
        try await RawServer.run(tls: context(), script: isHTTP2 ? Self.answeringHTTP2 : Self.answering, body)
    }

    static let answeringHTTP2: RawServer.Script = { connection in
        let peer = try await HTTP2Peer.accept(connection, settings: [(3, 1000)])
        try await peer.serve(connection.clientName() ?? "nobody")
    }

    static let answering: RawServer.Script = { connection in
        while true {
            let head = try await connection.readHead()
            if let length = head.firstMatch(of: #/(?i)content-length: (\d+)/#).flatMap({ Int($0.1) }) {
                _ = try await connection.readBytes(length)
            }
            try await connection.respond(connection.clientName() ?? "nobody")
        }
    }
}

extension TestAuthority {
    /// A client's certificate with its key.
    func identity(_ name: String) throws -> ClientIdentity {
        let key = P256.Signing.PrivateKey()
        let certificate = try issue(name, for: .init(key.publicKey), [.clientAuth])
        return try .pem(
            certificates: Array(try certificate.serializeAsPEM().pemString.utf8),
            key: Array(key.pemRepresentation.utf8))
    }
}
