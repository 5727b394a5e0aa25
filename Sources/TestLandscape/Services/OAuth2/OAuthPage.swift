import HTTPTypes
import HummingbirdCore

/// The pages of the authorization server: plain forms without scripts.
enum OAuthPage {
    /// A form for name and password.
    static func login(
        _ exchange: ServerExchange, for purpose: OAuthPurpose, isRepeated: Bool = false
    ) -> Response {
        exchange.oauth.counters.count(\.loginForms)
        return form(
            exchange, for: purpose, cookie: exchange.loginCookie, title: "Log in",
            content: (isRepeated ? "<p class=\"error\">Unknown user or wrong password.</p>\n" : "")
                + """
                <label>Name <input type="text" name="username" autocomplete="username"></label>
                <label>Password <input type="password" name="password" autocomplete="current-password"></label>
                <button type="submit">Log in</button>
                """)
    }

    /// Logs in the user of a form; nil if the password is wrong.
    static func logIn(
        _ exchange: ServerExchange, _ form: FormFields
    ) -> (cookie: String, login: BrowserStore<OAuthPurpose>.Login)? {
        guard let user = form["username"].flatMap({ exchange.shared.users.user(named: $0, in: "oauth2") }),
            UserDirectory.equal(user.password, form["password"] ?? "")
        else {
            exchange.oauth.counters.count(\.failedLogins)
            return nil
        }
        exchange.oauth.counters.count(\.logins)
        return exchange.oauth.browsers.begin(user: user.name, replacing: exchange.loginCookie)
    }

    /// A form that asks whether the client may have the scopes.
    static func consent(_ exchange: ServerExchange, _ request: OAuthRequest, cookie: String?) -> Response {
        form(
            exchange, for: .consent(request), cookie: cookie, title: "Allow access",
            content: question(client: request.client.id, scopes: request.scopes))
    }

    /// A form that asks whether the device may have the scopes.
    static func device(
        _ exchange: ServerExchange, userCode: String, client: String, scopes: [String], cookie: String?
    ) -> Response {
        form(
            exchange, for: .device(userCode: userCode), cookie: cookie, title: "Connect a device",
            content: "<p>Does the device show <strong>\(Page.escape(userCode))</strong>?</p>\n"
                + question(client: client, scopes: scopes))
    }

    /// A form that asks for the code of a device.
    static func userCode(isUnknown: Bool) -> Response {
        page(
            title: "Connect a device",
            content: (isUnknown ? "<p class=\"error\">There is no such code.</p>\n" : "")
                + """
                <form method="get" action="/oauth2/device">
                <label>Code <input type="text" name="user_code" autocomplete="off"></label>
                <button type="submit">Continue</button>
                </form>
                """)
    }

    static func notice(_ text: String) -> Response {
        page(title: "Done", content: "<p>\(Page.escape(text))</p>")
    }

    static func problem(_ text: String, status: HTTPResponse.Status = .badRequest) -> Response {
        page(title: "This does not work", content: "<p class=\"error\">\(Page.escape(text))</p>", status: status)
    }

    private static func question(client: String, scopes: [String]) -> String {
        """
        <p>\(Page.escape(client)) asks for: \(Page.escape(scopes.joined(separator: ", "))).</p>
        <button type="submit" name="consent" value="allow">Allow</button>
        <button type="submit" name="consent" value="deny">Deny</button>
        """
    }

    private static func form(
        _ exchange: ServerExchange, for purpose: OAuthPurpose, cookie: String?, title: String, content: String
    ) -> Response {
        let (token, newCookie) = exchange.oauth.browsers.open(purpose, cookie: cookie)
        let response = page(
            title: title,
            content: """
                <form method="post" action="\(Page.escape(exchange.path))">
                <input type="hidden" name="csrf" value="\(token)">
                \(content)
                </form>
                """)
        return newCookie.map { response.adding(.setCookie, exchange.loginSetCookie($0)) } ?? response
    }

    private static func page(title: String, content: String, status: HTTPResponse.Status = .ok) -> Response {
        var response = Response.text(Page.html(title, content, charset: "utf-8"), status: status)
        response.headers[.contentType] = "text/html; charset=utf-8"
        response.headers[.cacheControl] = "no-store"
        response.headers[.contentSecurityPolicy] = Page.policy
        return response
    }
}
