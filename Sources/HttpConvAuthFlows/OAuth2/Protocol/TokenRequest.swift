import HttpConvFormats
import HttpConversation

/// The parameters of a request to a token endpoint; the client and its configuration add more.
struct TokenRequest: Sendable {
    let grant: LoginEvent.Grant
    let parameters: [FormEncoding.Parameter]

    private init(_ grant: LoginEvent.Grant, _ parameters: [FormEncoding.Parameter]) {
        self.grant = grant
        self.parameters = [("grant_type", grant.rawValue)] + parameters
    }

    /// RFC 6749 §4.1.3 with RFC 7636 §4.5.
    static func authorizationCode(_ code: String, redirectURI: OAuth2RedirectURI, proof: ProofKey) -> TokenRequest {
        TokenRequest(
            .authorizationCode,
            [("code", code), ("redirect_uri", redirectURI.text), ("code_verifier", proof.verifier.value)])
    }

    /// RFC 6749 §4.3.2.
    static func password(_ login: UsernamePassword, of configuration: OAuth2Configuration) -> TokenRequest {
        TokenRequest(
            .password,
            [("username", login.username), ("password", login.password.value)] + configuration.scopeParameter)
    }

    /// RFC 6749 §4.4.2.
    static func clientCredentials(of configuration: OAuth2Configuration) -> TokenRequest {
        TokenRequest(.clientCredentials, configuration.scopeParameter)
    }

    /// RFC 6749 §6. Without a scope, it stays the same.
    static func refresh(_ token: Redacted<String>) -> TokenRequest {
        TokenRequest(.refreshToken, [("refresh_token", token.value)])
    }

    /// RFC 8628 §3.4.
    static func device(_ code: Redacted<String>) -> TokenRequest {
        TokenRequest(.deviceCode, [("device_code", code.value)])
    }

    /// RFC 7523 §2.1.
    static func jwtBearer(_ assertion: Redacted<String>, of configuration: OAuth2Configuration) -> TokenRequest {
        TokenRequest(.jwtBearer, [("assertion", assertion.value)] + configuration.scopeParameter)
    }

    /// RFC 7522 §2.1.
    static func saml2Bearer(_ assertion: Redacted<String>, of configuration: OAuth2Configuration) -> TokenRequest {
        TokenRequest(.saml2Bearer, [("assertion", assertion.value)] + configuration.scopeParameter)
    }

    /// RFC 8693 §2.1.
    static func tokenExchange(_ parameters: [FormEncoding.Parameter]) -> TokenRequest {
        TokenRequest(.tokenExchange, parameters)
    }
}

extension OAuth2Configuration {
    /// The resources as parameters (RFC 8707 §2).
    var resourceParameters: [FormEncoding.Parameter] { resources.map { ("resource", $0) } }

    /// The further parameters, in the order of their names.
    var furtherParameters: [FormEncoding.Parameter] {
        parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The scopes to request as a parameter; empty without scopes (RFC 6749 §3.3).
    var scopeParameter: [FormEncoding.Parameter] {
        scopes.isEmpty ? [] : [("scope", scopes.joined(separator: " "))]
    }
}
