import Foundation
import HTTPTypes
import HummingbirdCore

/// `/oauth2/authorize`: the login form, the consent form if needed, and the redirect back to the client.
struct AuthorizeEndpoint {
    let exchange: ServerExchange
    private var server: OAuthServer { exchange.oauth }

    init(exchange: ServerExchange) {
        self.exchange = exchange
    }

    func respond() async throws -> Response {
        guard exchange.method == "POST" else { return begin(FormFields(queryOf: exchange)) }
        guard let form = try await exchange.form() else {
            return OAuthPage.problem("This is not a form.")
        }
        return form["csrf"] == nil ? begin(form) : fill(form)
    }

    /// A new request from a client.
    private func begin(_ form: FormFields) -> Response {
        guard let reference = form["request_uri"], reference.hasPrefix(PushedRequests.prefix) else {
            return server.rule.demandsPushedRequests
                ? OAuthPage.problem("Requests have to be pushed (RFC 9126).") : ask(form)
        }
        guard let pushed = server.pushed.take(reference, client: form["client_id"]) else {
            return OAuthPage.problem("The pushed request is unknown or has expired.")
        }
        return ask(pushed)
    }

    private func ask(_ form: FormFields) -> Response {
        guard let target = OAuthRequest.target(form, server) else {
            return OAuthPage.problem("Unknown client, or a redirect_uri that is not the client's.")
        }
        do {
            let request = try OAuthRequest(
                form, client: target.client, redirectURI: target.redirectURI, server: server)
            return try next(request)
        } catch {
            return redirect(error, to: target.redirectURI, state: form["state"])
        }
    }

    /// The next step before a code is given. `login` is nil unless the user has just logged in.
    private func next(
        _ request: OAuthRequest, login fresh: (cookie: String, login: BrowserStore<OAuthPurpose>.Login)? = nil
    ) throws -> Response {
        let isSilent = request.prompt.contains("none")
        let cookie = fresh?.cookie ?? exchange.loginCookie
        let known =
            request.prompt.contains("login") || !request.acrValues.isEmpty
            ? nil : server.browsers.login(cookie, lifetime: server.rule.browserLifetime)
        let isOld = request.maximumAge.flatMap { age in
            known.map { server.clock.date.timeIntervalSince($0.date) > Double(age) }
        }
        guard let login = fresh?.login ?? (isOld == true ? nil : known) else {
            if isSilent { throw OAuthFailure("login_required", "nobody is logged in") }
            return OAuthPage.login(exchange, for: .logIn(request))
        }
        let hasConsent = server.browsers.hasConsent(of: login.user, to: request.client.id, scopes: request.scopes)
        if request.prompt.contains("consent") || (request.client.needsConsent && !hasConsent) {
            if isSilent { throw OAuthFailure("consent_required", "nobody has consented") }
            return OAuthPage.consent(exchange, request, cookie: cookie)
        }
        return finish(request, login)
    }

    /// Handles a submitted form.
    private func fill(_ form: FormFields) -> Response {
        switch server.browsers.take(form["csrf"], cookie: exchange.loginCookie) {
        case .logIn(let request): return answer(request) { try logIn(form, request) }
        case .consent(let request): return answer(request) { try decide(request, allows: form["consent"] == "allow") }
        case .device, nil: return OAuthPage.problem("This form is not valid any more.", status: .forbidden)
        }
    }

    /// Runs an operation. A failure is sent to the client.
    private func answer(_ request: OAuthRequest, _ operation: () throws -> Response) -> Response {
        do {
            return try operation()
        } catch {
            return redirect(error, to: request.redirectURI, state: request.state)
        }
    }

    private func logIn(_ form: FormFields, _ request: OAuthRequest) throws -> Response {
        guard let fresh = OAuthPage.logIn(exchange, form) else {
            return OAuthPage.login(exchange, for: .logIn(request), isRepeated: true)
        }
        return try next(request, login: fresh).adding(.setCookie, exchange.loginSetCookie(fresh.cookie))
    }

    private func decide(_ request: OAuthRequest, allows: Bool) throws -> Response {
        guard let login = server.browsers.login(exchange.loginCookie, lifetime: server.rule.browserLifetime) else {
            return OAuthPage.login(exchange, for: .logIn(request))
        }
        guard allows else { throw OAuthFailure("access_denied", "the person said no") }
        server.browsers.addConsent(of: login.user, to: request.client.id, scopes: request.scopes)
        return finish(request, login)
    }

    private func finish(_ request: OAuthRequest, _ login: BrowserStore<OAuthPurpose>.Login) -> Response {
        let code = server.tokens.addCode(
            for: OAuthAuthorization(
                client: request.client.id, user: login.user, scopes: request.scopes, issuer: exchange.issuer,
                nonce: request.nonce, authenticated: login.date, acr: request.acrValues.first,
                resources: request.resources),
            redirectURI: request.redirectURI, challenge: request.challenge, key: request.key,
            lifetime: server.rule.codeLifetime)
        server.counters.count(\.codes)
        return redirect([("code", code)], to: request.redirectURI, state: request.state)
    }

    // MARK: Redirects to the client

    private func redirect(_ error: any Error, to uri: String, state: String?) -> Response {
        let failure = error as? OAuthFailure
        let parameters = [
            ("error", failure?.code ?? "server_error"), ("error_description", failure?.description ?? "\(error)"),
        ]
        return redirect(parameters, to: uri, state: state)
    }

    private func redirect(_ given: [(String, String)], to uri: String, state: String?) -> Response {
        let fault = server.faults.authorization.take()
        if fault != nil { server.counters.count(\.injectedFaults) }
        var parameters = given
        if fault == .serverError { parameters = [("error", "server_error"), ("error_description", "something broke")] }
        if fault == .foreignCode { parameters = [("code", RandomToken.makeBearer())] }
        if let state, fault != .missingState {
            parameters.append(("state", fault == .wrongState ? RandomToken.make() : state))
        }
        if fault != .missingIssuer {
            parameters.append(("iss", fault == .wrongIssuer ? "https://attacker.example/oauth2" : exchange.issuer))
        }
        let query = parameters.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
        // The answer to a form must not be posted on (RFC 9700, 4.12).
        var response = Response(status: exchange.method == "POST" ? .seeOther : .found)
        response.headers[.location] = uri + (uri.contains("?") ? "&" : "?") + query
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
