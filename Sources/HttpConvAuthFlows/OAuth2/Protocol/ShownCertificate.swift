import HttpConversation
import Synchronization

/// Observes which client certificate the server of one request got.
final class ShownCertificate: ConversationObserver {
    private let fingerprint = Mutex<String?>(nil)

    func observe(_ event: ConversationEvent) {
        guard event.kind == .clientCertificateUsed else { return }
        fingerprint.withLock { $0 = event.verdict == "present" ? event.details["fingerprint"] : nil }
    }

    /// The certificate as `x5t#S256` (RFC 8705 §3.1); nil if the server did not ask, or got none.
    var thumbprint: String? {
        guard let text = fingerprint.withLock({ $0 }) else { return nil }
        return RandomText.base64URL(text.split(separator: ":").compactMap { UInt8($0, radix: 16) })
    }
}
