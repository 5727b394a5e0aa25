import HttpConvConcurrency
import HttpConversation
import NIOCore
import NIOPosix
import NIOSSL

/// Finds out why a server was refused. NIOSSL only says that it was.
///
/// It makes another handshake, which gets the server's certificates and is never completed. Nothing is sent, and the
/// server stays refused whatever is found. The work and the time are bounded (security rule S29), and it runs where
/// threads may block.
struct CertificateDiagnosis: Sendable {
    let connector: Connector
    let tls: TLSContextCache

    /// The server's certificates and their problems. Returns nil if they could not be read in time.
    ///
    /// - Parameter limit: the time that is left for connecting
    func trust(of key: PoolKey, within limit: Duration) async -> ServerTrust? {
        guard limit > .zero else { return nil }
        let deadline = ContinuousClock.now + limit
        return await Deadline.race(limit, clock: ContinuousClock()) {
            guard let client = try? await tls.prepareForDiagnosis(), let explanation = client.explanation,
                let certificates = try? await certificates(of: key, client.context, TimeAmount(limit))
            else { return nil }
            return await Blocking.run {
                explanation.explain(
                    certificates, of: key.origin, authorities: key.trust?.terms.authorities ?? [], until: deadline)
            }
        } ?? nil
    }

    private func certificates(
        of key: PoolKey, _ context: NIOSSLContext, _ limit: TimeAmount
    ) async throws -> [NIOSSLCertificate] {
        let proxy = try await ProxyHandlers.make(key, connector)
        let loop = connector.loops.next(nil)
        let found = loop.makePromise(of: [NIOSSLCertificate].self)
        let timer = loop.scheduleTask(in: limit) { found.fail(ChannelError.connectTimeout(limit)) }
        defer { timer.cancel() }
        let secure = Self.capture(key.origin, context, into: found)
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // Through the same proxy, never directly (security rule S25).
                    if let proxy { return try proxy.add(to: channel, then: secure) }
                    try secure(channel.pipeline.syncOperations, .last)
                }
            }
        connector.connect(bootstrap, key, on: loop).whenComplete { result in
            switch result {
            case .success(let channel): Self.handshake(on: channel, isTunnelled: key.tunnel != nil, found)
            case .failure(let error): found.fail(error)
            }
        }
        return try await withTaskCancellationHandler {
            try await found.futureResult.get()
        } onCancel: {
            found.fail(CancellationError())
        }
    }

    /// The TLS handler for the server, which ends its handshake when it has the certificates.
    private static func capture(
        _ origin: Origin, _ context: NIOSSLContext, into found: EventLoopPromise<[NIOSSLCertificate]>
    ) -> ProxyHandlers.Securing {
        { pipeline, position in
            let handler = try NIOSSLClientHandler(
                context: context, serverHostname: origin.tlsServerName,
                customVerificationCallback: { certificates, promise in
                    found.succeed(certificates)
                    promise.succeed(.failed)
                })
            try pipeline.addHandler(handler, position: position)
        }
    }

    /// Begins a tunnel's handshake; others begin by themselves. The channel is closed as soon as there is a result.
    private static func handshake(
        on channel: any Channel, isTunnelled: Bool, _ found: EventLoopPromise<[NIOSSLCertificate]>
    ) {
        if isTunnelled { try? channel.pipeline.syncOperations.handler(type: TunnelHandler.self).begin() }
        channel.closeFuture.whenComplete { _ in found.fail(ChannelError.eof) }
        found.futureResult.whenComplete { _ in channel.close(promise: nil) }
    }
}
