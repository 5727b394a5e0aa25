import HttpC
import HttpCTerminal
import HttpConvLogon

/// The logins of requests: those of a profile's logon, else of the command line and the profile.
struct SetupLogins {
    let session: HttpSession
    let configurator: any ManagerConfigurator
    let logon: RequestLogon?
    let oauth2: ProfileOAuth2?

    /// - Parameters:
    ///   - user: the login of -u, the .netrc file or the URLs, which replaces the profile's
    ///   - named: the servers of the URLs
    ///   - client: the way to servers
    ///   - web: the profile's web logins; nil without a profile
    ///   - state: the profile's state; nil without a profile
    ///   - store: the cookies at the start
    init(
        _ plan: ClientPlan, _ profile: Profile?, _ user: UserArgument?, named: Set<Origin>, _ client: Client,
        _ web: ProfileWeb?, state: ProfileState?, _ store: CookieStore, _ outcomes: ChallengeOutcomes,
        _ diagnostics: Diagnostics
    ) async throws(CommandFailure) {
        if user == nil, let profile, let mobile = profile.logon, let web {
            let logon = try await RequestLogon(profile, mobile, account: plan.account, client, web, diagnostics)
            for cookie in store.snapshot.cookies { logon.session.cookies.insert(cookie) }
            (session, configurator, self.logon, oauth2) = (logon.session, logon.configurator, logon, nil)
            return
        }
        logon = nil
        session = HttpSession(cookies: store)
        var configurator = client.configurator
        configurator.session = session
        try await configurator.addPasswords(plan, user, profile, named: named, outcomes)
        let own = user == nil ? profile : nil
        let tickets = KerberosProvider(
            own, plan.kerberos, named: named, proxies: client.configuration.proxies.servers, outcomes)
        if let tickets { configurator.add(negotiate: tickets) }
        if let own, let table = own.oauth2, let state {
            let oauth2 = try ProfileOAuth2(
                own, table, certificate: plan.connection.certificate, isUnwatched: plan.web.isUnwatched, diagnostics)
            oauth2.configure(&configurator, storage: ProfileTokens(state, diagnostics))
            self.oauth2 = oauth2
        } else {
            oauth2 = nil
        }
        if let own, let ecp = try ProfileECP(own, plan.kerberos, outcomes) { configurator.add(ecp: ecp) }
        web?.configure(&configurator)
        self.configurator = configurator
    }
}

extension CommonAuthenticationConfigurator {
    /// Adds the passwords of -u or the URL, else of the profile; then those of the .netrc file.
    fileprivate mutating func addPasswords(
        _ plan: ClientPlan, _ user: UserArgument?, _ profile: Profile?, named: Set<Origin>,
        _ outcomes: ChallengeOutcomes
    ) async throws(CommandFailure) {
        if let user {
            var typed: [Origin: Redacted<String>] = [:]
            if plan.sendsBasic, user.password == nil {
                // A password that was typed for one server is for that server (security rule S31).
                for origin in named.sorted(by: { $0.description < $1.description }) {
                    typed[origin] = try await PasswordPrompt.ask(for: user.name, at: origin)
                }
            }
            if !user.isFromNetrc {
                let provider = CommandLineProvider(
                    user: user, named: named, typed: typed, trustsRedirects: plan.trustsRedirects,
                    outcomes: outcomes)
                add(provider, digestOnly: plan.answersDigestOnly, outcomes)
            }
            if plan.sendsBasic { try addAhead(user, typed, named) }
        } else if let profile, let login = profile.basic {
            let provider = ProfileProvider(profile: profile, login: login, outcomes: outcomes)
            add(provider, digestOnly: plan.answersDigestOnly, outcomes) { PasswordReader.forget(login.password) }
        }
        if let netrc = plan.netrc {
            let provider = NetrcProvider(
                file: netrc, user: user.flatMap { $0.isFromNetrc ? $0 : nil }, named: named,
                checksCertificates: !plan.connection.isInsecure, outcomes: outcomes)
            add(provider, digestOnly: plan.answersDigestOnly, outcomes)
        }
    }

    /// --basic: sends the password ahead, for servers that never ask.
    fileprivate mutating func addAhead(
        _ user: UserArgument, _ typed: [Origin: Redacted<String>], _ origins: Set<Origin>
    ) throws(CommandFailure) {
        do throws(ConversationError) {
            for origin in origins {
                guard let password = user.password ?? typed[origin] else { continue }
                add(
                    try SentAheadPassword(
                        UsernamePassword(username: user.name, password: password.value), for: origin))
            }
        } catch {
            throw CommandFailure(.usage, "--basic: \(error.message)")
        }
    }

    fileprivate mutating func add(
        _ provider: some UsernamePasswordProvider, digestOnly: Bool, _ outcomes: ChallengeOutcomes,
        forget: @escaping @Sendable () -> Void = {}
    ) {
        let once = OnceRefusedProvider(base: provider, outcomes: outcomes, forget: forget)
        if digestOnly { add(DigestOnlyProvider(base: once, outcomes: outcomes)) } else { add(once) }
    }
}
