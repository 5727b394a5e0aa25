import HTTPTypes
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

private let password =
    "<form method=post><input name=user><input type=password name=pass><button>Log in</button></form>"

/// The page of a real product, shortened.
private func page(_ body: String, title: String = "Log in") -> String {
    "<!DOCTYPE html><html lang=en><head><title>\(title)</title></head><body>\(body)</body></html>"
}

private func selfSubmitting(_ field: String, to action: String = "https://idp.example/sso") -> String {
    page(
        """
        <noscript><p>Your browser does not support scripts. Press Continue once.</p></noscript>
        <form method="post" action="\(action)"><input type="hidden" name="\(field)" value="PHNhbWw+"/>
        <input type="hidden" name="RelayState" value="cookie:1"/><noscript><input type="submit" value="Continue"/></noscript>
        </form><script>document.forms[0].submit()</script>
        """)
}

@Suite("Logins that are recognised") struct RecognitionTests {
    typealias Kind = RecognizedLogin.Kind

    static let certainLogins: [(RecognitionCase, Kind, LoginProduct?, String?)] = [
        (RecognitionCase("SAML POST binding", selfSubmitting("SAMLRequest")), .saml2, nil, "https://idp.example"),
        (
            RecognitionCase(
                "SAML POST binding, Shibboleth", answering: ["Set-Cookie: _shibstate_1=x; path=/"],
                selfSubmitting("SAMLRequest")), .saml2, .shibboleth, "https://idp.example"
        ),
        (
            RecognitionCase("SAML POST binding, 401", status: 401, selfSubmitting("SAMLRequest")), .saml2, nil,
            "https://idp.example"
        ),
        (
            RecognitionCase("SAML POST binding, 403", status: 403, selfSubmitting("SAMLRequest")), .saml2, nil,
            "https://idp.example"
        ),
        (
            RecognitionCase(
                "SAML login page that keeps the request",
                page(
                    "<form method=post action=/login><input type=hidden name=SAMLRequest value=x>"
                        + "<input name=user><input type=password name=pass></form><a href=/forgot>Forgot?</a>")),
            .saml2, nil, "https://app.example"
        ),
        (
            RecognitionCase(
                "SAML Redirect binding", via: [(302, "https://idp.example/sso?SAMLRequest=x&RelayState=y")]),
            .saml2, nil, "https://idp.example"
        ),
        (
            RecognitionCase(
                "mod_auth_mellon",
                via: [
                    (
                        303,
                        "/mellon/login?ReturnTo=https%3A%2F%2Fapp.example%2Freport&IdP=https%3A%2F%2Fidp.example%2Fmeta"
                    ),
                    (303, "https://idp.example/sso?SAMLRequest=x&RelayState=y"),
                ], setting: ["Set-Cookie: mellon-cookie=cookietest; Path=/"]), .saml2, .mellon, "https://idp.example"
        ),
        (
            RecognitionCase("SAP's header", answering: ["com.sap.cloud.security.login: login-request"], "anything"),
            .saml2, .sap, nil
        ),
        (
            RecognitionCase(
                "SAP's header on a redirect", via: [(302, "/login")], setting: ["com.sap.cloud.security.login: x"]),
            .saml2, .sap, "https://app.example"
        ),
        (
            RecognitionCase(
                "SAML request by a permanent redirect", via: [(301, "https://idp.example/sso?SAMLRequest=x")],
                page(password)),
            .saml2, nil, "https://idp.example"
        ),
        (
            RecognitionCase(
                "ADFS", via: [(302, "https://adfs.example/adfs/ls/?wa=wsignin1.0&wtrealm=urn:app&wctx=rm%3D0")]),
            .wsFederation, .adfs, "https://adfs.example"
        ),
        (
            RecognitionCase(
                "SharePoint",
                via: [
                    (302, "/_layouts/15/Authenticate.aspx?Source=%2Freport"),
                    (302, "https://sts.example/sign?wa=wsignin1.0&wtrealm=urn:sp"),
                ]), .wsFederation, .sharePoint, "https://sts.example"
        ),
        (
            RecognitionCase(
                "answer of an identity provider", via: [(302, "https://sts.example/go?app=1")],
                selfSubmitting("wresult", to: "https://app.example/_trust/")), .wsFederation, nil, "https://sts.example"
        ),
        (
            RecognitionCase(
                "SAML answer of an identity provider", via: [(302, "https://idp.example/portal?app=1")],
                selfSubmitting("SAMLResponse", to: "https://app.example/acs")), .saml2, nil, "https://idp.example"
        ),
        (
            RecognitionCase(
                "mod_auth_openidc with Keycloak",
                via: [
                    (
                        302,
                        "https://kc.example/realms/r/protocol/openid-connect/auth?response_type=code&scope=openid&client_id=app&state=s&redirect_uri=https%3A%2F%2Fapp.example%2Fredirect_uri"
                    )
                ],
                setting: ["Set-Cookie: mod_auth_openidc_state_x=y; Path=/"], page(password)), .openIDConnect, .openIDC,
            "https://kc.example"
        ),
        (
            RecognitionCase(
                "oauth2-proxy",
                via: [
                    (
                        302,
                        "https://idp.example/auth?client_id=a&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Foauth2%2Fcallback"
                    )
                ],
                setting: ["Set-Cookie: _oauth2_proxy_csrf=x; Path=/"],
                page("<div id=root></div><script src=app.js></script>")),
            .openIDConnect, .oauth2Proxy, "https://idp.example"
        ),
        (
            RecognitionCase(
                "oauth2-proxy's page", status: 403,
                page(
                    "<form method=GET action=/oauth2/start><input type=hidden name=rd value=/report><button type=submit>Sign in with OpenID Connect</button></form><footer>Secured with OAuth2 Proxy</footer>"
                )),
            .openIDConnect, .oauth2Proxy, nil
        ),
        (
            RecognitionCase(
                "OpenID Connect, further pages of the provider",
                via: [
                    (
                        302,
                        "https://login.microsoftonline.com/t/oauth2/v2.0/authorize?client_id=a&response_type=code&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
                    ),
                    (302, "https://login.live.example/start"),
                ], page("<script>var config = {}</script>")), .openIDConnect, .entra,
            "https://login.microsoftonline.com"
        ),
        (
            RecognitionCase(
                "a pushed authorization request",
                via: [
                    (
                        302,
                        "https://idp.example/auth?client_id=a&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A6"
                    )
                ],
                page("<p>Loading</p>")), .openIDConnect, nil, "https://idp.example"
        ),
        (
            RecognitionCase(
                "CAS", via: [(302, "https://sso.example/cas/login?service=https%3A%2F%2Fapp.example%2Freport")],
                page(password)), .cas, .cas, "https://sso.example"
        ),
        (
            RecognitionCase(
                "Cloudflare Access",
                via: [
                    (
                        302,
                        "https://team.access.example/cdn-cgi/access/login/app.example?kid=k&redirect_url=%2Freport"
                    )
                ],
                page("<form method=post><input type=email name=email><button>Send me a code</button></form>")), .form,
            .cloudflare, "https://team.access.example"
        ),
        (
            RecognitionCase(
                "Authelia", via: [(302, "https://auth.example/?rd=https%3A%2F%2Fapp.example%2Freport&rm=GET")],
                setting: ["Set-Cookie: authelia_session=x; Path=/"],
                page("<div id=root></div><script src=app.js></script>")), .form, .authelia, "https://auth.example"
        ),
        (
            RecognitionCase(
                "a one-time code", via: [(302, "/otp/form")], setting: ["x-smp-authentication: otp-challenge"]),
            .oneTimeCode, .sap, "https://app.example"
        ),
        (
            RecognitionCase(
                "Django", via: [(302, "/accounts/login/?next=/report")],
                page(
                    "<form method=post><input type=hidden name=csrfmiddlewaretoken value=x><p><label>Username: <input name=username></label><p><label>Password: <input type=password name=password></label><button>login</button></form>"
                )),
            .form, .django, "https://app.example"
        ),
        (
            RecognitionCase(
                "WordPress", asking: "https://blog.example/wp-admin/",
                via: [
                    (
                        302,
                        "https://blog.example/wp-login.php?redirect_to=https%3A%2F%2Fblog.example%2Fwp-admin%2F&reauth=1"
                    )
                ],
                page(
                    "<form name=loginform action=/wp-login.php method=post><input name=log><input type=password name=pwd autocomplete=current-password><input type=checkbox name=rememberme value=forever><input type=submit value='Log In'><input type=hidden name=redirect_to value=x></form><a href='/wp-login.php?action=lostpassword'>Lost your password?</a>"
                )),
            .form, .wordPress, "https://blog.example"
        ),
        (
            RecognitionCase(
                "Jupyter", asking: "https://lab.example/tree", via: [(302, "/login?next=%2Ftree")],
                page(
                    "<form action='/login?next=%2Ftree' method=post><input type=hidden name=_xsrf value=x><input type=password name=password id=password_input><button type=submit>Log in</button></form>"
                )),
            .form, .jupyter, "https://lab.example"
        ),
        (
            RecognitionCase(
                "Next.js with 307", via: [(307, "/api/auth/signin?callbackUrl=https%3A%2F%2Fapp.example%2Freport")],
                page(password)), .form, nil, "https://app.example"
        ),
        (
            RecognitionCase(
                "a form at another host",
                via: [(302, "https://sso.example/login?rd=https%3A%2F%2Fapp.example%2Freport%3Fa%3D1")],
                page(password)), .form, nil, "https://sso.example"
        ),
        (
            RecognitionCase(
                "a captive portal", asking: "http://news.example/",
                via: [(302, "http://10.0.0.1/guest?url=http%3A%2F%2Fnews.example%2F")],
                page("<p>Welcome to the hotel</p>" + password)), .form, nil, "http://10.0.0.1"
        ),
        (
            RecognitionCase(
                "a slash added on the way", via: [(302, "/login?next=/report"), (301, "/login/?next=/report")],
                page(password)),
            .form, nil, "https://app.example"
        ),
        (
            RecognitionCase(
                "a login page with the links of its site", via: [(302, "/login?next=%2Freport")],
                page((1...60).map { "<a href=/topic/\($0)>Topic \($0)</a> " }.joined() + password)), .form, nil,
            "https://app.example"
        ),
        (
            RecognitionCase(
                "a login page with a legal notice", via: [(302, "/accounts/sign_in?next=%2Freport")],
                page(
                    "<p>" + String(repeating: "You are using a system of the government. ", count: 80) + "</p>"
                        + password)),
            .form, nil, "https://app.example"
        ),
        (
            RecognitionCase(
                "a login page that browsers shall not fill in", via: [(302, "/login.aspx?next=%2Freport")],
                page(
                    "<form method=post><input name=user autocomplete=off><input type=password name=password autocomplete=new-password><button>Sign in</button></form>"
                )),
            .form, nil, "https://app.example"
        ),
        (
            RecognitionCase(
                "a login page whose fields a script makes writable", via: [(302, "/session/?next=%2Freport")],
                page(
                    "<form method=post><input name=user readonly onfocus=\"this.removeAttribute('readonly')\"><input type=password name=password readonly onfocus=\"this.removeAttribute('readonly')\"></form>"
                )),
            .form, nil, "https://app.example"
        ),
        (
            RecognitionCase(
                "a login page with a password and a token", via: [(302, "/wp-login.php?redirect_to=%2Freport")],
                page(
                    "<form method=post><input name=user><input type=password name=password><label>Token, if enabled <input type=password name=token></label></form>"
                )),
            .form, .wordPress, "https://app.example"
        ),
        (
            RecognitionCase(
                "Bearer with metadata", status: 401, type: "application/json",
                answering: [
                    "WWW-Authenticate: Bearer resource_metadata=\"https://app.example/.well-known/oauth-protected-resource\""
                ],
                "{}"), .bearer, nil, nil
        ),
        (
            RecognitionCase(
                "Bearer with an issuer", status: 401, type: "",
                answering: [
                    "WWW-Authenticate: Bearer authorization_uri=\"https://login.example/tenant\", error=\"invalid_token\""
                ]),
            .bearer, nil, "https://login.example"
        ),
    ]

    @Test(arguments: certainLogins)
    func certain(_ example: RecognitionCase, _ kind: Kind, _ product: LoginProduct?, _ provider: String?) throws {
        let login = try #require(try example.recognize(), "\(example.name)")
        #expect(login.kind == kind)
        #expect(login.certainty == .certain)
        #expect(login.product == product)
        #expect(login.provider?.description == provider)
        #expect(login.message.contains("not with the resource") && !login.message.contains("?"))
    }

    /// Words of settings and registrations count as whole words only.
    @Test(arguments: [
        "<input name=_com_liferay_login_web_portlet_LoginPortlet_login><input type=password name=_com_liferay_login_web_portlet_LoginPortlet_password>",
        "<input name=emailOrPhone><input type=password name=password>",
        "<input name=user><input type=password name='ctl00$NewsLogin$password'>",
    ])
    func namesOfFields(fields: String) throws {
        let example = RecognitionCase(
            "names", via: [(302, "/login?next=/report")], page("<form method=post>\(fields)<button>Go</button></form>"))
        let login = try #require(try example.recognize())
        #expect(login.kind == .form && login.certainty == .certain)
    }

    static let likelyLogins: [(RecognitionCase, Kind)] = [
        (RecognitionCase("a form without a redirect", page(password)), .form),
        (RecognitionCase("Spring Security", via: [(302, "/login")], page(password)), .form),
        (RecognitionCase("a form with 401", status: 401, page(password)), .form),
        (RecognitionCase("a form with 403", status: 403, page(password)), .form),
        (
            RecognitionCase(
                "Zabbix, whose form browsers shall not fill in",
                page(
                    "<form action=index.php method=post><input name=name><input type=password name=password autocomplete=new-password><input type=checkbox name=autologin value=1><button id=enter name=enter value='Sign in'>Sign in</button></form>"
                )), .form
        ),
        (
            RecognitionCase(
                "Adminer with 403, filled in", status: 403,
                page(
                    "<form method=post><select name='auth[driver]'><option>MySQL</select><input name='auth[server]' value=localhost><input name='auth[username]' value=root><input type=password name='auth[password]'><input name='auth[db]' value=app><input type=submit value=Login></form>"
                )), .form
        ),
        (RecognitionCase("a permanent redirect", via: [(301, "/login?next=/report")], page(password)), .form),
        (
            RecognitionCase(
                "Jenkins", asking: "https://ci.example/job/x", status: 403, answering: ["X-Jenkins: 2.4"],
                "<html><head><meta http-equiv='refresh' content='1;url=/login?from=%2Fjob%2Fx'/></head><body>Authentication required</body></html>"
            ),
            .form
        ),
        (
            RecognitionCase(
                "a portal with a button for single sign-on",
                page(String(repeating: "News of the town. ", count: 100) + selfSubmitting("SAMLRequest"))), .saml2
        ),
        (
            RecognitionCase(
                "www. and a language", asking: "http://app.example/",
                via: [(302, "https://www.app.example/en/?from=/")], page(password)), .form
        ),
        (
            RecognitionCase(
                "Jenkins, by the field", asking: "https://ci.example/job/x", status: 403,
                answering: ["Refresh: 1;url=/login?from=%2Fjob%2Fx"], page("Authentication required")), .form
        ),
        (
            RecognitionCase(
                "Drupal", status: 403,
                page("<h1>Access denied</h1><a href=/>Home</a> <a href='/user/login?destination=/report'>Log in</a>")),
            .form
        ),
        (
            RecognitionCase(
                "a link to a login at another host", status: 401,
                page("<a href='https://sso.example/signin?rd=https%3A%2F%2Fapp.example%2Freport'>Sign in</a>")),
            .form
        ),
        (RecognitionCase("another page's redirect", via: [(302, "/a?next=/other")], page(password)), .form),
        (RecognitionCase("pgAdmin, whose page scripts make", via: [(302, "/login?next=/report")], scripted), .form),
        (
            RecognitionCase(
                "Grafana", via: [(302, "/login")], setting: ["Set-Cookie: redirect_to=%2Freport; Path=/; HttpOnly"],
                page(
                    "<div>Loading Grafana</div><p>\(String(repeating: "It has failed to load its files. ", count: 17))</p>"
                        + "<div id=reactRoot></div><script>window.a = 1</script>")), .form
        ),
        (
            RecognitionCase(
                "Discourse", asking: "https://app.example/", via: [(302, "/login")],
                page(
                    """
                    <noscript><a href=/signup>Sign Up</a><a href=/login>Log In</a><h2>Welcome back</h2></noscript>
                    <form id=hidden-login-form method=post action=/login style="display: none;"><input name=username>
                    <input name=password type=password><input name=redirect type=hidden><input type=submit></form>
                    <script defer src=/start.js></script>
                    """)), .form
        ),
        (RecognitionCase("a page for another URL", via: [(302, "/login?next=/other")], scripted), .form),
        (
            RecognitionCase(
                "the name of a user, then the password", via: [(302, "/login?next=/report")],
                page(
                    "<form action=/find><input name=q></form><form method=post><input name=who autocomplete=username>"
                        + "<button>Next</button></form>")), .form
        ),
        (
            RecognitionCase(
                "the name of a user by its field's name", via: [(302, "/login?next=/report")],
                page("<form method=post><input name=user_name><button>Next</button></form>")), .form
        ),
        (
            RecognitionCase("SAP's application router", answering: ["Cache-Control: no-store"], approuter),
            .openIDConnect
        ),
    ]

    /// The page of SAP's application router, shortened.
    private static let approuter = """
        <html><head><script>document.cookie="fragmentAfterLogin="+encodeURIComponent(location.hash)+";path=/";\
        document.cookie="locationAfterLogin=%2Freport;path=/";location="https://a.authentication.example/oauth/\
        authorize?response_type=code&client_id=sb-app&redirect_uri=https%3A%2F%2Fapp.example%2Flogin%2Fcallback"\
        </script></head></html>
        """

    /// Only a page that is nothing but a script, which leads to one authorization request, is such a page.
    @Test(arguments: [
        ("oauth/authorize?response_type=code&", "help?"), ("<html>", "<html><body><p>Hello</p>"),
        ("<html>", "<html><body><a href=/x>Go</a>"), ("<html>", "<html><body><form></form>"),
        ("</script>", "location='https://b.example/authorize?client_id=a&response_type=code'</script>"),
        ("location=\"https://a", "location=\"https://user@a"), ("location=\"https:", "place=\"https:"),
        ("<html>", "<!-- \(String(repeating: "x", count: 5000)) --><html>"),
    ])
    func otherPagesOfAScript(part: String, other: String) throws {
        let login = try #require(try RecognitionCase("", Self.approuter).recognize())
        #expect(login.provider?.description == "https://a.authentication.example" && login.configuration == nil)
        let body = Self.approuter.replacing(part, with: other)
        #expect(body != Self.approuter)
        #expect(try RecognitionCase("", body).recognize() == nil)
    }

    /// Pages that a redirect leads to, and that ask for more or for something else than the name of a user.
    @Test(arguments: [
        "<form method=post><input name=q><button>Search</button></form>",
        "<form method=get><input name=user><button>Next</button></form>",
        "<form method=post><input name=user><textarea name=note></textarea><button>Next</button></form>",
        "<form method=post><input name=user><input name=company><button>Next</button></form>",
        "<form method=post><input name=email><button>Sign up</button></form>",
        "<form method=post><input name=user></form><form method=post><input name=mail></form>",
        "<a href=/logout>Log out</a><form method=post><input name=user><button>Next</button></form>",
    ])
    func otherPagesThatAskForAText(body: String) throws {
        #expect(try RecognitionCase("", via: [(302, "/login?next=/report")], page(body)).recognize() == nil)
    }

    private static let scripted = "<html><head><script src=/app.js></script></head><body><div id=app></div></body>"

    @Test(arguments: [
        ("/start?next=/report", scripted), ("/start", scripted), ("https://sso.example/login", scripted),
        ("/login?next=/report", page("")), ("/login", page("<form></form><script></script>")),
        ("/login?next=/report", scripted + String(repeating: "News. ", count: 150)),
        ("/login?next=/report", scripted + "<a href=/logout>Log out</a>"),
    ])
    func otherPagesThatScriptsMake(place: String, body: String) throws {
        #expect(try RecognitionCase("scripts", via: [(302, place)], body).recognize() == nil)
    }

    /// The page after a logout, and another page of a login, are what was asked for.
    @Test(arguments: ["https://app.example/logout", "https://app.example/session", "https://app.example/login"])
    func aLoginPageThatWasAskedFor(asked: String) throws {
        let example = RecognitionCase("scripts", asking: asked, via: [(302, "/login/")], Self.scripted)
        #expect(try example.recognize() == nil)
    }

    /// The link of a page that only says that a login is missing.
    @Test(arguments: [
        ("<a href=/>Home</a> <a href='/login?next=/x&token=1'>Go</a>", 403, "https://app.example/login"),
        (
            "<a href='/index.php?title=Special:UserLogin'>Log in</a>", 200,
            "https://app.example/index.php?title=Special:UserLogin"
        ),
        ("<a href='https://other.example/login'>Log in</a>", 403, nil),
        ("<a href=/login>Log in</a> <a href=/logout>Log out</a>", 200, nil),
        ("<a href='/login;jsessionid=A1'>Log in</a>", 403, nil), ("<a href=/report>Log in</a>", 403, nil),
        ("<a href=/login>Log in</a>", 404, nil),
    ])
    func aLinkToTheLogin(links: String, code: Int, login: String?) throws {
        let head = HTTPResponse(status: .init(code: code), headerFields: [.contentType: "text/html"])
        let link = LoginRecognition.loginLink(
            page: Array(page("<p>Login required</p>\(links)").utf8), of: head,
            at: try TargetURL("https://app.example/report"))
        #expect(link?.absoluteString == login)
    }

    /// A redirect may have led to the page.
    @Test func theLoginKnowsWhatWasAskedFor() throws {
        let login = try RecognitionCase("a form", via: [(302, "/login")], page(password)).recognize()
        #expect(try #require(login).target.path == "/login")
        #expect(try #require(login).asked.path == "/report")
    }

    @Test(arguments: likelyLogins) func likely(_ example: RecognitionCase, _ kind: Kind) throws {
        let login = try #require(try example.recognize(), "\(example.name)")
        #expect(login.kind == kind)
        #expect(login.certainty == .likely)
        #expect(login.message.contains("may be"))
    }

    /// A profile names the page of a login without the values of one run. A path that other pages of the site have,
    /// too, does not show the login: its form does.
    @Test(arguments: [
        ("https://app.example/report", "/login?next=/report&state=x", "https://app.example/login"),
        ("https://app.example/", "/index.php?do=login&next=/", nil),
        ("https://app.example/app/report", "/app?do=login&next=/app/report", nil),
        ("https://app.example/report", "/?do=login&next=/report", nil),
        ("https://app.example/report", "/index.php?response_type=code&client_id=a", nil),
        (
            "https://app.example/report", "https://sso.example/index.php?rd=https://app.example/report",
            "https://sso.example/index.php"
        ),
    ])
    func placesOfRedirects(_ asked: String, _ location: String, _ place: String?) throws {
        let login = try RecognitionCase("", asking: asked, via: [(302, location)], page(password)).recognize()
        let challenge = try place.map { WebLoginConfiguration.Challenge.redirect(to: try TargetURL($0)) }
        #expect(login?.certainty == .certain)
        #expect(login?.configuration == .webLogin(try WebLoginConfiguration(challenges: [challenge ?? .passwordForm])))
    }

    /// A page that only links to a login is where the login is demanded, and the link is where it starts.
    @Test func aLinkIsTheStart() throws {
        let body = page("<a href='/user/login?destination=/report&form_token=x'>Log in</a>")
        let login = try RecognitionCase("", status: 403, body).recognize()
        #expect(
            login?.configuration
                == .webLogin(
                    try WebLoginConfiguration(challenges: [.status(403)], start: "https://app.example/user/login")))
    }

    /// The filter skips redirects by a search for bytes; no login may be lost by that.
    @Test(arguments: certainLogins.map(\.0) + likelyLogins.map(\.0))
    func quickChecksLoseNothing(_ example: RecognitionCase) throws {
        #expect(try example.recognizeSkipping() == example.recognize())
    }

    @Test(arguments: [
        ("", false), ("?", false), ("?id=4711&lang=en&view=compact", false), ("?a=b%20c", false), ("?a=%2", false),
        ("?cc=1&was=2", true), ("?SAMLRequest=x", true), ("?a=1&wa=wsignin1.0", true), ("?a=1&client_id=2", true),
        ("?next=/report", true), ("?next=%2Freport", true), ("?next=%2freport", true), ("?%53AMLRequest=x", true),
        ("?a=1&%77a=x", true), ("?a&b", false), ("?a&", false), ("?a=1&c", false),
    ])
    func queriesThatMayLead(_ query: String, _ expected: Bool) throws {
        let destination = try TargetURL("https://app.example/there\(query)")
        #expect(LoginRecognition.mayLead(HTTPResponse(status: .found), to: destination) == expected)
        #expect(!LoginRecognition.mayLead(HTTPResponse(status: .movedPermanently), to: destination))
    }

    /// A challenge is at the server that was seen, whatever its path looks like.
    @Test(arguments: ["//evil.example/adfs", "/", "/adfs//ls", "//"])
    func theChallengeKeepsTheServer(path: String) throws {
        let destination = try TargetURL("https://sts.example\(path)?wa=wsignin1.0")
        #expect(destination.withoutQuery.absoluteString == "https://sts.example\(path)")
    }

    @Test(arguments: ["com.sap.cloud.security.login", "x-smp-authentication"])
    func fieldsThatMayLead(_ name: String) throws {
        let name = try #require(HTTPField.Name(name))
        let destination = try TargetURL("https://app.example/there")
        let head = HTTPResponse(status: .movedPermanently, headerFields: [.location: "/there", name: "x"])
        #expect(LoginRecognition.mayLead(head, to: destination))
    }

    /// Each rule needs its evidence: without it, the same answers are no certain login.
    @Test func eachPartOfTheEvidenceCounts() throws {
        let authorize =
            "https://idp.example/auth?response_type=code&client_id=a&redirect_uri=https%3A%2F%2Fapp.example%2Fcb"
        for (name, example) in [
            (
                "back at once",
                RecognitionCase(
                    "", via: [(302, authorize), (302, "https://app.example/cb?code=1"), (302, "/report")],
                    page(password))
            ),
            (
                "refused at once",
                RecognitionCase(
                    "",
                    via: [
                        (302, authorize + "&prompt=none"), (302, "https://app.example/cb?error=login_required"),
                        (302, "/report"),
                    ], page("<p>Hello</p>"))
            ),
            (
                "CAS gateway",
                RecognitionCase(
                    "",
                    via: [
                        (302, "https://sso.example/cas/login?gateway=true&service=https%3A%2F%2Fapp.example%2Freport"),
                        (302, "https://app.example/report"),
                    ], page("<p>Hello</p>"))
            ),
            (
                "Cloudflare Access with a session",
                RecognitionCase(
                    "",
                    via: [
                        (302, "https://team.access.example/cdn-cgi/access/login/app.example?redirect_url=%2Freport"),
                        (302, "https://app.example/cdn-cgi/access/authorized?state=s"),
                        (302, "https://app.example/report"),
                    ], page("<p>Hello</p>"))
            ),
            (
                "Cloudflare Access with a session, for which the server names another scheme",
                RecognitionCase(
                    "", asking: "http://app.example/report",
                    via: [
                        (
                            302,
                            "https://team.access.example/cdn-cgi/access/login?redirect_url=https%3A%2F%2Fapp.example%2Freport"
                        ),
                        (302, "https://app.example/report"),
                    ], page("<p>Hello</p>"))
            ),
            (
                "another page of a site behind Authelia",
                RecognitionCase(
                    "", via: [(302, "/team?next=/report")], setting: ["Set-Cookie: authelia_session=x; Path=/"],
                    page("<p>Choose your team</p>"))
            ),
            (
                "another page of a site behind Cloudflare Access",
                RecognitionCase(
                    "", via: [(302, "https://other.example/team?next=https%3A%2F%2Fapp.example%2Freport")],
                    setting: ["Set-Cookie: CF_Authorization=x; Path=/"], page("<p>Choose your team</p>"))
            ),
            (
                "no client",
                RecognitionCase("", via: [(302, "https://idp.example/auth?response_type=code")], page("<p>Hello</p>"))
            ),
            ("no page", RecognitionCase("", via: [(302, authorize)], type: "application/json", "{}")),
            ("an error", RecognitionCase("", via: [(302, authorize)], status: 400, page("<p>Unknown client</p>"))),
            ("no password", RecognitionCase("", via: [(302, "/welcome?next=/report")], page("<p>Hello</p>"))),
            (
                "asked for",
                RecognitionCase("", asking: "https://idp.example/sso?SAMLRequest=x", selfSubmitting("SAMLRequest"))
            ),
            (
                "asked for, by redirect",
                RecognitionCase(
                    "", asking: "https://idp.example/sso?SAMLRequest=x", via: [(302, "/login?SAMLRequest=x")],
                    page(password))
            ),
            (
                "SAMLResponse, asked for",
                RecognitionCase("", asking: "https://idp.example/initiate?sp=1", selfSubmitting("SAMLResponse"))
            ),
        ] {
            #expect(try example.recognize()?.certainty != .certain, "\(name)")
        }
    }

    /// After a login the same conversation starts again, and the redirects before it do not count.
    @Test func aRestartForgets() throws {
        let asked = try TargetURL("https://app.example/report")
        let authorize = try TargetURL("https://idp.example/auth?response_type=code&client_id=a")
        var recognition = LoginRecognition(of: asked)
        var head = HTTPResponse(status: .found)
        #expect(recognition.recognize(redirect: head, from: asked, to: authorize) == nil)
        let other = try asked.resolving("/there?x=1")
        #expect(recognition.recognize(redirect: head, from: asked, to: other) == nil)
        head = HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"])
        #expect(recognition.recognize(page: [], of: head, at: other) == nil)
        #expect(recognition.recognize(page: [], of: head, at: authorize) == nil)
    }

    /// A provider and an address of metadata are claims: no query of a peer is in what is shown.
    @Test func nothingOfAQueryIsShown() throws {
        for (example, _, _, _) in Self.certainLogins {
            let login = try #require(try example.recognize())
            for secret in ["PHNhbWw", "RelayState", "cookietest", "state=s"] {
                #expect(!"\(login)".contains(secret) || login.target.query != nil)
                #expect(!login.message.contains(secret))
            }
        }
    }

    @Test func startsOfProducts() throws {
        let resource = try TargetURL("https://app.example/report?a=1")
        #expect(
            LoginProduct.mellon.start(for: resource)?.absoluteString
                == "https://app.example/mellon/login?ReturnTo=https%3A%2F%2Fapp.example%2Freport%3Fa%3D1")
        #expect(LoginProduct.shibboleth.start(for: resource)?.path == "/Shibboleth.sso/Login")
        #expect(LoginProduct.django.start(for: resource) == nil)
    }
}
