import HttpConvAuthFlows
import HttpConversation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Listens on this machine for one redirect.
struct LoopbackListener: Sendable {
    /// Decides whether a URL is the awaited answer.
    typealias Judge = @Sendable (_ url: String, _ redirectURI: OAuth2RedirectURI) -> Bool

    /// The redirect URI with the port in it.
    let redirectURI: OAuth2RedirectURI
    private let listening: [any Channel]
    private let visitors: Visitors

    /// Binds the addresses that the redirect URI's host names: a literal itself, `localhost` both.
    static func start(
        for redirectURI: OAuth2RedirectURI, page: FinishedPage, judge: @escaping Judge
    ) async throws -> LoopbackListener {
        guard let origin = redirectURI.target?.origin else {
            throw OAuth2Error(.invalidConfiguration, "The redirect URI \(redirectURI) is no address to listen on.")
        }
        let visitors = Visitors()
        let addresses = origin.host == "localhost" ? ["127.0.0.1", "::1"] : [origin.host]
        var port = redirectURI.hasAnyPort ? 0 : origin.port
        let known = ListenerAddress()
        var listening: [any Channel] = []
        do {
            for address in addresses {
                do {
                    let channel = try await bind(address, port, visitors, known, page, judge)
                    listening.append(channel)
                    // The second address gets the port of the first: the browser may choose either.
                    port = channel.localAddress?.port ?? port
                } catch  where !listening.isEmpty && !(error is CancellationError) {
                    // A machine without IPv6 has one localhost only.
                    continue
                }
            }
            let actual = try redirectURI.with(port: port)
            known.set(actual)
            return LoopbackListener(redirectURI: actual, listening: listening, visitors: visitors)
        } catch {
            for channel in listening { try? await channel.close() }
            throw OAuth2Error(
                .loginFailed,
                "Cannot listen on \(redirectURI) for the end of the login: is another program using the port?",
                underlyingError: error)
        }
    }

    /// Ends listening and every connection.
    func stop() async {
        for channel in listening { try? await channel.close() }
        await visitors.closeAll()
    }

    private static func bind(
        _ address: String, _ port: Int, _ visitors: Visitors, _ known: ListenerAddress, _ page: FinishedPage,
        _ judge: @escaping Judge
    ) async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                guard visitors.enter(channel) else { return channel.close() }
                return channel.eventLoop.makeCompletedFuture {
                    let sync = channel.pipeline.syncOperations
                    try sync.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: true)
                    try sync.addHandler(LoopbackHandler(known: known, page: page, judge: judge))
                }
            }
            .bind(host: address, port: port).get()
    }
}
