import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/idp/…`: reads authentication requests, shows forms, and answers with signed assertions.
struct IdentityProvider {
    /// The maximum bytes of an inflated message.
    private static let limit = 65_536

    let exchange: ServerExchange
    var server: SAMLServer { exchange.saml }
    var counters: CounterSet<SAMLCounters> { server.counters }

    init(exchange: ServerExchange) {
        self.exchange = exchange
    }

    func respond() async throws -> Response {
        let parts = exchange.segments.dropFirst()
        switch parts.first {
        case "sso", "login", "totp2fcheck": return try await page()
        case "artifact": return try await ArtifactResolution.answer(exchange)
        case "key.pem": return .text(try SAMLServer.signature().publicKeyPEM + "\n")
        case "submit.js":
            var response = Response.text("document.forms[0].submit();\n")
            response.headers[.contentType] = "text/javascript"
            return response
        case "logout":
            server.browsers.end(cookie)
            return SAMLPage.notice("Logged out", "You are logged out.")
        default: return .text("there is no such page of the identity provider\n", status: .notFound)
        }
    }

    private func page() async throws -> Response {
        await exchange.wait(at: SAMLServer.loginGate)
        if exchange.connection.isGone { throw ChannelError.inputClosed }
        do {
            guard exchange.method == "POST" else { return try open() }
            guard let form = try await exchange.anyForm() else { throw SAMLFailure("This is not a form.") }
            guard form["token"] == nil else {
                await exchange.wait(delay: server.rule.loginDelay)
                return try fill(form)
            }
            guard let text = form["SAMLRequest"],
                let document = Data(base64Encoded: text, options: .ignoreUnknownCharacters)
            else { throw SAMLFailure("There is no SAMLRequest.") }
            return try begin(Array(document), form)
        } catch let failure as SAMLFailure {
            return SAMLPage.problem(failure.description, status: .badRequest)
        }
    }

    /// Handles a GET: a request by the redirect binding, or the redirect to the form.
    private func open() throws -> Response {
        let form = FormFields(queryOf: exchange)
        if let state = form["AuthState"] {
            guard case .show(let signOn) = server.browsers.take(state, cookie: cookie) else { return expired }
            return show(.credentials(signOn))
        }
        guard let text = form["SAMLRequest"], let deflated = Data(base64Encoded: text),
            let document = DeflateDecoder.decode(Array(deflated), limit: Self.limit)
        else { throw SAMLFailure("There is no SAMLRequest.") }
        return try begin(document, form)
    }

    private var expired: Response { SAMLPage.problem("This form is not valid any more.") }

    private func begin(_ document: [UInt8], _ form: FormFields) throws -> Response {
        guard exchange.segments.count == 3, let style = SAMLLoginStyle(rawValue: exchange.segments[2]) else {
            throw SAMLFailure("There is no such page.")
        }
        let signOn = try SignOn(document, relayState: form["RelayState"], style: style, exchange)
        counters.count(\.signOns)
        if !signOn.forcesLogin, let login = server.browsers.login(cookie, lifetime: server.rule.loginLifetime) {
            counters.count(\.singleSignOns)
            return try proceed(signOn, login)
        }
        guard style == .hop else { return show(.credentials(signOn)) }
        let (token, newCookie) = server.browsers.open(.show(signOn), cookie: cookie)
        let response = SAMLPage.redirect("/idp/login/hop?AuthState=\(token)", status: .seeOther)
        return newCookie.map { response.adding(.setCookie, setCookie($0)) } ?? response
    }

    // MARK: Forms

    func show(_ purpose: SignOnPurpose, message: String? = nil, cookie given: String? = nil) -> Response {
        let (token, newCookie) = server.browsers.open(purpose, cookie: given ?? cookie)
        let style = Self.style(of: purpose)
        switch purpose {
        case .credentials, .password: counters.count(\.loginForms)
        default: break
        }
        let page = IdentityProviderPage(style: style, rule: server.rule, token: token, message: message)
        let response = SAMLPage.response(page.html(for: purpose))
        return newCookie.map { response.adding(.setCookie, setCookie($0)) } ?? response
    }

    private static func style(of purpose: SignOnPurpose) -> SAMLLoginStyle {
        switch purpose {
        case .show(let signOn), .credentials(let signOn), .password(let signOn, _), .passcode(let signOn, _),
            .consent(let signOn):
            signOn.style
        }
    }

    /// Handles a submitted form.
    private func fill(_ form: FormFields) throws -> Response {
        switch server.browsers.take(form["token"], cookie: cookie) {
        case .credentials(let signOn): return try credentials(form, signOn)
        case .password(let signOn, let user):
            return try check(signOn, user: user, password: form[server.rule.passwordField])
        case .passcode(let signOn, let user): return try passcode(form, signOn, user)
        case .consent(let signOn): return try consent(form, signOn)
        case .show, nil: return expired
        }
    }

    private func credentials(_ form: FormFields, _ signOn: SignOn) throws -> Response {
        switch signOn.style {
        case .unquoted:
            guard form["domain"] == "corp" else { return show(.credentials(signOn), message: "Choose a domain.") }
            return try check(signOn, user: form["j_username"], password: form["j_password"])
        case .multipart:
            guard form["account"] == "staff", form["terms"] == "accepted" else {
                return show(.credentials(signOn), message: "Choose the staff account and accept the terms.")
            }
            return try check(
                signOn, user: form[server.rule.userField], password: form[server.rule.passwordField])
        case .split: return show(.password(signOn, user: form[server.rule.userField] ?? ""))
        default:
            return try check(
                signOn, user: form[server.rule.userField], password: form[server.rule.passwordField])
        }
    }

    private func check(_ signOn: SignOn, user name: String?, password: String?) throws -> Response {
        guard let user = exchange.shared.users.user(named: name ?? "", in: "saml"),
            UserDirectory.equal(user.password, password ?? "")
        else {
            counters.count(\.failedPasswords)
            return show(.credentials(signOn), message: "Unknown user or wrong password.")
        }
        guard signOn.style == .totp else { return try logIn(user.name, signOn) }
        return show(.passcode(signOn, user: user.name))
    }

    private func passcode(_ form: FormFields, _ signOn: SignOn, _ name: String) throws -> Response {
        guard let user = exchange.shared.users.user(named: name, in: "saml") else { return expired }
        let rule = exchange.shared.service(OTPServer.self).rule
        guard server.passcodes.check(form["code"] ?? "", of: user, rule: rule) == .right else {
            counters.count(\.failedPasscodes)
            return show(.passcode(signOn, user: name), message: "This one-time password is not right.")
        }
        return try logIn(name, signOn)
    }

    private func logIn(_ user: String, _ signOn: SignOn) throws -> Response {
        counters.count(\.logins)
        let fresh = server.browsers.begin(user: user, replacing: cookie)
        return try proceed(signOn, fresh.login, cookie: fresh.cookie).adding(.setCookie, setCookie(fresh.cookie))
    }

    private func consent(_ form: FormFields, _ signOn: SignOn) throws -> Response {
        guard let login = server.browsers.login(cookie, lifetime: server.rule.loginLifetime) else { return expired }
        guard form["consent"] == "accept" else { return try answer(signOn, login, isDenied: true) }
        server.browsers.addConsent(of: login.user, to: signOn.serviceProvider, scopes: ["name"])
        return try answer(signOn, login)
    }

    // MARK: The browser

    /// The name of the cookie. It has the origin, because cookies are shared by all ports.
    private var cookieName: String { "IDP_SESSION_\(exchange.origin.rawValue)" }

    private var cookie: String? { CookieHeader.value(of: cookieName, in: exchange.incoming.fields) }

    /// The value of a `Set-Cookie`. The service provider posts from another site, so SameSite must be None, which
    /// requires https.
    private func setCookie(_ value: String) -> String {
        "\(cookieName)=\(value); Path=/idp; HttpOnly"
            + (exchange.origin.scheme == "https" ? "; SameSite=None; Secure" : "")
    }
}
