import HttpConversation
import Synchronization

/// Observes which client certificate the server of one request got.
final class ShownCertificate: ConversationObserver {
    private let fingerprint = Mutex<[UInt8]?>(nil)

    func observe(_ event: ConversationEvent) {
        guard case .clientCertificateUsed(let use) = event.kind else { return }
        fingerprint.withLock { $0 = use.verdict == .present ? use.certificate?.fingerprint : nil }
    }

    /// The certificate as `x5t#S256` (RFC 8705 §3.1); nil if the server did not ask, or got none.
    var thumbprint: String? {
        fingerprint.withLock { $0 }.map { RandomText.base64URL($0) }
    }
}
