import HttpConversation
import NIOCore
import NIOSSL

/// Puts our own verification and the conversation's filters in the place of NIOSSL's checks, for one connection.
struct TrustCheck: Sendable {
    private let context: NIOSSLContext
    private let verifier: ServerVerifier
    private let policy: ServerTrustPolicy
    private let attempt: ConnectAttempt

    /// Nil where nobody has a say about the server.
    init?(_ client: TLSClient, _ attempt: ConnectAttempt) {
        guard let policy = attempt.key.trust, let verifier = client.verifier else { return nil }
        context = client.context
        self.verifier = verifier
        self.policy = policy
        self.attempt = attempt
    }

    func handler() throws -> NIOSSLClientHandler {
        let origin = attempt.key.origin
        return try NIOSSLClientHandler(
            context: context, serverHostname: origin.isIPLiteral ? nil : origin.host,
            customVerificationCallback: { certificates, promise in
                let check = Task {
                    do throws(ConversationError) {
                        try await policy.check(await verifier.verify(certificates, for: origin), of: origin)
                        promise.succeed(.certificateVerified)
                    } catch {
                        // NIOSSL only says that it failed.
                        attempt.note(error)
                        promise.succeed(.failed)
                    }
                }
                attempt.checks(in: check)
            })
    }
}
