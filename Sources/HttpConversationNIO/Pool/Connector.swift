import HttpConversation
import NIOCore
import NIOPosix
import NIOSSL

/// Resolves, connects (Happy Eyeballs, RFC 8305) and equips a channel.
struct Connector: Sendable {
    let group: any EventLoopGroup
    let configuration: NIOTransport.Configuration
    let tls: TLSContextCache

    func start(_ attempt: ConnectAttempt, for pool: ConnectionPool) {
        guard attempt.key.origin.scheme == .https else { return start(attempt, for: pool, nil) }
        if let client = tls.ready(for: attempt.key) {
            return start(attempt, for: pool, client)
        }
        // It made room for others meanwhile.
        Task {
            do throws(ConversationError) {
                let client = try await tls.prepare(for: attempt.key)
                start(attempt, for: pool, client)
            } catch {
                pool.attemptFailed(attempt, error)
            }
        }
    }

    private func start(_ attempt: ConnectAttempt, for pool: ConnectionPool, _ client: TLSClient?) {
        let origin = attempt.key.origin
        attempt.mayAsk(client?.questions)
        let loop = group.next()
        // Abandoned from outside when the last one who waits gives up; a limit of its own would only cut that short.
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(.hours(1))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard attempt.add(channel) else { throw ChannelError.alreadyClosed }
                    try equip(channel, attempt, pool, client)
                }
            }
        connect(bootstrap, origin, on: loop).whenComplete { result in
            switch result {
            case .success(let channel): adopt(channel, attempt, pool)
            case .failure(let error):
                pool.attemptFailed(attempt, TransportFailure.connecting(to: attempt.key, error))
            }
        }
    }

    func connect(
        _ bootstrap: ClientBootstrap, _ origin: Origin, on loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        if origin.isIPLiteral, let address = try? SocketAddress(ipAddress: origin.host, port: origin.port) {
            return bootstrap.connect(to: address)
        }
        let isThisMachine = origin.host == "localhost"
        return bootstrap.resolver(isThisMachine ? LoopbackResolver(eventLoop: loop) : nil)
            .connect(host: origin.host, port: origin.port)
    }

    private func equip(
        _ channel: any Channel, _ attempt: ConnectAttempt, _ pool: ConnectionPool, _ client: TLSClient?
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        let origin = attempt.key.origin
        if let client {
            try pipeline.addHandler(
                TrustCheck(client, attempt)?.handler() ?? ServerIdentity.handler(client.context, for: origin))
        }
        try pipeline.addHandler(ConnectionSetupHandler(attempt, pool: pool, configuration: configuration))
    }

    private func adopt(_ channel: any Channel, _ attempt: ConnectAttempt, _ pool: ConnectionPool) {
        do {
            try channel.pipeline.syncOperations.handler(type: ConnectionSetupHandler.self).adopt(attempt)
        } catch {
            channel.close(promise: nil)
            let failure = attempt.failure ?? TransportFailure.connecting(to: attempt.key, error)
            pool.attemptFailed(attempt, failure)
        }
    }
}
