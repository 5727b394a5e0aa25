import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// Lets a person log in at the authorization endpoint, and exchanges the resulting code for tokens (RFC 6749 §4.1,
/// OpenID Connect Core §3.1).
struct AuthorizationCodeLogin: Sendable {
    let client: OAuth2Client
    let grant: AuthorizationCodeGrant
    /// The key of the tokens, for errors.
    let key: OAuth2TokenKey
    let context: ConversationContext
    let strategies: WebStrategies
    /// The kind of login that a server has demanded.
    let demand: OAuth2AuthenticationDemand?

    /// - Throws: `OAuth2Error`, or `CancellationError` if the task is cancelled
    func obtain() async throws -> TokenResponse {
        let request = OAuth2AuthorizationRequest(client, grant, demand: demand)
        let keys = client.configuration.asksForIDToken ? try await signature.keysAhead() : nil
        let answer = try await askPerson(request)
        let code = try request.code(in: answer)
        let response = try await client.tokens(
            by: .authorizationCode(code, redirectURI: answer.redirectURI, proof: request.proof))
        guard client.configuration.asksForIDToken else { return response }
        do { try await check(response.idToken, request, keys) } catch {
            // No request gets these tokens, so end them at the server, too.
            let tokens = response.tokens(at: Date(), source: .grant)
            try? await Task { [client] in try await client.revoke(tokens) }.value
            throw error
        }
        return response
    }

    private var signature: IDTokenSignature {
        IDTokenSignature(configuration: client.configuration, requests: client.requests)
    }

    private func check(
        _ token: Redacted<String>?, _ request: OAuth2AuthorizationRequest, _ keys: [JSONValue]?
    ) async throws {
        try IDTokenClaims.check(token, of: client.configuration, nonce: request.nonce, maximumAge: request.maximumAge)
        guard let token else { return }
        try await signature.verify(token, by: keys)
    }

    private func askPerson(_ request: OAuth2AuthorizationRequest) async throws -> OAuth2AuthorizationAnswer {
        guard let strategy = strategies.oauth2Strategy(for: client.configuration) else {
            throw OAuth2Error(
                .noWebStrategy,
                "\(client.configuration) needs a person to log in, and there is nothing to show a login with: register an OAuth2WebStrategy with WebStrategies."
            )
        }
        do {
            return try await WebLoginRunner(context: context).show(
                .oauth2, at: request.endpoint?.origin, by: strategy
            ) { [context] in try await strategy.authorize(request, in: context) }
        } catch {
            try Task.checkCancellation()
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> any Error {
        guard let error = error as? WebLoginError else {
            return OAuth2Error.wrapping(error, as: .loginFailed, "The web login for \(key) failed.")
        }
        switch error.code {
        case .cancelled: return OAuth2Error(.cancelled, "The login for \(key) was closed.", underlyingError: error)
        case .timedOut: return OAuth2Error(.expired, "Nobody finished the login for \(key) in time.")
        default:
            return OAuth2Error(
                .loginFailed, "The web login for \(key) failed. \(error.message)", underlyingError: error)
        }
    }
}
