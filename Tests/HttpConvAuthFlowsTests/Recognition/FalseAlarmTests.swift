import HttpConversation
import Testing

@testable import HttpConvAuthFlows

private func page(_ body: String, title: String = "Example") -> String {
    "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>\(title)</title></head><body>\(body)</body></html>"
}

private let words =
    "The harbour was busy that morning, and the boats came in one after the other with the night's catch. "
private let article = "<article>" + String(repeating: "<p>\(words)</p>", count: 40) + "</article>"
private let loginBox =
    "<form action=/login method=post class=navbar-form><input name=user placeholder=User><input type=password name=pass placeholder=Password><button>Sign in</button></form>"
private let logout = "<nav><a href=/>Home</a> <a href=/profile>alice</a> <a href=/logout>Log out</a></nav>"
private let samlForm =
    "<form method=post action=https://idp.example/sso><input type=hidden name=SAMLRequest value=PHNhbWw><input type=submit value='Log in with SSO'></form>"

private func links(_ count: Int) -> String {
    "<ul>" + (1...count).map { "<li><a href=/topic/\($0)>Topic \($0)</a>" }.joined() + "</ul>"
}

/// Ordinary pages and answers of APIs that only look like logins. Each is short for the real one that it stands for.
@Suite("Pages that look like logins and are not") struct FalseAlarmTests {
    static let pages: [RecognitionCase] = [
        // Pages about logins.
        RecognitionCase(
            "a wiki page about SAML",
            page(
                article + "<pre>&lt;form&gt;&lt;input type=&quot;hidden&quot; name=&quot;SAMLRequest&quot;&gt;</pre>",
                title: "SAML 2.0")),
        RecognitionCase(
            "a short wiki page about SAML",
            page(
                "<h1>Bindings</h1><p>The form has a field SAMLRequest and a password.</p><form action=/search><input name=q></form>"
            )),
        RecognitionCase(
            "a wiki page about WS-Federation",
            page(
                "<form action=/search><input name=q></form><p>wresult carries the token, wa=wsignin1.0 asks for it.</p>"
            )),
        RecognitionCase(
            "a decoder of SAML requests",
            page(
                "<form method=post action=/decode><textarea name=SAMLRequest></textarea><button>Decode</button></form>")
        ),
        RecognitionCase(
            "a decoder that shows its last input",
            page(
                "<form method=post><input type=hidden name=SAMLRequest value=x><textarea name=xml></textarea><button>Send</button></form>"
            )),
        RecognitionCase(
            "documentation with a form in a script",
            page("<script>var form = '<form><input type=password name=SAMLRequest></form>'</script><p>See above.</p>")),
        RecognitionCase(
            "documentation with a form in a comment",
            page("<!-- <form><input type=password name=p></form> --><p>Nothing here.</p>")),
        RecognitionCase(
            "documentation with a template",
            page("<template><form><input type=password name=p></form></template><p>A component.</p>")),
        RecognitionCase(
            "a question and its answers about passwords",
            page(
                links(30) + "<form action=/search><input name=q></form>" + article
                    + "<code>&lt;input type=password&gt;</code>")),
        RecognitionCase(
            "a tutorial in a frame",
            page("<iframe srcdoc='<form><input type=password name=p></form>'></iframe><p>Try it.</p>")),
        RecognitionCase(
            "a page about OAuth2",
            page("<p>https://as.example/authorize?response_type=code&amp;client_id=a</p><form><input name=q></form>")),

        // Pages with a login in a corner.
        RecognitionCase("a newspaper with a login box", page(loginBox + links(60) + article)),
        RecognitionCase("a long article with a login box", page(loginBox + article)),
        RecognitionCase("a forum with a login at its end", page(links(80) + loginBox)),
        RecognitionCase(
            "a shop with a login, a search and a form for news",
            page(
                loginBox + "<form action=/s><input name=q></form>" + links(55)
                    + "<form action=/news><input type=email name=mail></form>")),
        RecognitionCase(
            "a public page after a redirect for consent",
            via: [(302, "/consent?return=%2Freport"), (302, "/report?consented=1")],
            page(loginBox + article)),
        RecognitionCase(
            "a page for consent with a login box", via: [(302, "/consent?return=%2Freport")],
            page(loginBox + article + "<form method=post><button>Accept all</button></form>")),
        RecognitionCase(
            "a page of authors with a login box", via: [(302, "/authors?from=%2Freport")], page(loginBox + article)),
        RecognitionCase(
            "a page after a login that asks for no password", via: [(302, "/login/terms?next=%2Freport")],
            page("<form method=post><input type=checkbox name=accept><button>Continue</button></form>" + article)),
        RecognitionCase(
            "a page for the choice of a country", via: [(302, "/country?next=%2Freport")],
            page(
                "<form><select name=c><option>DE<option>AT</select><button>Go</button></form>")),

        // Pages of people who are logged in.
        RecognitionCase(
            "settings: a new password",
            page(
                logout
                    + "<form method=post><input type=password name=current_password><input type=password name=new_password><input type=password name=confirm><button>Change</button></form>"
            )),
        RecognitionCase(
            "settings: a new password, marked",
            page(
                "<form method=post><input type=password name=p1 autocomplete=new-password><button>Set</button></form>")),
        RecognitionCase(
            "a new user, on a page with a button to log out",
            page(
                "<form method=post action=/logout><button>Abmelden</button></form><form method=post><input name=user><input type=password name=p><button>Create</button></form>"
            )),
        RecognitionCase(
            "a registration whose password is marked",
            page(
                "<form method=post><input name=user><input type=password name=p autocomplete=new-password><button>Sign up</button></form>"
            )),
        RecognitionCase(
            "forbidden settings", status: 403,
            page(logout + "<form method=post><input type=password name=p1><input type=password name=p2></form>")),
        RecognitionCase(
            "settings: the password of a mail server",
            page(
                logout
                    + "<form method=post><input name=smtp_host value=mail.example><input name=smtp_user value=a><input type=password name=smtp_password><button>Save</button></form>"
            )),
        RecognitionCase(
            "settings: the password of a mail server, without a menu",
            page(
                "<form method=post><input name=smtp_host value=mail.example><input name=user value=a><input type=password name=secret><button>Save</button></form>"
            )),
        RecognitionCase(
            "settings: the port of a mail server, in one word",
            page(
                "<form method=post><input name=smtpPort value=25><input name=user value=''><input type=password name=secret></form>"
            )),
        RecognitionCase(
            "settings: a new password, in one word",
            page("<form method=post><input name=user><input type=password name=newPassword></form>")),
        RecognitionCase(
            "settings: a new password, in small letters",
            page("<form method=post><input name=user><input type=password name=newpassword></form>")),
        RecognitionCase(
            "a registration with a phone number",
            page("<form method=post><input name=user><input name=phoneNumber><input type=password name=p></form>")),
        RecognitionCase(
            "settings: a wireless network",
            page(
                "<form method=post><input name=ssid value=home><select name=mode><option>WPA2</select><input type=password name=wpa_key><button>Apply</button></form>"
            )),
        RecognitionCase(
            "settings: a router",
            page(
                "<form method=post><input name=wlanssid value=home><input type=password name=wpakey><button>Apply</button></form>"
            )),
        RecognitionCase(
            "settings: a database",
            page(
                "<form method=post><input name=dsn value=pg:app><input name=user value=app><input type=password name=database_password><button>Test</button></form>"
            )),
        RecognitionCase(
            "settings: a proxy",
            page(
                "<form method=post><input name=proxy_server value=proxy.example><input name=proxy_port value=3128><input type=password name=proxy_password></form>"
            )),
        RecognitionCase(
            "settings that replace a user",
            page(
                "<form method=post><input type=hidden name=_method value=patch><input name=name><input type=password name=password></form>"
            )),
        RecognitionCase(
            "an account to be deleted",
            page(
                logout
                    + "<p>Enter your password to delete the account.</p><form method=post><input type=password name=password><button>Delete</button></form>"
            )),
        RecognitionCase(
            "a profile with all kinds of fields",
            page(
                "<form method=post><input name=first_name value=A><input name=last_name value=B><textarea name=about></textarea><input type=password name=password></form>"
            )),
        RecognitionCase(
            "a dashboard with a locked screen",
            page(
                logout + "<div style='display:none'>" + loginBox + "</div><table><tr><td>42</table>")),
        RecognitionCase(
            "an upload with a password for the file",
            page(
                "<form method=post enctype=multipart/form-data><input type=file name=f><input type=password name=p><button>Send</button></form>"
            )),
        RecognitionCase(
            "a share with a password to choose",
            page(
                "<form method=post><label>Choose a password <input type=password name=p></label><button>Share</button></form>"
            )),

        // Registrations.
        RecognitionCase(
            "a registration", via: [(302, "/register?next=%2Freport")],
            page(
                "<form method=post><input name=user><input type=email name=mail><input type=password name=p1><input type=password name=p2><button>Register</button></form>"
            )),
        RecognitionCase(
            "a registration with one password", via: [(302, "/register?next=%2Freport")],
            page(
                "<form method=post><input name=company><input name=name><input name=city><input type=email name=mail><input type=password name=p><button>Register</button></form>"
            )),
        RecognitionCase(
            "an installation",
            page(
                "<h1>Install</h1><form method=post><input name=site><input name=admin><input type=email name=mail><input type=password name=p><input type=password name=again></form>"
            )),
        RecognitionCase(
            "an order with a card",
            page(
                "<form method=post><input name=name><input name=card_number><input name=month><input name=year><input type=password name=cvc><button>Pay</button></form>"
            )),

        // Logouts by SAML2.
        RecognitionCase(
            "a logout by a redirect", asking: "https://app.example/logout",
            via: [(302, "https://idp.example/slo?SAMLRequest=\(SAML2Samples.logoutInQuery)&RelayState=%2Flogout")],
            page("<p>You are logged out.</p>")),
        RecognitionCase(
            "a logout that ends at the identity provider's login page",
            via: [(302, "https://idp.example/slo?RelayState=%2Freport&SAMLRequest=\(SAML2Samples.logoutInQuery)")],
            page("<p>You are logged out.</p>" + article + loginBox)),
        RecognitionCase(
            "a logout by a form", asking: "https://app.example/logout",
            page(
                "<form method=post action=https://idp.example/slo><input type=hidden name=SAMLRequest value='\(SAML2Samples.logoutInForm)'><button>Continue</button></form>"
            )),
        RecognitionCase(
            "the answer to a logout", asking: "https://app.example/logout",
            via: [(302, "https://idp.example/slo?SAMLRequest=\(SAML2Samples.logoutInQuery)")],
            page(
                "<form method=post action=https://app.example/slo><input type=hidden name=SAMLResponse value='\(SAML2Samples.loggedOutInForm)'><button>Continue</button></form>"
            )),

        // Redirects that are no demand.
        RecognitionCase(
            "to https", asking: "http://app.example/?x=1", via: [(302, "https://app.example/?from=%2F")],
            page("<p>Hello</p>")),
        RecognitionCase(
            "to www.", via: [(302, "https://www.app.example/report?src=%2Freport")], page(loginBox + article)),
        RecognitionCase("a slash at the end", via: [(302, "/report/?from=/report")], page(loginBox + article)),
        RecognitionCase(
            "a language", asking: "https://app.example/", via: [(302, "https://app.example/de-AT/?return=%2F")],
            page(loginBox + article)),
        RecognitionCase(
            "a permanent redirect to a page that names the old one", via: [(301, "/new?old=/report")],
            page(loginBox + article)),
        RecognitionCase(
            "a tracker that returns",
            via: [
                (302, "https://count.example/?u=https%3A%2F%2Fapp.example%2Freport"),
                (302, "https://app.example/report"),
            ], page(loginBox + article)),
        RecognitionCase(
            "a search by an address", asking: "https://app.example/find?service=wms", via: [(303, "/results?q=/find")],
            page(
                "<form action=/find><input name=q value=password></form>" + links(30))),
        RecognitionCase(
            "a shop's page for a bot", via: [(302, "/challenge?url=%2Freport")],
            page(
                "<form method=post><input type=hidden name=r value=x><input name=captcha><button>I am no robot</button></form>"
            )),
        RecognitionCase(
            "a waiting room", via: [(302, "https://queue.example/?c=app&t=https%3A%2F%2Fapp.example%2Freport")],
            page(
                "<p>You are number 812 in the queue.</p>")),

        // A button for single sign-on on a page for everybody needs the other content.
        RecognitionCase(
            "a login link only",
            page("<a href='https://idp.example/auth?response_type=code&amp;client_id=a'>Log in</a>" + article)),

        // Errors.
        RecognitionCase("a page that is not there, with a login box", status: 404, page(loginBox)),
        RecognitionCase("an error of the server, with a login box", status: 500, page(loginBox)),
        RecognitionCase(
            "forbidden", status: 403, page("<h1>Forbidden</h1><p>You do not have access to this resource.</p>")),
        RecognitionCase(
            "unauthorized, by Basic", status: 401, answering: ["WWW-Authenticate: Basic realm=\"files\""],
            page("<h1>401</h1>")),
        RecognitionCase(
            "forbidden, with links that share and report it", status: 403,
            page(
                "<h1>Forbidden</h1><a href='https://news.example/share?url=https%3A%2F%2Fapp.example%2Freport'>Share</a> <a href='/contact?about=/report'>Report</a> <a href=/login>Log in</a>"
            )),
        RecognitionCase(
            "forbidden, with a link that has the session", status: 403,
            page("<a href='/login;jsessionid=A1B2?next=/report'>Log in</a>")),
        RecognitionCase(
            "unauthorized, by Basic, with a link to another login", status: 401,
            answering: ["WWW-Authenticate: Basic realm=\"files\""],
            page("<h1>401</h1><a href='/login?next=/report'>Log in</a>")),
        RecognitionCase(
            "forbidden, with a search", status: 403, page("<h1>Forbidden</h1><form action=/s><input name=q></form>")),

        // Answers that are no pages.
        RecognitionCase(
            "JSON with a form", type: "application/json",
            "{\"html\":\"<form><input type=password name=SAMLRequest></form>\"}"),
        RecognitionCase(
            "JSON with 401", status: 401, type: "application/problem+json", "{\"title\":\"password <form>\"}"),
        RecognitionCase(
            "JSON after a redirect", via: [(302, "/login?next=%2Freport")], type: "application/json",
            "{\"login\":\"<form><input type=password>\"}"),
        RecognitionCase(
            "JSON with SAP's header", type: "application/json", answering: ["com.sap.cloud.security.login: x"], "{}"),
        RecognitionCase(
            "text with a form", type: "text/plain", "<form><input type=hidden name=SAMLRequest value=x></form>"),
        RecognitionCase("XML with a form", type: "application/xml", "<form><input type='password' name='p'/></form>"),
        RecognitionCase("SVG with a form", type: "image/svg+xml", "<svg><form><input type='password'/></form></svg>"),
        RecognitionCase(
            "a script with a form", type: "text/javascript", "html`<form><input type=password name=p></form>`"),
        RecognitionCase("an answer without a type", type: "", "<form><input type=password name=p></form>"),
        RecognitionCase("a mail with a form", type: "message/rfc822", "<form><input type=password name=p></form>"),
        RecognitionCase(
            "OpenAPI with Bearer", type: "application/json",
            "{\"securitySchemes\":{\"bearer\":{\"scheme\":\"bearer\"}}}"),
        RecognitionCase(
            "Bearer without an issuer", status: 401, type: "application/json",
            answering: ["WWW-Authenticate: Bearer realm=\"api\""], "{}"),
        RecognitionCase(
            "Bearer with metadata that is no URL", status: 401, type: "application/json",
            answering: ["WWW-Authenticate: Bearer resource_metadata=\"metadata\""], "{}"),
        RecognitionCase(
            "an offer of Bearer with 200", type: "application/json",
            answering: ["WWW-Authenticate: Bearer resource_metadata=\"https://app.example/m\""], "{}"),
    ]

    @Test(arguments: pages) func isNotALogin(_ example: RecognitionCase) throws {
        let login = try example.recognize()
        #expect(login == nil, "\(login?.evidence ?? "")")
    }

    @Test func thereAreMoreThanSixty() { #expect(Self.pages.count > 60) }

    /// The form that a page of the corpus has is a login elsewhere, so that the corpus tests the rules and not its
    /// spelling.
    @Test func theSamePartsAreLoginsAlone() throws {
        let box = try RecognitionCase("", via: [(302, "/login?next=/report")], page(loginBox)).recognize()
        #expect(box?.certainty == .certain)
        let saml = try RecognitionCase("", page(samlForm)).recognize()
        #expect(saml?.kind == .saml2 && saml?.certainty == .certain)
        let beside = try RecognitionCase("", page(samlForm + article)).recognize()
        #expect(beside?.certainty == .likely, "printed, with a line on standard error")
    }
}
