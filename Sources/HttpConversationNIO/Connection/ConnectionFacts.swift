import HttpConvCertificates
import HttpConversation
import NIOCore
import NIOSSL
import Synchronization

/// What is remembered of how a connection was made; read only where somebody wants to know.
final class ConnectionFacts: Sendable {
    private static let count = Atomic<Int>(0)

    private let peer: SocketAddress?
    private let tlsVersion: TLSVersion?
    private let certificate: NIOSSLCertificate?
    private let connectTime: Duration
    private let tlsTime: Duration
    private let made = Mutex<ConnectionReport?>(nil)

    /// - Parameters:
    ///   - tls: what speaks TLS to the server; nil: nobody does
    ///   - began: when it was begun
    ///   - connected: when bytes could be sent
    init(_ channel: any Channel, _ tls: NIOSSLClientHandler?, began: NIODeadline, connected: NIODeadline) {
        peer = channel.remoteAddress
        tlsVersion = tls?.tlsVersion
        certificate = tls?.peerCertificate
        connectTime = .nanoseconds((connected - began).nanoseconds)
        tlsTime = .nanoseconds((NIODeadline.now() - connected).nanoseconds)
    }

    /// Made once.
    var report: ConnectionReport {
        made.withLock { made in
            if let made { return made }
            let report = ConnectionReport(
                number: Self.count.wrappingAdd(1, ordering: .relaxed).newValue, peer: peer.flatMap(Self.text),
                tlsVersion: tlsVersion.map(Self.name),
                certificate: certificate.flatMap { try? CertificateSummary(der: $0.toDERBytes()) },
                connectTime: connectTime, tlsTime: tlsVersion.map { _ in tlsTime })
            made = report
            return report
        }
    }

    private static func text(_ address: SocketAddress) -> String? {
        guard let host = address.ipAddress, let port = address.port else { return nil }
        return address.protocol == .inet6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func name(_ version: TLSVersion) -> String {
        switch version {
        case .tlsv1: "TLS 1.0"
        case .tlsv11: "TLS 1.1"
        case .tlsv12: "TLS 1.2"
        case .tlsv13: "TLS 1.3"
        }
    }
}
