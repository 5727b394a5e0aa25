import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvVaultStorage

/// A profile's OAuth2, ready for use: its server support and its vault.
package struct ProfileOAuth2: Sendable {
    package let profile: Profile
    package let table: OAuth2Table
    let support: ProfileOAuth2Support

    /// - Parameters:
    ///   - grant: the grant that replaces the profile's
    ///   - certificate: the certificate that replaces the profile's
    ///   - isForLogout: whether it only ends logins
    ///   - isUnwatched: whether nobody sees the code of a login on another device
    init(
        _ profile: Profile, _ table: OAuth2Table, grant: OAuth2Table.Grant? = nil, certificate: CertificateFile? = nil,
        isForLogout: Bool = false, isUnwatched: Bool = false, _ diagnostics: Diagnostics
    ) throws(CommandFailure) {
        var table = table
        if let grant {
            table.grant = grant
            if let problem = table.problem {
                throw CommandFailure(.usage, "[profiles.\(profile.name).oauth2] \(problem).")
            }
        }
        self.profile = profile
        self.table = table
        support = try ProfileOAuth2Support(
            profile, table, certificate: certificate ?? profile.certificate,
            presenter: DevicePresenter(
                profile: profile, diagnostics: diagnostics, isUnwatched: isUnwatched), isForLogout: isForLogout)
    }

    /// The key of the tokens, which changes with the settings that say whose tokens they are.
    var tokenKey: OAuth2TokenKey {
        OAuth2TokenKey(storageURL: support.storageURL(forRequestURL: support.target), supportName: support.name)
    }

    /// Adds the support, with the profile's tokens. Tokens for an assertion or token from outside stay in memory: the
    /// next run may hand in another person's (security rule S2).
    func configure(_ configurator: inout CommonAuthenticationConfigurator, storage: ProfileTokens) {
        configurator.add(oauth2: support)
        if table.keepsTokens { configurator.tokenStorage = storage }
    }
}
