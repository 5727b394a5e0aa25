import HttpConvCertificates
import HttpConversation
import NIOCore
import NIOSSL

/// The TLS handler for a server that filters judge, for one connection (security rules S4 and S27).
///
/// BoringSSL verifies first; then the filters are asked, which can only refuse. An accepted key replaces BoringSSL's
/// judgement for its origin only, and is compared exactly. If verification is off, filters are asked after the
/// handshake.
struct TrustCheck: Sendable {
    private let context: NIOSSLContext
    private let judgement: ServerJudgement
    private let attempt: ConnectAttempt

    /// Returns nil if no filter judges the server.
    init?(_ client: TLSClient, _ attempt: ConnectAttempt) {
        guard let judgement = attempt.key.trust else { return nil }
        context = client.context
        self.judgement = judgement
        self.attempt = attempt
    }

    func add(
        to pipeline: ChannelPipeline.SynchronousOperations, _ position: ChannelPipeline.SynchronousOperations.Position
    ) throws {
        let gate = HandshakeGate()
        let tls = try judgement.keys.map(handler) ?? (judgement.isVerified ? verifying(gate) : unverified())
        try pipeline.addHandler(tls, name: ConnectionSetupHandler.tlsName, position: position)
        guard judgement.keys == nil else { return }
        try pipeline.addHandler(gate, position: .before(tls))
        if judgement.isVerified { return }
        try pipeline.addHandler(LateTrustCheck(tls, gate) { check($0, $1) }, position: .after(tls))
    }

    private var name: String? { attempt.key.origin.tlsServerName }

    private func unverified() throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: name)
    }

    private func verifying(_ gate: HandshakeGate) throws -> NIOSSLClientHandler {
        let origin = attempt.key.origin
        return try ._makeSSLClientHandler(context: context, serverHostname: name) { certificate, channel in
            guard ServerIdentity.isRight(certificate, for: origin) else {
                return channel.eventLoop.makeFailedFuture(NIOSSLExtraError.failedToValidateHostname)
            }
            gate.shut()
            let judged = check(certificate, channel)
            let box = NIOLoopBound(gate, eventLoop: channel.eventLoop)
            let passed = channel.eventLoop.makePromise(of: Void.self)
            judged.whenComplete { result in
                // NIOSSL must go on first: it does not accept bytes from the server before that.
                passed.completeWith(result)
                if case .success = result { box.value.open() } else { box.value.refuse() }
            }
            return passed.futureResult
        }
    }

    /// Asks the filters about a server's certificate.
    private func check(_ certificate: NIOSSLCertificate?, _ channel: any Channel) -> EventLoopFuture<Void> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        let origin = attempt.key.origin
        attempt.check {
            do throws(ConversationError) {
                try await judgement.policy.check(Self.trust(certificate.map { [$0] } ?? []), of: origin)
                promise.succeed()
            } catch {
                attempt.note(error)
                promise.fail(error)
            }
        }
        return promise.futureResult
    }

    // MARK: Accepted keys

    /// The only place where BoringSSL's judgement is replaced: the server needs the exact key that was accepted for its
    /// origin.
    private func handler(_ keys: Set<[UInt8]>) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(
            context: context, serverHostname: name,
            customVerificationCallback: { certificates, promise in
                attempt.check {
                    do throws(ConversationError) {
                        try await requireAccepted(certificates, keys)
                        promise.succeed(.certificateVerified)
                    } catch {
                        // NIOSSL reports only that it failed.
                        attempt.note(error)
                        promise.succeed(.failed)
                    }
                }
            })
    }

    private func requireAccepted(
        _ certificates: [NIOSSLCertificate], _ keys: Set<[UInt8]>
    ) async throws(ConversationError) {
        let origin = attempt.key.origin
        let trust = Self.trust(certificates)
        let isAccepted = trust.summary.map { keys.contains($0.publicKeyFingerprint) } ?? false
        // A filter that pins gives the better reason.
        if isAccepted || !judgement.isVerified { try await judgement.policy.check(trust, of: origin) }
        guard isAccepted else { throw Self.otherKey(origin) }
    }

    private static func otherKey(_ origin: Origin) -> ConversationError {
        ConversationError(
            .certificateNotTrusted, "The key of \(TransportFailure.name(origin)) is not one that was accepted for it.",
            underlyingError: OtherKey())
    }

    private static func trust(_ certificates: [NIOSSLCertificate]) -> ServerTrust {
        let encoded = certificates.compactMap { try? $0.toDERBytes() }
        return ServerTrust(
            certificates: encoded, summary: encoded.first.flatMap { try? CertificateSummary(der: $0) }, problems: [])
    }
}
