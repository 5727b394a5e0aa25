import HttpConvAuthFlows
import HttpConvPlatform
import HttpConversation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Listens on this machine for one redirect.
struct LoopbackListener: Sendable {
    /// Decides whether a URL is the expected answer.
    typealias Acceptance = @Sendable (_ url: String, _ redirectURI: OAuth2RedirectURI) -> Bool

    /// The redirect URI with its actual port.
    let redirectURI: OAuth2RedirectURI
    private let listening: [any Channel]
    private let connections: ListenerConnections

    /// Listens on the addresses of the redirect URI's host: a literal's own, or both for `localhost`.
    ///
    /// - Parameter users: the users whose programs are served; connections of others are closed
    static func start(
        for redirectURI: OAuth2RedirectURI, page: FinishedPage, users: ListenerUsers = ListenerUsers(),
        accepts: @escaping Acceptance
    ) async throws -> LoopbackListener {
        guard let origin = redirectURI.target?.origin else {
            throw OAuth2Error(.invalidConfiguration, "The redirect URI \(redirectURI) is not an address to listen on.")
        }
        let connections = ListenerConnections()
        let known = ListenerAddress()
        do {
            let (listening, port) = try await AddressBinding.listen(
                at: origin.host == "localhost" ? ["127.0.0.1", "::1"] : [origin.host],
                port: redirectURI.hasAnyPort ? 0 : origin.port
            ) { address, port in
                let channel = try await bind(address, port, connections, users, known, page, accepts)
                return (channel, channel.localAddress?.port ?? port)
            } close: {
                try? await $0.close()
            }
            let actual = try redirectURI.with(port: port)
            known.set(actual)
            return LoopbackListener(redirectURI: actual, listening: listening, connections: connections)
        } catch let taken as AddressBinding.PortTaken {
            throw OAuth2Error(
                .loginFailed,
                "Cannot listen on \(redirectURI) for the end of the login: another program has port \(taken.port) of \(taken.address).",
                underlyingError: taken)
        } catch {
            throw OAuth2Error(
                .loginFailed, "Cannot listen on \(redirectURI) for the end of the login.\(advice(error))",
                underlyingError: error)
        }
    }

    /// Advice for a system that forbids it, as the App Sandbox of macOS does; empty if another error happened.
    static func advice(_ error: any Error) -> String {
        guard let error = error as? IOError, error.errnoCode == EPERM else { return "" }
        return
            " The system does not permit it: a sandboxed application needs the entitlement com.apple.security.network.server."
    }

    /// Stops listening and closes all connections.
    func stop() async {
        for channel in listening { try? await channel.close() }
        await connections.closeAll()
    }

    private static func bind(
        _ address: String, _ port: Int, _ connections: ListenerConnections, _ users: ListenerUsers,
        _ known: ListenerAddress, _ page: FinishedPage, _ accepts: @escaping Acceptance
    ) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                guard connections.enter(channel) else { return channel.close() }
                return users.admit(channel).flatMapThrowing {
                    let sync = channel.pipeline.syncOperations
                    try sync.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: true)
                    try sync.addHandler(LoopbackHandler(known: known, page: page, accepts: accepts))
                }
            }
            .bind(host: address, port: port).get()
    }
}

/// The redirect URI of a listener, set when its port is known.
final class ListenerAddress: Sendable {
    private let state = Mutex<OAuth2RedirectURI?>(nil)

    var redirectURI: OAuth2RedirectURI? { state.withLock { $0 } }
    func set(_ redirectURI: OAuth2RedirectURI) { state.withLock { $0 = redirectURI } }
}
