import HttpC
import HttpCTerminal
import HttpConvPlatform
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
        _ settings: ConnectionSettings, _ profile: Profile?, for targets: [TargetURL],
        certificateAlsoFor others: Set<Origin> = []
    ) async throws(CommandFailure) {
        let named = Set(targets.map(\.origin))
        var transport = NIOTransport.Configuration()
        transport.tls = try TrustedAuthorities.ofServers(settings, profile)
        transport.proxyTLS = try TrustedAuthorities.ofProxies(settings, profile)
        transport.addresses = settings.addresses
        transport.newestVersion = settings.newestVersion
        transport.addressFamily = settings.addressFamily
        let direct = try Self.reachBySocket(named, settings, &transport)
        self.transport = transport

        var configuration = HttpConversationManager.Configuration()
        // This filter notices that a server demands a certificate, even if there is none.
        configuration.challengeFilters.add(ClientCertificateFilter(providers: []), id: FlowID.clientCertificate)
        if let pins = settings.pins { configuration.challengeFilters.add(pins) }
        configuration.proxies = try await ProxyPlan.settings(
            settings, profile, for: targets.filter { !direct.contains($0.origin) }
        ).without(direct)
        // Also for plain http, which may be redirected to https. The filter only accepts more servers, so that a run can
        // do without it.
        var unreadable: String?
        do throws(CommandFailure) {
            if let known = try await KnownServers.filter() { configuration.challengeFilters.add(known) }
        } catch {
            unreadable = "Warning: \(error.message) Servers whose keys you have accepted are not trusted by them now."
        }
        if let limit = settings.connectTimeout { configuration.connectTimeout = limit }
        if let limit = settings.silence { configuration.idleTimeout = limit }
        self.configuration = configuration

        var configurator = CommonAuthenticationConfigurator()
        try configurator.addCertificate(settings, profile, named: named.union(others))
        if let prompt = ProxyPlan.prompt(settings, configuration.proxies) { configurator.add(prompt) }
        self.configurator = configurator
        warnings = [
            settings.isInsecure ? "Warning: -k: the server's certificate is not checked." : nil,
            (settings.certificate ?? profile?.certificate)?.warning,
            profile?.oauth2?.clientKey.flatMap { CertificateFile.warning(of: $0) },
            unreadable,
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
        _ named: Set<Origin>, _ settings: ConnectionSettings, _ transport: inout NIOTransport.Configuration
    ) throws(CommandFailure) -> Set<Origin> {
        guard let socket = settings.unixSocket else { return [] }
        if settings.proxy?.isEmpty == false {
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
