import HttpC
package import HttpCTerminal
import HttpConvPlatform
import HttpConvVaultStorage

/// The state of a profile's logins, as far as this machine knows it. No server is asked.
package enum ProfileStatus {
    /// Whether there are tokens, cookies or sessions at identity providers of a profile of this name, which may be in
    /// no configuration.
    static func hasSession(_ name: String) async throws(CommandFailure) -> Bool {
        guard let vault = try await ProfileState(profile: name).existingVault() else { return false }
        if try await ProfileCookies.stored(of: name)?.cookies.isEmpty == false { return true }
        return try await VaultWork.uncancelled {
            if try await !StateRecords.singleSignOn.value(in: vault).origins.isEmpty { return true }
            return try await !VaultTokenStorage(vault).keys().isEmpty
        }
    }

    /// A row for each login of the profile: its kind and its state, for people.
    package static func rows(_ profile: Profile) async throws(CommandFailure) -> [[String]] {
        let state = ProfileState(profile: profile.name)
        var rows: [[String]] = []
        if let basic = profile.basic {
            let source = basic.password.words()
            rows.append([
                "password of \(TerminalText.sanitise(basic.username, limit: 40))",
                source.map { $0.text + ($0.problem.map { ": \($0)" } ?? "") } ?? "asked for each time",
            ])
        }
        if let kerberos = profile.kerberos {
            let principal = kerberos.principal.map { " of \(TerminalText.sanitise($0, limit: 40))" } ?? ""
            rows.append(["Kerberos\(principal)", kerberos.words])
        }
        if let certificate = profile.certificate { rows.append(["client certificate", words(certificate)]) }
        if let oauth2 = profile.oauth2 {
            rows.append(["OAuth2 (\(oauth2.grant.rawValue))", try await tokens(of: profile, oauth2, state)])
        }
        if profile.hasWebLogin || !profile.hasLogin {
            let kinds = profile.pageWords
            rows.append([
                kinds.isEmpty ? "none" : kinds.joined(separator: ", "),
                words(try await cookies(of: profile), hasPages: profile.hasWebLogin),
            ])
        }
        let providers = try await ProfileSingleSignOn.sessions(of: profile)
        if !providers.isEmpty {
            rows.append([
                "single sign-on",
                "a session at \(providers.map(\.description).joined(separator: ", "))"
                    + profile.singleSignOn.sharedWords,
            ])
        }
        if let logon = profile.logon {
            let accounts = try await ProfileAccounts(of: profile.name)?.states() ?? []
            let name = "registration of \(TerminalText.sanitise(logon.application, limit: 40))"
            rows += accounts.map { [$0.map { "\(name), account \($0)" } ?? name, $1] }
            if accounts.isEmpty {
                rows.append([name, "not registered: \(profile.commandLine("logon"))"])
            }
        }
        return rows.map { [profile.name] + $0 }
    }

    private static func words(_ certificate: CertificateFile) -> String {
        if let name = certificate.stored { return "stored as \"\(name)\"" }
        if certificate.token != nil { return "on a token" }
        let path = TerminalText.sanitise(certificate.path)
        do throws(CommandFailure) { try certificate.check() } catch { return "the file \(path): cannot be read" }
        return "the file \(path)"
    }

    private static func tokens(
        of profile: Profile, _ table: OAuth2Table, _ state: ProfileState
    ) async throws(CommandFailure) -> String {
        guard let storage = try await state.existingTokens() else { return "logged out" }
        // Without a match, a URL says which tokens count: then any do.
        let own = try? ProfileOAuth2(profile, table, isForLogout: true, .silent).tokenKey
        do {
            var words: [String] = []
            let keys = try await storage.keys()
            for key in keys where own == nil || key == own {
                guard let tokens = try await storage.tokens(for: key) else { continue }
                let renewable = tokens.refreshToken == nil ? "" : ", renewed by itself"
                guard let end = tokens.expiresAt else { return "logged in" }
                if end > .now { return "logged in until \(end.formatted(.iso8601))\(renewable)" }
                words.append(renewable.isEmpty ? "logged out: the token has expired" : "logged in\(renewable)")
            }
            let others = keys.contains { own != nil && $0 != own }
            return words.first
                ?? (others
                    ? "logged out; tokens of earlier settings are kept: \(profile.commandLine("logout"))"
                    : "logged out")
        } catch {
            throw CommandFailure(login: error)
        }
    }

    /// The stored cookies that the profile's own servers get.
    private static func cookies(of profile: Profile) async throws(CommandFailure) -> [Cookie] {
        let kept = try await ProfileCookies.stored(of: profile.name)?.cookies ?? []
        guard !profile.match.isEmpty else { return kept }
        return kept.filter { cookie in profile.match.contains { cookie.concerns($0.origin) } }
    }

    private static func words(_ cookies: [Cookie], hasPages: Bool) -> String {
        guard !cookies.isEmpty else { return hasPages ? "logged out" : "no cookies" }
        let count = "\(cookies.count) \(cookies.count == 1 ? "cookie" : "cookies")"
        let end = cookies.compactMap(\.expires).max().map { ", the last until \($0.formatted(.iso8601))" } ?? ""
        return hasPages ? "a session (\(count)\(end)), until the server ends it" : count + end
    }
}
