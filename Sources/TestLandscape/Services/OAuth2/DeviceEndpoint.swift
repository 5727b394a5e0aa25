import HTTPTypes
import HummingbirdCore

/// The device grant (RFC 8628): codes for the device, and a page for its owner.
struct DeviceEndpoint {
    let exchange: ServerExchange
    private var server: OAuthServer { exchange.oauth }

    init(exchange: ServerExchange) {
        self.exchange = exchange
    }

    /// `/oauth2/device_authorization`.
    static func begin(_ exchange: ServerExchange, _ form: FormFields, _ client: OAuthClient) throws -> Response {
        guard client.grants.contains(.deviceCode) else {
            throw OAuthFailure("unauthorized_client", "not with this client")
        }
        let server = exchange.oauth
        let rule = server.rule
        let codes = server.devices.begin(
            client: client, issuer: exchange.issuer, scopes: try server.scopes(form.words("scope"), for: client),
            rule: rule)
        let page = exchange.issuer + "/device"
        return try .json(
            JSONValue.object([
                "device_code": .text(codes.device), "user_code": .text(codes.user),
                "verification_uri": .text(page),
                "verification_uri_complete": .text(page + "?user_code=" + codes.user),
                "expires_in": .number(Int(rule.deviceCodeLifetime.components.seconds)),
                "interval": .number(Int(rule.deviceInterval.components.seconds)),
            ]), headers: [.cacheControl: "no-store"])
    }

    /// `/oauth2/device`.
    func respond() async throws -> Response {
        guard exchange.method == "POST" else {
            let form = FormFields(queryOf: exchange)
            guard let code = form["user_code"] else { return OAuthPage.userCode(isUnknown: false) }
            return ask(code, cookie: exchange.loginCookie)
        }
        guard let form = try await exchange.form(),
            case .device(let code) = server.browsers.take(form["csrf"], cookie: exchange.loginCookie)
        else { return OAuthPage.problem("This form is not valid any more.", status: .forbidden) }
        return form["consent"].map { decide(code, allows: $0 == "allow") } ?? logIn(form, code)
    }

    private func ask(_ code: String, cookie: String?) -> Response {
        guard server.browsers.login(cookie, lifetime: server.rule.browserLifetime) != nil else {
            return OAuthPage.login(exchange, for: .device(userCode: code))
        }
        guard let device = server.devices.waiting(userCode: code) else { return OAuthPage.userCode(isUnknown: true) }
        return OAuthPage.device(
            exchange, userCode: code, client: device.client, scopes: device.scopes, cookie: cookie)
    }

    private func logIn(_ form: FormFields, _ code: String) -> Response {
        guard let fresh = OAuthPage.logIn(exchange, form) else {
            return OAuthPage.login(exchange, for: .device(userCode: code), isRepeated: true)
        }
        return ask(code, cookie: fresh.cookie).adding(.setCookie, exchange.loginSetCookie(fresh.cookie))
    }

    private func decide(_ code: String, allows: Bool) -> Response {
        guard let login = server.browsers.login(exchange.loginCookie, lifetime: server.rule.browserLifetime) else {
            return OAuthPage.login(exchange, for: .device(userCode: code))
        }
        guard server.devices.decide(userCode: code, user: allows ? login.user : nil) else {
            return OAuthPage.userCode(isUnknown: true)
        }
        return OAuthPage.notice(allows ? "Return to your device." : "The device was refused.")
    }
}
