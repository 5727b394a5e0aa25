internal import HttpConvConcurrency
internal import HttpConvVault
public import HttpConversation

/// A client certificate in a vault, read when a server asks for one.
public struct VaultIdentityProvider: ClientCertProvider {
    private let identities: VaultIdentities
    private let name: String
    private let origins: [Origin]
    private let clock: any WallClock

    /// Creates a provider of the certificate with a name.
    ///
    /// - Parameters:
    ///   - identities: the vault's certificates
    ///   - name: the certificate's name in the vault
    ///   - origins: the servers that may get it, also over https on the same hosts; empty: the origin of the URL that
    ///     the application requests, but no server that a redirect or a login leads to
    public init(_ identities: VaultIdentities, named name: String, for origins: [Origin] = []) {
        self.init(identities, named: name, for: origins, clock: SystemClock())
    }

    init(_ identities: VaultIdentities, named name: String, for origins: [Origin], clock: any WallClock) {
        self.identities = identities
        self.name = name
        self.origins = origins
        self.clock = clock
    }

    public func serves(_ destination: CredentialDestination) -> Bool { destination.isServed(by: origins) }

    /// Nobody is asked.
    public var isInteractive: Bool { false }

    /// The certificate, if it exists and is valid.
    ///
    /// - Throws: `ConversationError` with the code `.clientCertificateUnusable`
    public func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        let found: ClientIdentity?
        do { found = try await identities.identity(named: name) } catch {
            let reason = (error as? DataVaultError)?.message ?? "it could not be read"
            throw failure("the vault fails: \(reason)", challenge, error)
        }
        guard let found else { throw failure("the vault has none of that name", challenge) }
        let summary = found.summary
        guard summary.notBefore <= clock.date else {
            throw failure("(\(summary)) is not valid before \(summary.notBefore.formatted(.iso8601))", challenge)
        }
        guard clock.date <= summary.notAfter else {
            throw failure(
                "(\(summary)) was valid until \(summary.notAfter.formatted(.iso8601)): have it renewed", challenge)
        }
        return .identity(found)
    }

    private func failure(
        _ why: String, _ challenge: AuthenticationChallenge, _ cause: (any Error)? = nil
    ) -> ConversationError {
        ConversationError(
            .clientCertificateUnusable,
            "The client certificate \"\(TerminalText.sanitise(name, limit: 60))\" for \(challenge.target.origin) cannot be used: \(why).",
            underlyingError: cause, challenge: challenge)
    }
}

extension VaultIdentityProvider: CustomStringConvertible, CustomReflectable {
    /// The name, without the key.
    public var description: String { "client certificate \"\(name)\" in a vault" }
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
