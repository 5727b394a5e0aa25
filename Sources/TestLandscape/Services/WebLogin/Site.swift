import HTTPTypes
import HummingbirdCore
import NIOCore

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
        case "next" where isUnfinished: return try await goOn()
        case "press", "note", "search", "created":
            server.counters.count(\.presses)
            return SAMLPage.response(SAMLPage.page(title: "Pressed", content: "<p>pressed</p>"))
        case "landing" where words.contains("landing"): return landing()
        default: break
        }
        if isUnfinished { return SAMLPage.redirect("\(root)/next", status: .seeOther) }
        if let user, !words.contains("never") {
            server.counters.count(\.answers)
            if words.contains("button") { return button(user) }
            switch exchange.segments.dropFirst(2).joined(separator: "/") {
            case "settings": return settings(user)
            case "users/new": return newUser()
            default: break
            }
            return try await ProtectedAnswer.response(to: exchange, user: user, factors: ["site"])
        }
        if words.first == "inline", exchange.method == "POST", let form = try await exchange.form(),
            form["token"] != nil
        {
            return try await logIn(form)
        }
        server.counters.count(\.challenges)
        switch words.first {
        case "form" where words.contains("refused"): return refusal(.forbidden)
        case "form" where words.contains("public"): return refusal(.ok)
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
        guard let session, !words.contains("agent") || server.agents.withLock({ $0[session] }) == agent else {
            return nil
        }
        return server.sessions.user(of: session, realm: exchange.ownBase + root)
    }

    /// The program that sends the request.
    private var agent: String { exchange.field("User-Agent") ?? "" }

    /// The id of the session. At a site with the word `keep` it is in the cookie of the login page.
    private var session: String? {
        guard words.contains("keep") else {
            return CookieHeader.value(of: cookieName, in: exchange.incoming.fields)
        }
        return CookieHeader.value(of: browserName, in: exchange.incoming.fields)
            .flatMap { cookie in server.kept.withLock { $0[cookie] } }
    }

    /// Whether something is missing after the password.
    private var isUnfinished: Bool {
        guard words.contains("otp") || words.contains("terms"), user != nil, let session else { return false }
        return server.finished.withLock { !$0.contains(session) }
    }

    /// The names of the cookies have the origin, because cookies are shared by all ports.
    private var cookieName: String { "SITE_SESSION_\(exchange.origin.rawValue)" }
    private var browserName: String { "SITE_BROWSER_\(exchange.origin.rawValue)" }
    private var attributes: String {
        "; Path=\(root); HttpOnly; SameSite=Lax" + (exchange.origin.scheme == "https" ? "; Secure" : "")
    }

    private func begin(_ user: String, to url: String) -> Response {
        let session = server.sessions.begin(user: user, realm: exchange.ownBase + root)
        if words.contains("agent") { server.agents.withLock { $0[session] = agent } }
        if words.contains("keep"), let cookie = CookieHeader.value(of: browserName, in: exchange.incoming.fields) {
            server.kept.withLock { $0[cookie] = session }
            return SAMLPage.redirect(url, status: .seeOther)
        }
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
        return begin(user.name, to: words.contains("landing") ? "\(root)/landing" : next)
    }

    private func page(next: String, message: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        let cookie = CookieHeader.value(of: browserName, in: exchange.incoming.fields)
        let (token, fresh) = server.browsers.open(.site(next: next), cookie: cookie)
        let response = SiteLoginPage.response(
            token: token, message: message, status: status, isScripted: words.contains("script"))
        return fresh.map { response.adding(.setCookie, "\(browserName)=\($0)\(attributes)") } ?? response
    }

    /// A page that only links to the login.
    private func refusal(_ status: HTTPResponse.Status) -> Response {
        let link = #"<p>Login required. <a href="\#(root)/login">Log in</a></p>"#
        return SAMLPage.response(SAMLPage.page(title: "Login required", content: link), status: status)
    }

    // MARK: After the password

    private func goOn() async throws -> Response {
        let isCode = words.contains("otp")
        let content =
            isCode
            ? #"<p><label>Code <input name="code" autocomplete="one-time-code" required></label></p><p><button>Go on</button></p>"#
            : #"<p>You need to accept our terms.</p><p><button name="accept" value="yes">I accept</button></p>"#
        let form = exchange.method == "POST" ? try await exchange.form() : nil
        guard let session, isCode ? form?["code"] == SiteServer.code : form?["accept"] == "yes" else {
            return SAMLPage.response(
                SAMLPage.page(title: "One more step", content: #"<form method="post">\#(content)</form>"#))
        }
        server.finished.withLock { _ = $0.insert(session) }
        return SAMLPage.redirect("\(root)/page", status: .seeOther)
    }

    /// A resource with a button that must not be pressed.
    private func button(_ user: String) -> Response {
        let form = #"<form method="post" action="\#(root)/press"><button>Restart device</button></form>"#
        return SAMLPage.response(SAMLPage.page(title: "Status", content: "<p>\(user)</p>\(form)"))
    }

    /// The first page after a login, with forms that nobody has asked for.
    private func landing() -> Response {
        let forms = """
            <form action="\(root)/search"><input name="q"><button>Search</button></form>
            <form method="post" action="\(root)/note"><input name="note"><button>Post</button></form>
            """
        return SAMLPage.response(SAMLPage.page(title: "Welcome", content: forms))
    }

    private var logOutLink: String { #"<p><a href="\#(root)/logout">Log out</a></p>"# }

    /// A page that asks for the person's own password. Each answer renews the session.
    private func settings(_ user: String) -> Response {
        let form = """
            <form method="post" action="\(root)/press"><input name="password" type="password"><button>Save</button></form>
            """
        let response = SAMLPage.response(SAMLPage.page(title: "Settings", content: logOutLink + form))
        if let session { server.sessions.end(session) }
        let session = server.sessions.begin(user: user, realm: exchange.ownBase + root)
        return response.adding(.setCookie, "\(cookieName)=\(session)\(attributes)")
    }

    /// A page with the fields of the login form, which makes an account.
    private func newUser() -> Response {
        let form = """
            <form method="post" action="\(root)/created"><input name="user"><input name="password" type="password">
            <button>Create</button></form>
            """
        return SAMLPage.response(SAMLPage.page(title: "New administrator", content: logOutLink + form))
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
