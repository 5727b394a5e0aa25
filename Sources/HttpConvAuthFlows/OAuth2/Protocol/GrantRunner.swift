import HttpConversation
import UserInteractionMultiplexing

/// Gets the first tokens, whichever grant it takes.
struct GrantRunner: Sendable {
    let configuration: OAuth2Configuration
    let key: OAuth2TokenKey
    let context: ConversationContext
    let flow: OAuth2Flow

    /// The answer of the token endpoint.
    ///
    /// - Throws: `OAuth2Error`, or `CancellationError` where the task is cancelled
    func obtain() async throws -> TokenResponse {
        let requests = OAuth2Requests(context)
        switch configuration.grant {
        case .password(let login):
            return try await TokenRequest.send(
                TokenRequest.password(login, scopes: configuration.scopes), for: configuration, by: requests)
        case .clientCredentials:
            return try await TokenRequest.send(
                TokenRequest.clientCredentials(scopes: configuration.scopes), for: configuration, by: requests)
        case .deviceAuthorization(let grant):
            return try await DeviceAuthorization(configuration: configuration, grant: grant, requests: requests)
                .obtain()
        case .authorizationCode(let grant):
            return try await logIn(grant, requests)
        }
    }

    private func logIn(_ grant: AuthorizationCodeGrant, _ requests: OAuth2Requests) async throws -> TokenResponse {
        let request = OAuth2AuthorizationRequest(configuration, grant)
        let answer = try await askPerson(request)
        let code = try request.code(in: answer)
        let response = try await TokenRequest.send(
            TokenRequest.code(code, redirectURI: answer.redirectURI, proof: request.proof), for: configuration,
            by: requests)
        if configuration.asksForIDToken {
            try IDTokenClaims.check(response.idToken, of: configuration, nonce: request.nonce)
            if let token = response.idToken {
                try await IDTokenSignature(configuration: configuration, requests: requests).verify(token)
            }
        }
        return response
    }

    private func askPerson(_ request: OAuth2AuthorizationRequest) async throws -> OAuth2AuthorizationAnswer {
        guard let strategy = flow.web.strategies.oauth2Strategy(for: configuration) else {
            throw OAuth2Error(
                .noWebStrategy,
                "\(configuration) needs a person to log in, and there is nothing to show a login with: register an OAuth2WebStrategy with WebStrategies."
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
