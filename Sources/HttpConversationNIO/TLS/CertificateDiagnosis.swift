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
        _ error: ConversationError, _ key: PoolKey, _ limit: TimeAmount
    ) async -> ConversationError {
        let origin = key.origin
        guard error.code == .certificateNotTrusted, !(error.underlyingError is ServerTrustFailure),
            origin.scheme == .https, let client = try? await tls.prepareForDiagnosis(), let verifier = client.verifier,
            let certificates = try? await certificates(of: key, client.context, limit)
        else { return error }
        let trust = await verifier.verify(certificates, for: origin)
        return trust.problems.isEmpty ? error : trust.failure(at: origin)
    }

    private func certificates(
        of key: PoolKey, _ context: NIOSSLContext, _ limit: TimeAmount
    ) async throws -> [NIOSSLCertificate] {
        let origin = key.origin
        let proxy = try await ProxyEquipment.make(key, connector)
        let loop = connector.group.next()
        let found = loop.makePromise(of: [NIOSSLCertificate].self)
        let timer = loop.scheduleTask(in: limit) { found.fail(ChannelError.connectTimeout(limit)) }
        defer { timer.cancel() }
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let secure = { @Sendable in
                        try NIOSSLClientHandler(
                            context: context, serverHostname: origin.isIPLiteral ? nil : origin.host,
                            customVerificationCallback: { certificates, promise in
                                found.succeed(certificates)
                                promise.succeed(.failed)
                            })
                    }
                    // Through the same proxy, or not at all (security rule S25).
                    if let proxy { return try proxy.add(to: channel, key, then: secure) }
                    try channel.pipeline.syncOperations.addHandler(try secure())
                }
            }
        let connecting = connector.connect(bootstrap, key, on: loop)
        connecting.whenComplete { result in
            switch result {
            case .success(let channel):
                if key.tunnel != nil { try? channel.pipeline.syncOperations.handler(type: TunnelHandler.self).begin() }
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
