package import HttpC
package import HttpCTerminal

/// A credential of a profile, for another program.
package enum LentCredential: Sendable {
    /// An access token, and the user name of the profile's OAuth2.
    case token(OAuth2Tokens, username: String?)
    /// A user name with its password; nil if the person types it each time.
    case password(username: String, Redacted<String>?)

    /// The user name and secret for a program that knows nothing else.
    ///
    /// - Parameter username: the user name of the program. It may be any for a token, because the token says whose it
    ///   is
    /// - Returns: nil if they are for another user, or if the person types the password
    package func login(for username: String?) -> (username: String, secret: Redacted<String>)? {
        switch self {
        case .token(let tokens, let own): return (username ?? own ?? "oauth2", tokens.accessToken)
        case .password(let own, let password):
            guard let password, username == nil || username == own else { return nil }
            return (own, password)
        }
    }
}

/// Gives the credentials of profiles to other programs of the same user (security rule S32): only for URLs inside a
/// profile's match (a token's also inside its `token-origins`), over https or to this machine, and never by asking a
/// person.
package struct CredentialLender: Sendable {
    private let plan: ClientPlan
    private let file: ConfigurationFile
    private let run: CommandRun

    package init(_ plan: ClientPlan, _ run: CommandRun) throws(CommandFailure) {
        self.plan = plan
        self.run = run
        file = try ConfigurationFile.load(plan.configuration)
    }

    /// Whether the options do not allow servers without a valid certificate (-k).
    var checksCertificates: Bool { !plan.connection.isInsecure }

    /// A URL with the profile that is for it.
    package struct Place: Sendable {
        package let url: TargetURL
        package let profile: Profile
    }

    /// The place that a program means; nil if no profile is for it.
    ///
    /// - Parameter urls: the possible URLs
    package func place(_ urls: [TargetURL]) throws(CommandFailure) -> Place? {
        for url in urls {
            if let profile = try ProfileChoice.covering(url, plan.profile, in: file) {
                return Place(url: url, profile: profile)
            }
        }
        return nil
    }

    /// The place that a program means that may also talk to it in clear; nil if no profile is for it.
    ///
    /// - Parameter text: a URL. A host alone is refused, unless it is this machine: the program could send the
    ///   credential in clear (security rule S11)
    package func place(sureOf text: String) throws(CommandFailure) -> Place? {
        guard let place = try self.place(try HelperTarget.urls(text)) else { return nil }
        guard HelperTarget.hasScheme(text) || place.url.origin.isLoopback else {
            throw CommandFailure(
                .loginFailed,
                "A program asks for a credential of the profile \"\(place.profile.name)\" by the host \(place.url.origin.host) alone, and may send it in clear. It gets one for a URL with https://, such as pip's --index-url."
            )
        }
        return place
    }

    /// The first URL of the profile that the options name.
    package func firstPlace() throws(CommandFailure) -> Place? {
        guard let name = plan.profile, let profile = file.profile(named: name) else { return nil }
        return profile.firstURL.map { Place(url: $0, profile: profile) }
    }

    /// All user names, each with the first URL of its profile. No secret is fetched.
    package var logins: [(url: TargetURL, username: String)] {
        file.profiles.filter { plan.profile == nil || $0.name == plan.profile }.compactMap { profile in
            guard let url = profile.firstURL, url.origin.isSecure else { return nil }
            let oauth2 = profile.oauth2.flatMap { $0.givesTokens(to: url.origin) ? $0 : nil }
            let username = oauth2.map { $0.username ?? "oauth2" } ?? profile.basic?.username
            return username.map { (url, $0) }
        }
    }

    /// The credential for a place: an access token, renewed if it is about to expire, else the profile's password.
    ///
    /// - Returns: nil if the profile has neither for this place
    package func credential(for place: Place) async throws(CommandFailure) -> LentCredential? {
        guard place.profile.oauth2 != nil || place.profile.basic != nil else { return nil }
        try requireProtected(place)
        if let oauth2 = place.profile.oauth2 {
            if let tokens = try await tokens(of: place) { return .token(tokens, username: oauth2.username) }
        }
        guard let basic = place.profile.basic else { return nil }
        let password = try await SecretReader.read(
            basic.password, "password of [profiles.\(place.profile.name).basic]")
        return .password(username: basic.username, password)
    }

    /// Valid tokens of a profile with OAuth2; nil if its `token-origins` leave out the place.
    func tokens(of place: Place) async throws(CommandFailure) -> OAuth2Tokens? {
        let tokenRun = try tokenRun(place)
        guard tokenRun.givesTokens else { return nil }
        do { return try await tokenRun.usableTokens() } catch {
            throw CommandFailure(login: error, given: tokenRun.given)
        }
    }

    /// Records that a server has refused a token, so that the next caller gets a new one. Passwords of profiles are not
    /// affected.
    ///
    /// - Parameter secret: the refused token; nil: the stored one
    package func refuse(_ secret: String?, at place: Place) async throws(CommandFailure) {
        guard place.profile.oauth2 != nil else { return }
        let tokenRun = try tokenRun(place)
        guard tokenRun.givesTokens else { return }
        do { try await tokenRun.markRefused(secret) } catch {
            throw CommandFailure(login: error, given: tokenRun.given)
        }
    }

    private func tokenRun(_ place: Place) throws(CommandFailure) -> TokenRun {
        var plan = plan
        plan.profile = place.profile.name
        return try TokenRun(plan, for: place.url, grant: nil, run)
    }

    /// Security rule S11.
    func requireProtected(_ place: Place) throws(CommandFailure) {
        guard place.url.origin.isSecure else {
            throw CommandFailure(
                .loginFailed,
                "A credential of the profile \"\(place.profile.name)\" goes over https only, or to this machine: \(place.url.origin) is neither."
            )
        }
    }
}
