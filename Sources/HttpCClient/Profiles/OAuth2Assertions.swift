import HttpC

/// The keys of `[profiles.NAME.oauth2]` about assertions and tokens that are handed in.
struct OAuth2Assertions: Sendable {
    /// The values of `subject-token-type`, `actor-token-type` and `requested-token-type` (RFC 8693 §3).
    enum TokenType: String, CaseIterable, Sendable {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case jwt, saml1, saml2

        var type: OAuth2TokenType { OAuth2TokenType(uri: "urn:ietf:params:oauth:token-type:\(rawValue)") }
    }

    /// A token that is handed in.
    struct Token: Sendable {
        let source: SecretSource
        let type: TokenType
    }

    /// The assertion; nil: made with the key.
    var given: SecretSource?
    /// The audience of assertions; nil: the issuer or the token endpoint.
    var audience: String?
    /// The file with the key of assertions, absolute.
    var key: String?
    var keyID: String?
    var keyPassphrase: SecretSource?
    /// The issuer of assertions; nil: the client.
    var issuer: String?
    var subject: Token?
    var actor: Token?
    var requestedType: TokenType?
    /// The names of the services that an exchanged token is for.
    var audiences: [String] = []

    /// The reason why the grant cannot work, with advice; nil if there is none.
    func problem(of login: OAuth2Table) -> String? {
        let grant = login.grant.rawValue
        switch login.grant {
        case .jwtBearer where given != nil && key != nil:
            return "has both an assertion and assertion-key: leave one out"
        case .jwtBearer where given == nil && key == nil:
            return
                "has no assertion, which grant = \"\(grant)\" needs: add assertion-env, assertion-file or assertion-key"
        case .jwtBearer where key != nil && login.username == nil:
            return "has assertion-key, but no username that the assertion is about"
        case .saml2Bearer where key != nil: return "has assertion-key, which is for grant = \"jwt-bearer\""
        case .saml2Bearer where given == nil:
            return "has no assertion, which grant = \"\(grant)\" needs: add assertion-env or assertion-file"
        case .tokenExchange where subject == nil:
            return "has no subject token, which grant = \"\(grant)\" needs: add subject-token-env or subject-token-file"
        default: break
        }
        if key == nil, keyID != nil || keyPassphrase != nil || issuer != nil {
            return "has assertion-key-id, assertion-key-passphrase or assertion-issuer, but no assertion-key"
        }
        return nil
    }
}
