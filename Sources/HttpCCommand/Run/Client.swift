import Foundation
import HttpC
import HttpConversationNIO

/// The way to servers, independent of the login there: options and profile as a transport, a configuration and a
/// configurator. Every command that connects begins with it, so that a setting holds for all of them (security rule
/// S28).
struct Client: Sendable {
    var transport: NIOTransport.Configuration
    /// Proxies, time limits, and checks of servers.
    var configuration: HttpConversationManager.Configuration
    /// Answers with the client certificate, and asks for a proxy's password.
    let configurator: CommonAuthenticationConfigurator
    /// The warnings to print before anything is sent.
    let warnings: [String]

    /// Reads and checks all files and values of the settings.
    ///
    /// - Parameters:
    ///   - targets: the URLs of the command; empty if the server is still unknown
    ///   - others: further servers that may get the certificate of the command line
    init(
        _ server: ServerOptions, _ certificate: CertificateOptions, _ profile: Profile?, for targets: [TargetURL],
        certificateAlsoFor others: Set<Origin> = []
    ) async throws(CommandFailure) {
        let named = Set(targets.map(\.origin))
        var transport = try TLSOptions.transport(server, profile)
        for text in server.resolved { try ResolveArgument(text).apply(to: &transport.addresses) }
        transport.newestVersion = server.newestVersion.version
        transport.addressFamily = server.addressFamily?.family
        let direct = try Self.reachBySocket(named, server, &transport)
        self.transport = transport

        var configuration = HttpConversationManager.Configuration()
        // This filter notices that a server demands a certificate, even if there is none.
        configuration.challengeFilters.add(ClientCertificateFilter(providers: []), id: FlowID.clientCertificate)
        if let pins = try TLSOptions.pins(server) { configuration.challengeFilters.add(pins) }
        configuration.proxies = try await ProxyPlan.settings(
            server, profile, for: targets.filter { !direct.contains($0.origin) }
        ).without(direct)
        // With plain http alone, there are no keys to check.
        if profile != nil || named.contains(where: { $0.scheme == .https }), let known = try await KnownServers.filter()
        {
            configuration.challengeFilters.add(known)
        }
        if let seconds = server.connectTimeout { configuration.connectTimeout = .seconds(seconds) }
        self.configuration = configuration

        var configurator = CommonAuthenticationConfigurator()
        try configurator.addCertificate(certificate, profile, named: named.union(others))
        if let prompt = ProxyPlan.prompt(server, configuration.proxies) { configurator.add(prompt) }
        self.configurator = configurator
        warnings = [
            server.insecure ? TLSOptions.uncheckedWarning : nil,
            (CertificateFile(certificate) ?? profile?.certificate)?.warning,
            profile?.oauth2?.clientKey.flatMap { CertificateFile.warning(of: $0) },
        ].compactMap { $0 }
    }

    /// A manager for requests without logins, except the certificate and the proxy's.
    var manager: HttpConversationManager {
        var configuration = configuration
        configuration.apply(configurator)
        return HttpConversationManager(transport: NIOTransport(configuration: transport), configuration: configuration)
    }

    /// --unix-socket: reaches the named servers by a socket and without a proxy.
    ///
    /// - Returns: the servers that are reached by it
    private static func reachBySocket(
        _ named: Set<Origin>, _ server: ServerOptions, _ transport: inout NIOTransport.Configuration
    ) throws(CommandFailure) -> Set<Origin> {
        guard let socket = server.unixSocket else { return [] }
        if server.proxy?.isEmpty == false {
            throw CommandFailure(
                .usage, "--unix-socket and --proxy exclude each other: a socket is reached by no proxy.")
        }
        if named.isEmpty {
            throw CommandFailure(
                .usage,
                "--unix-socket needs to know the server that it leads to, which is yet to be found: name its URL.")
        }
        do throws(ConversationError) {
            for origin in named {
                try transport.addresses.set(unixSocket: socket, for: try origin.url(requestTarget: "/"))
            }
        } catch {
            throw CommandFailure(error)
        }
        return named
    }
}
