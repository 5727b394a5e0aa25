import HttpConversation
import Synchronization

/// Watches one request of the flow's own: which client certificate its server was shown.
final class ShownCertificate: ConversationObserver {
    private let fingerprint = Mutex<String?>(nil)

    func observe(_ event: ConversationEvent) {
        guard event.kind == .clientCertificateUsed else { return }
        fingerprint.withLock { $0 = event.verdict == "present" ? event.details["fingerprint"] : nil }
    }

    /// As `x5t#S256` (RFC 8705 §3.1); nil where the server did not ask, or was told that there is none.
    var thumbprint: String? {
        guard let text = fingerprint.withLock({ $0 }) else { return nil }
        return RandomText.base64URL(text.split(separator: ":").compactMap { UInt8($0, radix: 16) })
    }
}
