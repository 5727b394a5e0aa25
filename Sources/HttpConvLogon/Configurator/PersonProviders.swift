import HttpConvAuthFlows
import HttpConversation

/// User name and password, for the registered server and for the origins that the program has named (security rule S7).
struct PersonPassword: UsernamePasswordProvider {
    let person: LogonPerson

    func serves(_ destination: CredentialDestination) -> Bool {
        destination.proxy == nil && person.profile?.passwordOrigins.contains(destination.target.origin) == true
    }

    /// Nobody is asked.
    var isInteractive: Bool { false }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        // A refused password stays refused; the next provider may have another.
        guard challenge.previousFailureCount == 0, let credentials = try await person.record().credentials else {
            return .none
        }
        return .credential(credentials, persistence: .session)
    }
}

/// The certificate, for the registered server.
struct PersonCertificate: ClientCertProvider {
    let person: LogonPerson

    func serves(_ destination: CredentialDestination) -> Bool {
        destination.proxy == nil && person.isServer(destination.target.origin)
    }

    /// Nobody is asked.
    var isInteractive: Bool { false }

    func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        guard challenge.previousFailureCount == 0,
            let identity = try await person.identity(for: challenge.target)
        else { return .none }
        return .identity(identity)
    }
}

/// How web logins of the registered server are recognised.
struct PersonWebLogins: SAML2ConfigProvider, OTPConfigProvider {
    let person: LogonPerson

    func saml2Config(for target: TargetURL) -> SAML2Config? { profile(of: target)?.saml2 }
    func otpConfig(for target: TargetURL) -> OTPConfig? { profile(of: target)?.otp }

    private func profile(of target: TargetURL) -> RegistrationProfile? {
        person.profile.flatMap { $0.root.origin == target.origin ? $0 : nil }
    }
}

/// OAuth2 at the registered server, if it is configured.
struct PersonOAuth2: OAuth2ServerSupport {
    let person: LogonPerson
    let name = "Logon"

    private var support: SAPOAuth2ServerSupport? { person.profile?.oauth2 }

    var tokenOrigins: Set<Origin> { support?.tokenOrigins ?? [] }

    func isSupportedEndpoint(_ url: TargetURL) -> Bool { support?.isSupportedEndpoint(url) ?? false }

    func recognizesChallenge(in challenge: OAuth2Challenge) async throws -> Bool {
        try await support?.recognizesChallenge(in: challenge) ?? false
    }

    func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration {
        guard let support else { throw LogonError.notLoggedOn }
        return try await support.config(forChallenge: challenge)
    }

    func storageURL(forRequestURL url: TargetURL) -> TargetURL { support?.storageURL(forRequestURL: url) ?? url }
}
