import HTTPTypes
import HttpConversation
import HttpConversationConformance
import NIOSSL

@testable import HttpConversationNIO

/// The stage at which an exchange waits, with a server that keeps it waiting there.
enum AwaitStage: String, CaseIterable, Sendable {
    /// For the TLS handshake.
    case handshake
    /// For our answer to the server's request for a certificate.
    case certificate
    /// For the filters' judgement of the server's certificate.
    case trust
    /// For a connection (HTTP/1.1), or for a stream (HTTP/2).
    case place
    /// For `100 Continue`.
    case expectation
    /// For the server to take more of the body.
    case upload
    /// For the head of the response.
    case head
    /// For more of the response's body.
    case body

    func configure(_ configuration: inout NIOTransport.Configuration) {
        configuration.maximumConnectionsPerOrigin = 1
        configuration.expectContinueThreshold = self == .expectation ? 1 : .max
        configuration.continueTimeout = .seconds(60)
    }

    /// The server's script until the client leaves. Opens `arrived` when the client waits.
    func script(_ version: ProtocolVersion, _ arrived: Gate) -> RawServer.Script {
        let isHTTP2 = version == .http2
        return { connection in
            switch self {
            case .handshake:
                _ = try await connection.read()
                arrived.open()
            case .certificate, .trust: break
            case .place, .head, .expectation, .upload,
                .body where !isHTTP2:
                _ = try await connection.readHead()
                if self == .body { try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc") }
                arrived.open()
                // The body is not read.
                if self == .upload { return await Never.wait() }
            default:
                let peer = try await HTTP2Peer.accept(connection, settings: [(3, 1)])
                let stream = try await peer.readRequest()
                if self == .body {
                    try await peer.write(
                        HTTP2Peer.head(stream, [(":status", "200")]) + HTTP2Peer.body(stream, [1], ends: false))
                }
                var received = 0
                while self == .upload, received < 65_535 {
                    received += try await peer.read(HTTP2Peer.data).payload.count
                }
                arrived.open()
            }
            try await connection.untilClosed()
        }
    }

    /// The server's TLS; nil if the handshake never ends.
    func context(_ authority: TestAuthority, _ version: ProtocolVersion) throws -> NIOSSLContext? {
        if self == .handshake { return nil }
        var configuration = try authority.serverConfiguration()
        configuration.applicationProtocols = version == .http2 ? ["h2"] : ["http/1.1"]
        if self == .certificate {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(authority.pem))
        }
        return try NIOSSLContext(configuration: configuration)
    }

    /// - Parameter canary: kept alive by the waiting code on our side
    func body(_ canary: Canary) -> RequestBody? {
        guard self == .upload || self == .expectation else { return nil }
        return .stream(length: 64 << 20) {
            RequestBodyStream {
                withExtendedLifetime(canary) {}
                return [UInt8](repeating: 1, count: 16 << 10)
            }
        }
    }

    func change(_ options: inout TransportOptions, _ arrived: Gate, _ canary: Canary) {
        let waiting: @Sendable () async throws -> Void = {
            arrived.open()
            try await Task.sleep(for: .seconds(3600))
            withExtendedLifetime(canary) {}
        }
        switch self {
        case .certificate:
            options.clientIdentity = ClientIdentitySource {
                try await waiting()
                return nil
            }
        case .trust: options.serverTrust = ServerTrustPolicy { _, _ in try await waiting() }
        default: break
        }
    }
}

extension Never {
    /// Waits until the task is cancelled.
    fileprivate static func wait() async { try? await Task.sleep(for: .seconds(3600)) }
}
