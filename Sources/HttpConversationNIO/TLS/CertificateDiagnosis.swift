import HttpConversation
import NIOCore
import NIOPosix
import NIOSSL

/// Finds out why NIOSSL did not trust a server: it says that it does not, and no more.
///
/// One more handshake, which is never completed, brings the server's certificates; our own verification says what is wrong
/// with them. Nothing is sent, and whatever it finds, the server stays untrusted.
struct CertificateDiagnosis: Sendable {
    let connector: Connector
    let tls: TLSContextCache

    /// The same error, with what was found.
    ///
    /// - Parameter limit: how long connecting may take
    func explain(
        _ error: ConversationError, _ origin: Origin, _ limit: TimeAmount
    ) async -> ConversationError {
        guard error.code == .certificateNotTrusted, !(error.underlyingError is ServerTrustFailure),
            let client = try? await tls.prepareForDiagnosis(), let verifier = client.verifier,
            let certificates = try? await certificates(of: origin, client.context, limit)
        else { return error }
        let trust = await verifier.verify(certificates, for: origin)
        return trust.problems.isEmpty ? error : trust.failure(at: origin)
    }

    private func certificates(of origin: Origin, _ context: NIOSSLContext, _ limit: TimeAmount) async throws
        -> [NIOSSLCertificate]
    {
        let loop = connector.group.next()
        let found = loop.makePromise(of: [NIOSSLCertificate].self)
        let timer = loop.scheduleTask(in: limit) { found.fail(ChannelError.connectTimeout(limit)) }
        defer { timer.cancel() }
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: origin.isIPLiteral ? nil : origin.host,
                        customVerificationCallback: { certificates, promise in
                            found.succeed(certificates)
                            promise.succeed(.failed)
                        })
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
        let connecting = connector.connect(bootstrap, origin, on: loop)
        connecting.whenComplete { result in
            switch result {
            case .success(let channel):
                channel.closeFuture.whenComplete { _ in found.fail(ChannelError.eof) }
                found.futureResult.whenComplete { _ in channel.close(promise: nil) }
            case .failure(let error): found.fail(error)
            }
        }
        return try await withTaskCancellationHandler {
            try await found.futureResult.get()
        } onCancel: {
            found.fail(CancellationError())
        }
    }
}
