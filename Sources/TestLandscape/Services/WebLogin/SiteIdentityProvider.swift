import HummingbirdCore
import NIOCore

/// `/site-idp/…`: the identity provider of the sites.
struct SiteIdentityProvider {
    private static let cookieName = "SITE_IDP"

    let exchange: ServerExchange
    let server: SiteServer

    private var cookie: String? { CookieHeader.value(of: Self.cookieName, in: exchange.incoming.fields) }

    func respond() async throws -> Response {
        await exchange.wait(at: SiteServer.gate)
        if exchange.connection.isGone { throw ChannelError.inputClosed }
        guard exchange.method == "POST" else { return begin() }
        guard let form = try await exchange.form(),
            case .signOn(let signOn)? = server.browsers.take(form["token"], cookie: cookie)
        else { return SAMLPage.problem("The form has expired.") }
        guard let user = exchange.shared.users.user(named: form["user"] ?? "", in: "site"),
            UserDirectory.equal(user.password, form["password"] ?? "")
        else {
            server.counters.count(\.refusals)
            return page(signOn, message: "User name or password is wrong.")
        }
        server.counters.count(\.logins)
        let fresh = server.browsers.begin(user: user.name, replacing: cookie).cookie
        return answer(signOn, user.name).adding(.setCookie, Self.field(fresh))
    }

    private func begin() -> Response {
        let form = FormFields(queryOf: exchange)
        guard form["response_type"] == "code", form["client_id"] == "site", let state = form["state"],
            let redirectURI = form["redirect_uri"], redirectURI.hasSuffix("/callback")
        else { return SAMLPage.problem("This is no authentication request.", status: .badRequest) }
        let signOn = SiteServer.SignOn(
            redirectURI: redirectURI, state: state, isForm: form["response_mode"] == "form_post")
        guard let login = server.browsers.login(cookie, lifetime: .seconds(28_800)) else { return page(signOn) }
        server.counters.count(\.signOns)
        return answer(signOn, login.user)
    }

    private func answer(_ signOn: SiteServer.SignOn, _ user: String) -> Response {
        let code = server.codes.keep(user)
        guard !signOn.isForm else {
            return SAMLPage.response(
                SAMLPage.selfSubmitting(
                    action: signOn.redirectURI, fields: [("code", code), ("state", signOn.state)]))
        }
        return SAMLPage.redirect("\(signOn.redirectURI)?code=\(code)&state=\(signOn.state)")
    }

    private func page(_ signOn: SiteServer.SignOn, message: String? = nil) -> Response {
        let (token, fresh) = server.browsers.open(.signOn(signOn), cookie: cookie)
        let response = SiteLoginPage.response(token: token, message: message)
        return fresh.map { response.adding(.setCookie, Self.field($0)) } ?? response
    }

    private static func field(_ cookie: String) -> String { "\(cookieName)=\(cookie); Path=/site-idp; HttpOnly" }
}
