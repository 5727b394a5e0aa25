import HttpConversation
import NIOCore
import NIOPosix
import NIOSSL

/// Resolves names, connects (Happy Eyeballs, RFC 8305) and installs the channel's handlers.
struct Connector: ConnectionMaker {
    let loops: ConnectionLoops
    let configuration: NIOTransport.Configuration
    let tls: TLSContextCache
    /// The TLS contexts for proxies that are reached over TLS.
    let proxyTLS: TLSContextCache

    /// The memory that a channel reads into: it grows while the peer fills it, so that a large body takes few calls.
    private static let receiving = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 2048, maximum: 128 << 10)

    func start(_ attempt: ConnectAttempt, for pool: ConnectionPool) {
        guard attempt.key.route == nil else { return startThroughProxy(attempt, for: pool) }
        guard attempt.key.origin.scheme == .https else { return start(attempt, for: pool, nil) }
        if let client = tls.ready(for: attempt.key) {
            return start(attempt, for: pool, client)
        }
        // The context was never made, or the cache has evicted it.
        Task {
            do throws(ConversationError) {
                let client = try await tls.prepare(for: attempt.key)
                guard !attempt.isCancelled else { return }
                start(attempt, for: pool, client)
            } catch {
                pool.attemptFailed(attempt, error)
            }
        }
    }

    private func startThroughProxy(_ attempt: ConnectAttempt, for pool: ConnectionPool) {
        let making = Task {
            do throws(ConversationError) {
                let key = attempt.key
                let client = key.origin.scheme == .https ? try await tls.prepare(for: key) : nil
                let proxy = try await ProxyHandlers.make(key, self)
                // Abandoned meanwhile: no lookup or connection is needed.
                guard !attempt.isCancelled else { return }
                start(attempt, for: pool, client, proxy)
            } catch {
                pool.attemptFailed(attempt, error)
            }
        }
        attempt.checks(in: making)
    }

    private func start(
        _ attempt: ConnectAttempt, for pool: ConnectionPool, _ client: TLSClient?, _ proxy: ProxyHandlers? = nil
    ) {
        attempt.mayAsk(client?.questions)
        let loop = loops.next(attempt.callersLoop)
        // The pool ends the attempt when no exchange waits for it. A shorter timeout here would only cut that short.
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(.hours(1))
            .channelOption(.recvAllocator, value: Self.receiving)
            .channelOption(.maxMessagesPerRead, value: HTTP1Handler.maximumReads)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard attempt.add(channel) else { throw ChannelError.alreadyClosed }
                    try equip(channel, attempt, pool, client, proxy)
                }
            }
        connect(bootstrap, attempt.key, on: loop).whenComplete { result in
            switch result {
            case .success(let channel): adopt(channel, attempt, pool)
            case .failure(let error):
                pool.attemptFailed(attempt, TransportFailure.reaching(attempt.key, error))
            }
        }
    }

    func connect(
        _ bootstrap: ClientBootstrap, _ key: PoolKey, on loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        let origin = key.peer
        let family = configuration.addressFamily
        switch key.address {
        case .unixSocket(let path): return bootstrap.connect(unixDomainSocketPath: path)
        case .internet(let addresses):
            let usable = addresses.filter { isAllowed($0) }
            guard !usable.isEmpty else { return loop.makeFailedFuture(TransportFailure.otherFamily(origin)) }
            return bootstrap.resolver(GivenResolver(addresses: usable, eventLoop: loop))
                .connect(host: origin.host, port: origin.port)
        case nil: break
        }
        if origin.isIPLiteral, let address = try? SocketAddress(ipAddress: origin.host, port: origin.port) {
            guard isAllowed(address) else {
                return loop.makeFailedFuture(TransportFailure.otherFamily(origin))
            }
            return bootstrap.connect(to: address)
        }
        if let family {
            return bootstrap.resolver(FamilyResolver(family: family, eventLoop: loop))
                .connect(host: origin.host, port: origin.port)
        }
        return bootstrap.resolver(origin.isLocalName ? LoopbackResolver(eventLoop: loop) : nil)
            .connect(host: origin.host, port: origin.port)
    }

    private func isAllowed(_ address: SocketAddress) -> Bool {
        configuration.addressFamily.map { $0 == (address.protocol == .inet ? .ipv4 : .ipv6) } ?? true
    }

    private func equip(
        _ channel: any Channel, _ attempt: ConnectAttempt, _ pool: ConnectionPool, _ client: TLSClient?,
        _ proxy: ProxyHandlers?
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        let secure: ProxyHandlers.Securing = { pipeline, position in
            if let client { try Self.secure(client, attempt, pipeline, position) }
        }
        if let proxy {
            try proxy.add(to: channel, then: secure)
        } else {
            try secure(pipeline, .last)
        }
        try pipeline.addHandler(ConnectionSetupHandler(attempt, pool: pool, configuration: configuration))
    }

    private static func secure(
        _ client: TLSClient, _ attempt: ConnectAttempt, _ pipeline: ChannelPipeline.SynchronousOperations,
        _ position: ChannelPipeline.SynchronousOperations.Position
    ) throws {
        if let check = TrustCheck(client, attempt) { return try check.add(to: pipeline, position) }
        let handler = try ServerIdentity.handler(client.context, for: attempt.key.origin)
        try pipeline.addHandler(handler, name: ConnectionSetupHandler.tlsName, position: position)
    }

    private func adopt(_ channel: any Channel, _ attempt: ConnectAttempt, _ pool: ConnectionPool) {
        do {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.handler(type: ConnectionSetupHandler.self).adopt(attempt)
            if attempt.key.tunnel != nil { try? pipeline.handler(type: TunnelHandler.self).begin() }
        } catch {
            channel.close(promise: nil)
            let failure = attempt.failure ?? TransportFailure.connecting(to: attempt.key, error)
            pool.attemptFailed(attempt, failure)
        }
    }
}

/// Resolves to addresses that were set by hand. Happy Eyeballs tries them like DNS results.
private struct GivenResolver: Resolver, Sendable {
    let addresses: [SocketAddress]
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { only(.inet) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { only(.inet6) }

    func cancelQueries() {}

    private func only(_ family: NIOBSDSocket.ProtocolFamily) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == family })
    }
}

/// Resolves `localhost` and names below it to this machine, whatever a hosts file or a name server says (RFC 6761 §6.3,
/// security rule S1).
///
/// Happy Eyeballs tries both addresses, so a server that listens on only one of them is found.
private struct LoopbackResolver: Resolver, Sendable {
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { address("127.0.0.1", port) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { address("::1", port) }

    func cancelQueries() {}

    private func address(_ literal: String, _ port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeCompletedFuture { [try SocketAddress(ipAddress: literal, port: port)] }
    }
}
