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
        attempt.check {
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
    }

    private func start(
        _ attempt: ConnectAttempt, for pool: ConnectionPool, _ client: TLSClient?, _ proxy: ProxyHandlers? = nil
    ) {
        attempt.allowQuestions(client?.questions)
        let loop = loops.next(attempt.callersLoop)
        // The pool ends attempts: no exchange waits, or they take too long. A timeout here would only cut that short.
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
        connect(bootstrap, attempt.key, on: loop, for: attempt).whenComplete { result in
            switch result {
            case .success(let channel): adopt(channel, attempt, pool)
            case .failure(let error):
                pool.attemptFailed(attempt, TransportFailure.reaching(attempt.key, error))
            }
        }
    }

    /// Connects to the server or the proxy of a key.
    ///
    /// - Parameter attempt: its end also ends the wait for a name's addresses
    func connect(
        _ bootstrap: ClientBootstrap, _ key: PoolKey, on loop: any EventLoop, for attempt: ConnectAttempt? = nil
    ) -> EventLoopFuture<any Channel> {
        let origin = key.peer
        switch key.address {
        case .unixSocket(let path): return bootstrap.connect(unixDomainSocketPath: path)
        case .internet(let addresses): return connect(bootstrap, origin, to: addresses, on: loop)
        case nil: break
        }
        if origin.isIPLiteral, let address = try? SocketAddress(ipAddress: origin.host, port: origin.port) {
            guard isAllowed(address) else {
                return loop.makeFailedFuture(TransportFailure.otherFamily(origin))
            }
            return bootstrap.connect(to: address)
        }
        if origin.isLocalName { return connect(bootstrap, origin, to: Self.loopback(origin.port), on: loop) }
        let lookUp = NameLookUps.shared.begin(
            .init(host: origin.host, family: configuration.addressFamily), on: loop)
        attempt?.setLookUp(endedBy: lookUp.cancel)
        let addresses = lookUp.addresses.map { found in
            found.map { address in
                var address = address
                address.port = origin.port
                return address
            }
        }
        return bootstrap.resolver(AddressResolver(addresses: addresses, lookUp: lookUp))
            .connect(host: origin.host, port: origin.port)
    }

    /// Connects to the first of known addresses that answers.
    private func connect(
        _ bootstrap: ClientBootstrap, _ origin: Origin, to addresses: [SocketAddress], on loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        let usable = addresses.filter { isAllowed($0) }
        guard !usable.isEmpty else { return loop.makeFailedFuture(TransportFailure.otherFamily(origin)) }
        return bootstrap.resolver(AddressResolver(addresses: loop.makeSucceededFuture(usable)))
            .connect(host: origin.host, port: origin.port)
    }

    /// The addresses of `localhost` and the names below it: this machine, whatever a hosts file or a name server says
    /// (RFC 6761 §6.3, security rule S1). A server that listens on only one of them is found.
    private static func loopback(_ port: Int) -> [SocketAddress] {
        ["::1", "127.0.0.1"].compactMap { try? SocketAddress(ipAddress: $0, port: port) }
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
