import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// `/site/VARIANT/…`: resources behind a login page.
struct Site {
    let exchange: ServerExchange
    let server: SiteServer

    private var words: [String] {
        (exchange.segments.count > 1 ? exchange.segments[1] : "").split(separator: "-").map(String.init)
    }
    private var root: String { "/site/\(exchange.segments.count > 1 ? exchange.segments[1] : "")" }

    func respond() async throws -> Response {
        guard ["form", "inline", "oidc"].contains(words.first) else {
            return .text("form, inline and oidc\n", status: .notFound)
        }
        switch exchange.segments.count > 2 ? exchange.segments[2] : "" {
        case "login" where words.first == "form": return try await logIn()
        case "callback" where words.first == "oidc": return try await takeCode()
        case "logout": return logOut()
        default: break
        }
        if let user, !words.contains("never") {
            server.counters.count(\.answers)
            return try await ProtectedAnswer.response(to: exchange, user: user, factors: ["site"])
        }
        if words.first == "inline", exchange.method == "POST", let form = try await exchange.form(),
            form["token"] != nil
        {
            return try await logIn(form)
        }
        server.counters.count(\.challenges)
        switch words.first {
        case "form":
            return SAMLPage.redirect("\(root)/login?next=\(PercentCoding.encode(exchange.incoming.target))")
        case "inline":
            await exchange.wait(at: SiteServer.gate)
            return page(next: exchange.incoming.target, status: words.contains("401") ? .unauthorized : .ok)
        default: return authenticate()
        }
    }

    // MARK: The session

    private var user: String? {
        CookieHeader.value(of: cookieName, in: exchange.incoming.fields)
            .flatMap { server.sessions.user(of: $0, realm: exchange.ownBase + root) }
    }

    /// The names of the cookies have the origin, because cookies are shared by all ports.
    private var cookieName: String { "SITE_SESSION_\(exchange.origin.rawValue)" }
    private var browserName: String { "SITE_BROWSER_\(exchange.origin.rawValue)" }
    private var attributes: String {
        "; Path=\(root); HttpOnly; SameSite=Lax" + (exchange.origin.scheme == "https" ? "; Secure" : "")
    }

    private func begin(_ user: String, to url: String) -> Response {
        let session = server.sessions.begin(user: user, realm: exchange.ownBase + root)
        return SAMLPage.redirect(url, status: .seeOther).adding(.setCookie, "\(cookieName)=\(session)\(attributes)")
    }

    private func logOut() -> Response {
        if let id = CookieHeader.value(of: cookieName, in: exchange.incoming.fields) { server.sessions.end(id) }
        return Response.text("logged out\n").adding(.setCookie, "\(cookieName)=; Max-Age=0\(attributes)")
    }

    // MARK: The form

    private func logIn(_ sent: FormFields? = nil) async throws -> Response {
        await exchange.wait(at: SiteServer.gate)
        if exchange.connection.isGone { throw ChannelError.inputClosed }
        guard exchange.method == "POST" else {
            let next = exchange.parameter("next") ?? root
            return page(next: next.hasPrefix("/") ? next : root)
        }
        var form = sent
        if form == nil { form = try await exchange.form() }
        let cookie = CookieHeader.value(of: browserName, in: exchange.incoming.fields)
        guard let form, case .site(let next)? = server.browsers.take(form["token"], cookie: cookie) else {
            return SAMLPage.problem("The form has expired.")
        }
        guard let user = exchange.shared.users.user(named: form["user"] ?? "", in: "site"),
            UserDirectory.equal(user.password, form["password"] ?? "")
        else {
            server.counters.count(\.refusals)
            return page(next: next, message: "User name or password is wrong.")
        }
        server.counters.count(\.logins)
        return begin(user.name, to: next)
    }

    private func page(next: String, message: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        let cookie = CookieHeader.value(of: browserName, in: exchange.incoming.fields)
        let (token, fresh) = server.browsers.open(.site(next: next), cookie: cookie)
        let response = SiteLoginPage.response(token: token, message: message, status: status)
        return fresh.map { response.adding(.setCookie, "\(browserName)=\($0)\(attributes)") } ?? response
    }

    // MARK: OpenID Connect

    private func authenticate() -> Response {
        let state = server.states.keep(exchange.incoming.target)
        let parameters =
            [
                "response_type=code", "client_id=site", "scope=openid", "state=\(state)",
                "redirect_uri=\(PercentCoding.encode("\(exchange.ownBase)\(root)/callback"))",
            ] + (words.contains("post") ? ["response_mode=form_post"] : [])
        let provider = exchange.shared.identityProviderBase(for: exchange.origin)
        // The answer may be a POST from the identity provider. Browsers drop SameSite=None without Secure.
        let isSecure = exchange.origin.scheme == "https"
        let sameSite = attributes.replacing("; SameSite=Lax", with: isSecure ? "; SameSite=None" : "")
        return SAMLPage.redirect("\(provider)/site-idp/authorize?\(parameters.joined(separator: "&"))")
            .adding(.setCookie, "SITE_STATE_\(exchange.origin.rawValue)=\(state)\(sameSite)")
    }

    private func takeCode() async throws -> Response {
        let form = exchange.method == "POST" ? try await exchange.form() : FormFields(queryOf: exchange)
        let cookie = CookieHeader.value(of: "SITE_STATE_\(exchange.origin.rawValue)", in: exchange.incoming.fields)
        guard let form, let state = form["state"], state == cookie, let next = server.states.take(state),
            let user = form["code"].flatMap({ server.codes.take($0) })
        else { return SAMLPage.problem("State or code is wrong.") }
        return begin(user, to: next)
    }
}

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

/// The login page of the sites and of their identity provider.
enum SiteLoginPage {
    static func response(token: String, message: String?, status: HTTPResponse.Status = .ok) -> Response {
        let content = """
            \(message.map { "<p class=\"error\" role=\"alert\">\($0)</p>" } ?? "")
            <form method="post">
            <input type="hidden" name="token" value="\(token)">
            <p><label>User name <input name="user" required autofocus></label></p>
            <p><label>Password <input name="password" type="password" required></label></p>
            <p><button>Log in</button></p>
            </form>
            """
        return SAMLPage.response(SAMLPage.page(title: "Log in", content: content), status: status)
    }
}

extension SiteServer {
    /// Texts under random names, each of which can be taken once.
    final class OneTimeTexts: Sendable {
        private let texts = Mutex<[String: String]>([:])

        func keep(_ text: String) -> String {
            let name = RandomToken.make()
            texts.withLock { $0[name] = text }
            return name
        }

        func take(_ name: String) -> String? { texts.withLock { $0.removeValue(forKey: name) } }
        func removeAll() { texts.withLock { $0 = [:] } }
    }
}
