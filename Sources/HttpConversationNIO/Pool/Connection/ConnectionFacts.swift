import HttpConvCertificates
import HttpConversation
import NIOCore
import NIOSSL
import Synchronization

/// Facts about how a connection was made. The report is built only when a caller asks for it.
final class ConnectionFacts: Sendable {
    private static let count = Atomic<Int>(0)

    private let peer: SocketAddress?
    /// Nil without TLS.
    let tlsVersion: TLSVersion?
    private let certificate: NIOSSLCertificate?
    private let connectTime: Duration
    private let tlsTime: Duration
    private let made = Mutex<ConnectionReport?>(nil)

    /// - Parameters:
    ///   - tls: the TLS handler for the server; nil without TLS
    ///   - began: when connecting began
    ///   - connected: when the TCP connection, or the tunnel, was ready for bytes to the server
    init(_ channel: any Channel, _ tls: NIOSSLClientHandler?, began: NIODeadline, connected: NIODeadline) {
        peer = channel.remoteAddress
        tlsVersion = tls?.tlsVersion
        certificate = tls?.peerCertificate
        connectTime = .nanoseconds((connected - began).nanoseconds)
        tlsTime = .nanoseconds((NIODeadline.now() - connected).nanoseconds)
    }

    /// The report. Built once, on first use.
    var report: ConnectionReport {
        made.withLock { made in
            if let made { return made }
            let der = certificate.flatMap { try? $0.toDERBytes() }
            let report = ConnectionReport(
                number: Self.count.wrappingAdd(1, ordering: .relaxed).newValue, peer: peer.flatMap(Self.text),
                tlsVersion: tlsVersion.map(Self.name),
                certificate: der.flatMap { try? CertificateSummary(der: $0) },
                serverEndPoint: der.flatMap { ServerEndPoint.hash(der: $0) }, connectTime: connectTime,
                tlsTime: tlsVersion.map { _ in tlsTime })
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
