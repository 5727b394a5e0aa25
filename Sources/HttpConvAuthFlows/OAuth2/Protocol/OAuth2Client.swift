import HTTPTypes
import HttpConvFormats
import HttpConversation

/// A client at the endpoints of its authorization server. All requests take one path: build the form, authenticate the
/// client, send, read the answer.
struct OAuth2Client: Sendable {
    let configuration: OAuth2Configuration
    let requests: OAuth2Requests
    /// Binds the tokens to a key (RFC 9449); nil: bearer tokens.
    var prover: DPoPProver?
    /// The claims that a server has demanded, if the grant has no page that could be asked for them.
    var claims: String?

    private var furtherParameters: [FormEncoding.Parameter] {
        let known = configuration.furtherParameters
        return claims.map { claims in known.filter { $0.name != "claims" } + [("claims", claims)] } ?? known
    }

    /// Sends a request to the token endpoint (RFC 6749 §3.2).
    func tokens(by request: TokenRequest) async throws -> TokenResponse {
        requests.context.notify(.tokensAsked(endpoint: configuration.tokenEndpoint, grant: request.grant))
        let (endpoint, context) = (configuration.tokenEndpoint, requests.context)
        let proxy = try? context.configuration.proxies.proxy(for: endpoint)
        return try await TokenEndpointGate.shared.pass(
            to: endpoint, of: context.session, through: proxy?.origin
        ) {
            let answer = try await proving(
                request.parameters + configuration.resourceParameters + furtherParameters,
                to: configuration.tokenEndpoint)
            try checkCertificate(answer)
            return try TokenResponse(answer, bindsTokens: configuration.bindsTokens, key: prover?.key)
        }
    }

    /// Pushes the parameters of an authorization request (RFC 9126 §2.1).
    ///
    /// - Returns: the reference for the browser (`request_uri`)
    func push(_ parameters: [FormEncoding.Parameter], to endpoint: TargetURL) async throws -> String {
        // The client's id is among those that authenticate the client.
        let isBasic = if case .basic = configuration.authentication.method { true } else { false }
        let answer = try await post(parameters.filter { isBasic || $0.name != "client_id" }, to: endpoint)
        try checkCertificate(answer)
        guard let reference = try answer.success()["request_uri"]?.text, reference.utf8.count <= 1000,
            reference.isVisibleASCII
        else { throw answer.error(.malformedResponse, "The answer of \(endpoint) has no usable request_uri.") }
        return reference
    }

    /// Requests a login on another device (RFC 8628 §3.1).
    func deviceAuthorization(at endpoint: TargetURL) async throws -> EndpointAnswer {
        var parameters = configuration.scopeParameter + configuration.resourceParameters + furtherParameters
        // The form must have the client's id, even if the client authenticates by a header field.
        if case .basic = configuration.authentication.method {
            parameters.append(("client_id", configuration.clientID))
        }
        return try await post(parameters, to: endpoint)
    }

    /// Revokes tokens (RFC 7009): the refresh token first, which also ends its access tokens on most servers, then the
    /// access token.
    func revoke(_ tokens: OAuth2Tokens) async throws {
        guard let endpoint = configuration.revocationEndpoint else { return }
        for (hint, token) in [("refresh_token", tokens.refreshToken), ("access_token", tokens.accessToken)] {
            guard let token else { continue }
            let answer = try await post([("token", token.value), ("token_type_hint", hint)], to: endpoint)
            if let refusal = answer.refusal, !Self.isRevoked(refusal) { throw refusal }
        }
    }

    /// Whether the refusal means that the token is invalid already, so that nothing is left to revoke. RFC 7009 §2.2
    /// demands a success then; some servers answer with an error, such as Google's for an access token whose refresh
    /// token was revoked.
    private static func isRevoked(_ refusal: OAuth2Error) -> Bool {
        refusal.code == .invalidGrant
            || ["unsupported_token_type", "invalid_token"].contains(refusal.serverError)
    }

    /// Ends the person's session at the server (OpenID Connect RP-Initiated Logout §2). Sent by the client itself, with
    /// the ID token that names the session, and without a browser's cookies.
    ///
    /// - Returns: whether there was anything to send
    func endSession(_ tokens: OAuth2Tokens) async throws -> Bool {
        guard let endpoint = configuration.endSessionEndpoint, let hint = tokens.idToken else { return false }
        let form: [FormEncoding.Parameter] = [("id_token_hint", hint.value), ("client_id", configuration.clientID)]
        let answer = try await requests.send(
            .post, endpoint, [.contentType: FormEncoding.mediaType], body: .text(FormEncoding.encode(form)),
            secrets: [hint.value])
        // A redirect is the way to the page after the logout.
        if !(200..<400).contains(answer.status) {
            throw answer.refusal
                ?? answer.error(.refused, "\(endpoint) answered \(answer.status): the session was not ended.")
        }
        return true
    }

    /// Sends a request with a proof for bound tokens; once more if the server demands a nonce (RFC 9449 §8).
    private func proving(
        _ parameters: [FormEncoding.Parameter], to endpoint: TargetURL
    ) async throws -> EndpointAnswer {
        guard let prover else { return try await post(parameters, to: endpoint) }
        func send() async throws -> (answer: EndpointAnswer, hasNonce: Bool) {
            let answer = try await post(
                parameters, to: endpoint, try prover.field(.post, endpoint, to: .authorization))
            return (answer, prover.nonces.note(answer.fields, from: endpoint.origin, .authorization))
        }
        var (answer, hasNonce) = try await send()
        if hasNonce, answer.refusal?.serverError == "use_dpop_nonce" { (answer, hasNonce) = try await send() }
        guard let refusal = answer.refusal, ["use_dpop_nonce", "invalid_dpop_proof"].contains(refusal.serverError)
        else { return answer }
        throw answer.error(
            .proofRefused,
            "\(endpoint) does not accept the proof for bound tokens: is the clock of this machine right?",
            serverError: refusal.serverError, serverDescription: refusal.serverDescription)
    }

    private func post(
        _ parameters: [FormEncoding.Parameter], to endpoint: TargetURL, _ proof: HTTPField? = nil
    ) async throws -> EndpointAnswer {
        let authentication = configuration.authentication
        var fields: HTTPFields = [.contentType: FormEncoding.mediaType]
        if let proof { fields.append(proof) }
        let credentials = authentication.fields(clientID: configuration.clientID)
        fields.append(contentsOf: credentials)
        let form = try await parameters + authentication.parameters(for: configuration)
        var secrets = form.filter { !Self.harmless.contains($0.name) }.map(\.value)
        if let secret = authentication.secret { secrets.append(secret) }
        // A server may repeat the field as well.
        if let pair = credentials[.authorization]?.cut(atASCII: " ")?.after { secrets.append(String(pair)) }
        return try await requests.send(
            .post, endpoint, fields, body: .text(FormEncoding.encode(form)), showing: try certificate(for: endpoint),
            secrets: secrets)
    }

    /// The client's own certificate.
    ///
    /// - Throws: if the client can only authenticate by a certificate, and there cannot be one
    private func certificate(for endpoint: TargetURL) throws(OAuth2Error) -> OAuth2ClientCertificate? {
        let authentication = configuration.authentication
        guard authentication.isByCertificate else { return authentication.certificate }
        guard endpoint.origin.scheme == .https else {
            throw OAuth2Error(
                .insecureEndpoint, "\(endpoint) is plain http: a client authenticates by certificate over https only.",
                endpoint: endpoint)
        }
        guard authentication.certificate != nil || requests.context.presentsIdentity(to: endpoint) else {
            throw OAuth2Error(
                .clientCertificateUnusable,
                "The client authenticates by certificate, and there is none: give it one, or add a provider of client certificates that serves \(endpoint.origin).",
                endpoint: endpoint)
        }
        return authentication.certificate
    }

    /// Explains a refusal by a server that never asked for the certificate.
    private func checkCertificate(_ answer: EndpointAnswer) throws(OAuth2Error) {
        guard configuration.authentication.isByCertificate, answer.shownCertificate == nil,
            let refusal = answer.refusal, refusal.code == .refused
        else { return }
        throw OAuth2Error(
            .clientCertificateUnusable,
            "\(answer.endpoint) refused the client, which authenticates by certificate and has shown none: configure the endpoint that asks for certificates, if the server has a separate one, or a certificate for this endpoint.",
            serverError: refusal.serverError, serverDescription: refusal.serverDescription, endpoint: answer.endpoint,
            status: answer.status)
    }

    /// Parameters that a server may quote; all other values are removed from its descriptions.
    private static let harmless: Set<String> = [
        "grant_type", "client_id", "scope", "redirect_uri", "token_type_hint", "resource", "audience", "username",
    ]
}
