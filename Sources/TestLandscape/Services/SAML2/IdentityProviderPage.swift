import HTTPTypes
import HummingbirdCore

/// The forms of the identity provider in all styles of ``SAMLLoginStyle``.
struct IdentityProviderPage {
    let style: SAMLLoginStyle
    let rule: SAMLRule
    /// The one-time token of the form.
    let token: String
    /// The error of the last try.
    let message: String?

    func html(for purpose: SignOnPurpose) -> String {
        switch purpose {
        case .show, .credentials: credentials
        case .password: form("Password", field(rule.passwordField, "Password", "password"), button: "Log in")
        case .passcode: passcode
        case .consent(let signOn): consent(signOn)
        }
    }

    private var credentials: String {
        switch style {
        case .unquoted: return unquoted
        case .multipart: return multipart
        case .script: return scripted
        case .split: return form("Log in", field(rule.userField, "User name", "text"), button: "Next")
        default:
            let fields = field(rule.userField, "User name", "text") + field(rule.passwordField, "Password", "password")
            return form("Log in", fields, button: "Log in")
        }
    }

    private var error: String {
        message.map { "<p class=\"error\" role=\"alert\">\(Page.escape($0))</p>\n" } ?? ""
    }

    private var action: String {
        switch style {
        case .hash: " action=\"#\""
        case .question: " action=\"?\""
        case .relative: " action=\"../login/relative\""
        case .noaction: ""
        default: " action=\"\(Markup.references("/idp/login/\(style.rawValue)"))\""
        }
    }

    private func field(_ name: String, _ label: String, _ type: String) -> String {
        "<p><label for=\"\(name)\">\(label)</label> <input id=\"\(name)\" name=\"\(name)\" type=\"\(type)\"></p>\n"
    }

    private func form(_ title: String, _ fields: String, button: String, action: String? = nil) -> String {
        SAMLPage.page(
            title: title,
            content: """
                \(error)<form method="post"\(action ?? self.action)>
                <input type="hidden" name="token" value="\(Markup.references(token))">
                <input type="hidden" name="skin">
                \(fields)<p><button type="submit">\(button)</button></p>
                </form>
                """)
    }

    private var passcode: String {
        form(
            "Second factor", field("code", "One-time password", "text"), button: "Verify",
            action: " action=\"/idp/totp2fcheck\"")
    }

    private func consent(_ signOn: SignOn) -> String {
        SAMLPage.page(
            title: "Consent",
            content: """
                \(error)<form method="post"\(action)>
                <input type="hidden" name="token" value="\(token)">
                <p>\(Page.escape(signOn.serviceProvider)) wants to know your name.</p>
                <p><button type="submit" name="consent" value="accept">Accept</button>
                <button type="submit" name="consent" value="deny">Deny</button></p>
                </form>
                """)
    }

    /// HTML with unquoted attributes, as some products still write it.
    private var unquoted: String {
        """
        <HTML><HEAD><TITLE>Log in</TITLE></HEAD><BODY>
        \(error)<FORM METHOD=post>
        <INPUT TYPE=hidden NAME=token VALUE=\(token)>
        <INPUT TYPE=hidden NAME=timezone><INPUT TYPE=hidden NAME=skin VALUE>
        <TABLE><TR><TD>User<TD><INPUT NAME=j_username>
        <TR><TD>Password<TD><INPUT TYPE=password NAME=j_password AUTOCOMPLETE=off>
        <TR><TD>Domain<TD><SELECT NAME=domain REQUIRED><OPTION VALUE="" SELECTED>Choose one
        <OPTION VALUE=corp>Corporate<OPTION VALUE=guest>Guests</SELECT></TABLE>
        <INPUT TYPE=submit VALUE=Go>
        </FORM></BODY></HTML>

        """
    }

    /// A page with two forms, and with other inputs than text.
    private var multipart: String {
        SAMLPage.page(
            title: "Log in",
            content: """
                <form action="/echo"><label>Search <input type="search" name="q"></label><button>Search</button></form>
                \(error)<form method="post" enctype="multipart/form-data" action="/idp/login/multipart">
                <input type="hidden" name="token" value="\(token)">
                \(field(rule.userField, "User name", "text"))\(field(rule.passwordField, "Password", "password"))
                <fieldset><legend>Account</legend>
                <label><input type="radio" name="account" value="guest" checked> Guest</label>
                <label><input type="radio" name="account" value="staff"> Staff</label></fieldset>
                <p><label><input type="checkbox" name="terms" value="accepted"> I accept the terms</label></p>
                <p><input type="submit" name="do" value="Log in"> <input type="reset" value="Clear"></p>
                </form>
                """)
    }

    /// A page whose form is made by a script.
    private var scripted: String {
        SAMLPage.page(
            title: "Log in",
            content: """
                \(error)<noscript><p>This page needs JavaScript.</p></noscript>
                <div id="root"></div>
                <script>
                (function () {
                  var form = document.createElement("form");
                  form.method = "post";
                  form.action = "/idp/login/script";
                  function add(name, type, value, label) {
                    var input = document.createElement("input");
                    input.name = name; input.id = name; input.type = type; input.value = value;
                    if (label) { var text = document.createElement("label"); text.htmlFor = name;
                      text.textContent = label; form.appendChild(text); }
                    form.appendChild(input);
                  }
                  add("token", "hidden", "\(token)");
                  add("\(rule.userField)", "text", "", "User name");
                  add("\(rule.passwordField)", "password", "", "Password");
                  var button = document.createElement("button");
                  button.textContent = "Log in";
                  form.appendChild(button);
                  document.getElementById("root").appendChild(form);
                })();
                </script>
                """)
    }
}
