import HttpConversation

/// Tells the server that tokens are no longer needed (RFC 7009).
enum TokenRevocation {
    /// Revokes the refresh token, which ends its access tokens too on most servers, then the access token.
    static func revoke(
        _ tokens: OAuth2Tokens, for configuration: OAuth2Configuration, by requests: OAuth2Requests
    ) async throws {
        guard let endpoint = configuration.revocationEndpoint else { return }
        let list = [("refresh_token", tokens.refreshToken), ("access_token", tokens.accessToken)]
        for (hint, token) in list {
            guard let token else { continue }
            let answer = try await requests.post(
                [("token", token.value), ("token_type_hint", hint)], to: endpoint, for: configuration)
            if let refusal = answer.refusal, refusal.serverError != "unsupported_token_type" { throw refusal }
        }
    }
}
