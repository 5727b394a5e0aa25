import HttpC
import HttpCTerminal
import HttpConvVault
import HttpConvVaultStorage

/// A certificate that `httpc certificates` stores. It is read when a server asks for one.
struct StoredCertificate: ClientCertProvider {
    let name: String

    var isInteractive: Bool { false }

    func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        guard let vault = try await StoredCertificates.state.existingVault() else { throw missing }
        return try await VaultIdentityProvider(VaultIdentities(vault), named: name).identity(for: challenge)
    }

    /// The certificate for another program.
    func identity() async throws -> ClientIdentity {
        guard let vault = try await StoredCertificates.state.existingVault(),
            let identity = try await VaultIdentities(vault).identity(named: name)
        else { throw missing }
        return identity
    }

    private var missing: CommandFailure {
        CommandFailure(
            .clientCertificateUnusable,
            "There is no client certificate \"\(name)\": import it with httpc certificates import \(name) FILE.")
    }
}

/// The stored certificates, for all profiles.
package enum StoredCertificates {
    // No profile can have this name.
    package static var state: ProfileState { ProfileState(profile: ".certificates") }
}
