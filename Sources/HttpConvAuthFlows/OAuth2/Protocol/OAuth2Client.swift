import HTMLForms
import HTTPTypes
import HttpConversation

/// A client at the endpoints of its authorization server. Whatever it asks for, it asks in one way: the form is put
/// together, the client authenticates, the request is sent, the answer is read.
struct OAuth2Client: Sendable {
    let configuration: OAuth2Configuration
    let requests: OAuth2Requests

    /// Asks the token endpoint, whatever the request is about (RFC 6749 §3.2).
    func tokens(by request: TokenRequest) async throws -> TokenResponse {
        let extra = configuration.parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        return try TokenResponse(await post(request.parameters + extra, to: configuration.tokenEndpoint))
    }

    /// Asks for a login on another device (RFC 8628 §3.1).
    func deviceAuthorization(at endpoint: TargetURL) async throws -> EndpointAnswer {
        var parameters = configuration.scopeParameter
        // The client's id is wanted in the form even where it authenticates by a header field.
        if case .basic = configuration.authentication.method {
            parameters.append(("client_id", configuration.clientID))
        }
        return try await post(parameters, to: endpoint)
    }

    /// Tells the server that tokens are no longer needed (RFC 7009): the refresh token, which ends its access tokens
    /// too on most servers, then the access token.
    func revoke(_ tokens: OAuth2Tokens) async throws {
        guard let endpoint = configuration.revocationEndpoint else { return }
        for (hint, token) in [("refresh_token", tokens.refreshToken), ("access_token", tokens.accessToken)] {
            guard let token else { continue }
            let answer = try await post([("token", token.value), ("token_type_hint", hint)], to: endpoint)
            if let refusal = answer.refusal, refusal.serverError != "unsupported_token_type" { throw refusal }
        }
    }

    private func post(_ parameters: [FormEncoding.Parameter], to endpoint: TargetURL) async throws -> EndpointAnswer {
        let authentication = configuration.authentication
        var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        if let authorization = authentication.authorization(clientID: configuration.clientID) {
            fields[.authorization] = authorization
        }
        let form = parameters + authentication.parameters(clientID: configuration.clientID)
        let secrets = form.filter { !Self.harmless.contains($0.name) }.map(\.value)
        return try await requests.send(
            .post, endpoint, fields, body: .text(FormEncoding.encode(form)),
            secrets: secrets + [authentication.secret].compactMap { $0 })
    }

    /// Parameters that a server may quote; whatever else the form carries is cut out of its descriptions.
    private static let harmless: Set<String> = [
        "grant_type", "client_id", "scope", "redirect_uri", "token_type_hint", "resource", "audience", "username",
    ]
}
