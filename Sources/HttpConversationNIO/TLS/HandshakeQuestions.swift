import HttpConversation
import NIOCore
import NIOSSL
import Synchronization

/// Forwards the questions for a client certificate from handshakes to the source that answers them. NIOSSL does not say
/// which connection asks, so the questions are cancelled when the source's last attempt is gone.
final class HandshakeQuestions: Sendable {
    private struct State {
        var attempts = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextNumber = 0
        var override: NIOSSLContextConfigurationOverride?
    }

    private let source: ClientIdentitySource
    private let state = Mutex(State())

    init(_ source: ClientIdentitySource) { self.source = source }

    /// Answers one handshake through its promise.
    func answer(_ promise: EventLoopPromise<NIOSSLContextConfigurationOverride>) {
        state.withLock { state in
            state.nextNumber += 1
            let number = state.nextNumber
            state.tasks[number] = Task { [self] in
                do { promise.succeed(try await override()) } catch { promise.fail(error) }
                _ = self.state.withLock { $0.tasks.removeValue(forKey: number) }
            }
        }
    }

    private func override() async throws -> NIOSSLContextConfigurationOverride {
        if let made = state.withLock(\.override) { return made }
        guard let identity = try await source.identity() else { return .noChanges }
        let made = try Self.override(identity)
        state.withLock { $0.override = made }
        return made
    }

    /// The certificates and the key in NIOSSL's form.
    static func override(
        _ identity: ClientIdentity
    ) throws(ConversationError) -> NIOSSLContextConfigurationOverride {
        do {
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = try identity.certificates.map {
                .certificate(try NIOSSLCertificate(bytes: $0, format: .der))
            }
            switch identity.privateKey.storage {
            case .der(let key): override.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: key.value, format: .der))
            case .signer(let signer):
                override.privateKey = .privateKey(NIOSSLPrivateKey(customPrivateKey: SigningKey(signer: signer)))
            }
            return override
        } catch {
            throw ConversationError(
                .clientCertificateUnusable, "The \(identity) or its key cannot be used for TLS.", underlyingError: error
            )
        }
    }

    // MARK: Attempts

    /// Held by an attempt for as long as its handshake may need an answer.
    final class Lease: Sendable {
        private let questions: HandshakeQuestions

        init(_ questions: HandshakeQuestions) {
            self.questions = questions
            questions.state.withLock { $0.attempts += 1 }
        }

        deinit { questions.leave() }
    }

    private func leave() {
        let abandoned = state.withLock { state -> [Task<Void, Never>] in
            state.attempts -= 1
            return state.attempts == 0 ? Array(state.tasks.values) : []
        }
        for task in abandoned { task.cancel() }
    }
}
