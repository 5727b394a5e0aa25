import HTMLForms
import HttpConversation

/// The forms that go to a token endpoint.
enum TokenRequest {
    /// RFC 6749 §4.1.3 with RFC 7636 §4.5.
    static func code(
        _ code: String, redirectURI: OAuth2RedirectURI, proof: ProofKey
    ) -> [FormEncoding.Parameter] {
        [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI.text),
            ("code_verifier", proof.verifier.value),
        ]
    }

    /// RFC 6749 §4.3.2.
    static func password(_ login: UsernamePassword, scopes: [String]) -> [FormEncoding.Parameter] {
        [("grant_type", "password"), ("username", login.username), ("password", login.password.value)] + scope(scopes)
    }

    /// RFC 6749 §4.4.2.
    static func clientCredentials(scopes: [String]) -> [FormEncoding.Parameter] {
        [("grant_type", "client_credentials")] + scope(scopes)
    }

    /// RFC 6749 §6. No scope: the same as before.
    static func refresh(_ token: Redacted<String>) -> [FormEncoding.Parameter] {
        [("grant_type", "refresh_token"), ("refresh_token", token.value)]
    }

    /// RFC 8628 §3.4.
    static func device(_ code: Redacted<String>) -> [FormEncoding.Parameter] {
        [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code.value)]
    }

    static func scope(_ scopes: [String]) -> [FormEncoding.Parameter] {
        scopes.isEmpty ? [] : [("scope", scopes.joined(separator: " "))]
    }

    /// Sends a form to the configured token endpoint and reads the answer.
    static func send(
        _ form: [FormEncoding.Parameter], for configuration: OAuth2Configuration, by requests: OAuth2Requests
    ) async throws -> TokenResponse {
        let extra = configuration.parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        return try TokenResponse(
            await requests.post(form + extra, to: configuration.tokenEndpoint, for: configuration))
    }
}
