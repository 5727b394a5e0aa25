import HttpC
import HttpCTerminal

/// Kerberos tickets of a profile's table, for URLs of its match, and of `--negotiate`, for the servers of the URLs
/// (security rules S7 and S13).
struct KerberosProvider: NegotiateProvider {
    /// The profile's name and table; nil: the user's default cache.
    let profile: (profile: Profile, table: KerberosTable)?
    let settings: KerberosSettings
    /// The servers of the URLs.
    let named: Set<Origin>
    /// The proxies of the configuration.
    let proxies: [ProxyServer]
    let outcomes: ChallengeOutcomes

    /// Nil if neither options nor profile name a server or proxy.
    init?(
        _ profile: Profile?, _ settings: KerberosSettings, named: Set<Origin>, proxies: [ProxyServer],
        _ outcomes: ChallengeOutcomes
    ) {
        let table = profile?.kerberos
        guard table != nil || settings.isForServers || settings.isForProxies else { return nil }
        self.profile = profile.flatMap { profile in table.map { (profile, $0) } }
        self.settings = settings
        self.named = named
        self.proxies = proxies
        self.outcomes = outcomes
    }

    func serves(_ destination: CredentialDestination) -> Bool {
        let target = destination.target
        if settings.isForServers, named.contains(where: { $0.covers(target.origin) }) { return true }
        return profile?.profile.match.contains { $0.matches(target) } ?? false
    }

    func serves(_ proxy: ProxyServer) -> Bool {
        if settings.isForProxies { return proxies.contains { $0.isSame(as: proxy) } }
        guard let profile, profile.table.isForProxy else { return false }
        return profile.profile.proxy?.server?.isSame(as: proxy) ?? false
    }

    var allowsPlainHTTP: Bool { profile?.table.allowsPlainHTTP ?? false }

    func login(for challenge: AuthenticationChallenge) async throws -> KerberosLogin? {
        guard let (profile, table) = profile else {
            return try KerberosTable().login(settings, password: nil)
        }
        do {
            return try await table.login(settings, of: profile)
        } catch let error as CommandFailure {
            outcomes.refused(error.message)
            throw error
        }
    }
}
