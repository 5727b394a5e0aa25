import HttpConversation
import Synchronization

/// The client certificates that servers were shown in this process. The system may resume a TLS session in any
/// URLSession of the process, together with its certificate, so such a server gets no exchange of another identity any
/// more (security rule S3).
final class ShownIdentities: Sendable {
    /// The process's own.
    static let shared = ShownIdentities()

    private struct Shown {
        let source: ClientIdentitySource
        let identity: ClientIdentity
    }

    private let shown = Mutex<[Origin: Shown]>([:])

    /// Notes that a server is about to be shown a certificate.
    ///
    /// - Returns: false if the server was shown another identity before, so that this one must not be shown
    func show(_ identity: ClientIdentity, of source: ClientIdentitySource, to origin: Origin) -> Bool {
        shown.withLock { shown in
            guard let known = shown[origin] else {
                shown[origin] = Shown(source: source, identity: identity)
                return true
            }
            return known.identity == identity
        }
    }

    /// Refuses an exchange that might be taken for another identity's. If the server was shown a certificate of another
    /// source, this source is asked for its own now, because a resumed session would not ask. That may ask a person.
    ///
    /// - Parameter source: the source of the exchange's certificate; nil: it has none
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidConfiguration``, or the source's error: for
    ///   example, the server has refused its only certificate
    func check(_ source: ClientIdentitySource?, for origin: Origin) async throws(ConversationError) {
        guard let known = shown.withLock({ $0[origin] }), known.source != source else { return }
        guard let identity = try await source?.identity(), identity == known.identity else {
            throw Self.refusal(origin)
        }
    }

    static func refusal(_ origin: Origin) -> ConversationError {
        ConversationError(
            .invalidConfiguration,
            "\(origin.hostAndPort) was shown another client certificate in this process, and URLSession might resume that TLS session. Nothing was sent: use NIOTransport for several identities at one server, or restart the application."
        )
    }
}
