import HttpConvAuthFlows
import HttpConversation

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
