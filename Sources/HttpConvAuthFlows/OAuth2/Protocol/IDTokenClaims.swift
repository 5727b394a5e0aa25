import HttpConvConcurrency
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// Checks the claims of an ID token (OpenID Connect Core §3.1.3.7); ``IDTokenSignature`` checks the signature.
enum IDTokenClaims {
    private static let leeway = Duration.seconds(120)

    /// - Parameter maximumAge: the longest acceptable time since the person's login, if one was requested
    static func check(
        _ token: Redacted<String>?, of configuration: OAuth2Configuration, nonce: Redacted<String>?,
        maximumAge: Duration? = nil, at now: Date = Date()
    ) throws(OAuth2Error) {
        guard let token else {
            throw OAuth2Error.refusedIDToken(configuration, "there is none, though openid was asked for")
        }
        guard let parts = JSONWebTokenText(token.value) else {
            throw OAuth2Error.refusedIDToken(configuration, "it is not a signed JSON web token")
        }
        let claims = parts.claims
        guard let algorithm = parts.header["alg"]?.text, algorithm.lowercased() != "none", parts.hasSignature else {
            throw OAuth2Error.refusedIDToken(configuration, "it is not signed")
        }
        try checkAudience(claims, configuration)
        if let issuer = configuration.issuer, claims["iss"]?.text != issuer {
            throw OAuth2Error(
                .issuerMismatch, "The ID token comes from another issuer than the configured one.",
                endpoint: configuration.tokenEndpoint)
        }
        guard let expiry = claims["exp"]?.number, (now - leeway).timeIntervalSince1970 < expiry else {
            throw OAuth2Error.refusedIDToken(configuration, "it has expired: is the clock right?")
        }
        if let maximumAge {
            guard let login = claims["auth_time"]?.number,
                login >= (now - maximumAge - leeway).timeIntervalSince1970
            else {
                throw OAuth2Error.refusedIDToken(
                    configuration, "the person's login is older than was asked for, or has no time")
            }
        }
        if let nonce {
            let sent = claims["nonce"]?.text ?? ""
            guard ConstantTime.isEqual(sent.utf8, nonce.value.utf8) else {
                throw OAuth2Error.refusedIDToken(configuration, "its nonce is not that of this login")
            }
        }
    }

    private static func checkAudience(
        _ claims: [String: JSONValue], _ configuration: OAuth2Configuration
    ) throws(OAuth2Error) {
        let audience = claims["aud"]?.texts ?? []
        guard audience.contains(configuration.clientID) else {
            throw OAuth2Error.refusedIDToken(configuration, "it is meant for another client")
        }
        if let party = claims["azp"]?.text, party != configuration.clientID {
            throw OAuth2Error.refusedIDToken(configuration, "it was issued to another client")
        }
    }
}

extension OAuth2Error {
    static func refusedIDToken(_ configuration: OAuth2Configuration, _ why: String) -> OAuth2Error {
        OAuth2Error(
            .invalidIDToken, "The ID token of \(configuration.tokenEndpoint) is refused: \(why).",
            endpoint: configuration.tokenEndpoint)
    }
}
