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
            await logon.use(store.snapshot.cookies)
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
            let ahead = plan.sendsBasic ? try await addAhead(user.name, user.password, to: named) : [:]
            if !user.isFromNetrc {
                let provider = CommandLineProvider(
                    user: user, named: named, ahead: ahead, trustsRedirects: plan.trustsRedirects,
                    outcomes: outcomes)
                add(provider, digestOnly: plan.answersDigestOnly, outcomes)
            }
        } else if let profile, let login = profile.basic {
            let ahead = plan.sendsBasic ? try await addAhead(login, of: profile, to: named) : [:]
            var provider = ProfileProvider(profile: profile, login: login, ahead: ahead, outcomes: outcomes)
            add(provider, digestOnly: plan.answersDigestOnly, outcomes) { SecretReader.forget(login.password) }
            if case .prompt = login.password, !ahead.isEmpty {
                // The person is asked for the passwords of the match's other servers once these want them.
                provider.isForOthers = true
                add(provider, digestOnly: plan.answersDigestOnly, outcomes)
            }
        }
        if let netrc = plan.netrc {
            let provider = NetrcProvider(
                file: netrc, user: user.flatMap { $0.isFromNetrc ? $0 : nil }, named: named,
                checksCertificates: !plan.connection.isInsecure, outcomes: outcomes)
            add(provider, digestOnly: plan.answersDigestOnly, outcomes)
        }
    }

    /// --basic: sends a password ahead, for servers that never ask.
    ///
    /// - Parameter known: the password; nil: the person is asked for one for each server, and what is typed for one
    ///   server is for that server (security rule S31)
    /// - Returns: the passwords of the servers
    private mutating func addAhead(
        _ name: String, _ known: Redacted<String>?, to origins: Set<Origin>
    ) async throws(CommandFailure) -> [Origin: Redacted<String>] {
        try requireSecure(origins)
        var passwords: [Origin: Redacted<String>] = [:]
        for origin in origins.sorted(by: { $0.description < $1.description }) {
            let password: Redacted<String>
            if let known { password = known } else { password = try await PasswordPrompt.ask(for: name, at: origin) }
            passwords[origin] = password
            do throws(ConversationError) {
                add(try SentAheadPassword(UsernamePassword(username: name, password: password.value), for: origin))
            } catch { throw CommandFailure(.usage, "--basic: \(error.message)") }
        }
        return passwords
    }

    /// --basic: sends a profile's password ahead. It goes to all of a server, so all of it has to be in the profile's
    /// match (security rule S13).
    private mutating func addAhead(
        _ login: BasicTable, of profile: Profile, to origins: Set<Origin>
    ) async throws(CommandFailure) -> [Origin: Redacted<String>] {
        for origin in origins where !profile.isForAll(of: origin) {
            throw CommandFailure(
                .usage,
                "--basic: a password that is sent ahead goes to each URL of \(origin), and the match of the profile \"\(profile.name)\" does not have all of them: leave out --basic, use -u, or add \"\(origin)/\" to the match."
            )
        }
        try requireSecure(origins)
        let password = try await SecretReader.read(login.password, "password of [profiles.\(profile.name).basic]")
        return try await addAhead(login.username, password, to: origins)
    }

    /// Checks the servers before a person is asked for a password, or a program runs for it.
    private func requireSecure(_ origins: Set<Origin>) throws(CommandFailure) {
        let exposed = origins.filter { !$0.isSecure }.min { $0.description < $1.description }
        guard let exposed else { return }
        throw CommandFailure(
            .usage,
            "--basic: \(exposed) is plain http on another machine: a password is sent ahead over https only, or to this machine."
        )
    }

    fileprivate mutating func add(
        _ provider: some UsernamePasswordProvider, digestOnly: Bool, _ outcomes: ChallengeOutcomes,
        forget: @escaping @Sendable () -> Void = {}
    ) {
        let once = OnceRefusedProvider(base: provider, outcomes: outcomes, forget: forget)
        if digestOnly { add(DigestOnlyProvider(base: once, outcomes: outcomes)) } else { add(once) }
    }
}
