import HttpConvFormats
import HttpConversation

/// The purpose of a page, by its forms and the amount of other content.
struct LoginPageShape {
    private let page: HTMLPage
    /// The form by which a person logs in, if there is one: one password, and little else.
    let loginForm: HTMLForm?

    init(_ page: HTMLPage) {
        self.page = page
        loginForm = page.forms.first(where: Self.isLogin)
    }

    /// The limits of a page that is for a login only.
    private enum Limit {
        /// The text and links of a page that a browser sends on at once; the text in characters.
        static let passingText = 1000
        static let passingLinks = 10
        /// The same for a page with a login form.
        static let text = 2500
        static let links = 50
    }

    /// The names of all fields.
    var fieldNames: Set<String> { Set(page.forms.flatMap { $0.fields.compactMap(\.name) }) }

    /// A form with a hidden field of a protocol, on a page that is for nothing else: the form has a password or a user
    /// name as well, or there is hardly any other content.
    func form(with field: String) -> HTMLForm? {
        page.forms.first { form in
            guard Self.asksForLogin(form, by: field),
                !form.fields.contains(where: { $0.kind == .textArea || $0.kind == .file })
            else { return false }
            return form.fields.contains { $0.kind == .password } ? isShort(for: form) : isPassing(besides: form)
        }
    }

    /// Whether a form has a hidden field of a protocol, and not the message of a logout in it.
    private static func asksForLogin(_ form: HTMLForm, by field: String) -> Bool {
        form.fields.contains {
            $0.kind == .hidden && $0.name == field && !SAML2Message.isLogout($0.value ?? "", by: .post)
        }
    }

    /// Whether some form starts a SAML2 login, such as a button on a public page.
    var startsSAML2: Bool {
        page.forms.contains { form in
            Self.asksForLogin(form, by: "SAMLRequest") && !form.fields.contains { $0.kind == .textArea }
        }
    }

    /// Whether a form leads to the start of oauth2-proxy's login.
    var isStartOfOAuth2Proxy: Bool {
        page.forms.contains { form in
            form.hasHidden("rd") && form.action?.prefix(upToASCII: "?").ends(withBytesOf: "/oauth2/start") == true
                && isPassing(besides: form)
        }
    }

    /// The URL that the page goes on to by itself, at once.
    func refresh(at target: TargetURL) -> TargetURL? {
        guard let refresh = page.refresh, refresh.delay <= 1, let url = refresh.url else { return nil }
        return try? target.resolving(url)
    }

    /// Whether the page has hardly anything beside the login form.
    func isShort(for form: HTMLForm) -> Bool {
        page.text.count <= Limit.text && page.links.count <= Limit.links && hasFewFields(besides: form)
    }

    /// The same, and nothing that only people who are logged in see.
    func isAboutLogin(_ form: HTMLForm) -> Bool {
        isShort(for: form) && !page.links.contains(where: Self.leavesSession)
    }

    private func isPassing(besides form: HTMLForm) -> Bool {
        page.text.count <= Limit.passingText && page.links.count <= Limit.passingLinks
            && form.fields.count(where: Self.isFilledIn) <= 3 && hasFewFields(besides: form, limit: 0)
    }

    /// Whether other forms, such as a search or one for new users, ask for little.
    private func hasFewFields(besides form: HTMLForm, limit: Int = 4) -> Bool {
        let all = page.forms.reduce(0) { $0 + $1.fields.count(where: Self.isFilledIn) }
        return all - form.fields.count(where: Self.isFilledIn) <= limit
    }

    // MARK: Forms

    /// One password that exists already, at most three texts, and no sign of settings.
    private static func isLogin(_ form: HTMLForm) -> Bool {
        let shown = form.fields.filter { !$0.isInvisible && !$0.isDisabled }
        let passwords = shown.filter { $0.kind == .password }
        guard passwords.count == 1, let password = passwords.first, form.method != .dialog, !isNew(password) else {
            return false
        }
        let texts = shown.filter { $0.kind == .text }
        return texts.count <= 3 && texts.count { $0.value.map { !$0.isEmpty } ?? false } <= 1
            && !texts.contains(where: isSetting)
            && shown.count { if case .select = $0.kind { true } else { false } } <= 2
            && shown.count { $0.kind == .checkbox || $0.kind == .radio } <= 3
            && !shown.contains { $0.kind == .textArea || $0.kind == .file } && !changesSomething(form)
    }

    /// Whether a password is being chosen, or is one of another system.
    private static func isNew(_ field: HTMLField) -> Bool {
        if field.autocomplete.contains("new-password") || field.isReadOnly { return true }
        let words = [field.name ?? "", field.label].joined(separator: " ").asciiLowercased
        return ["new", "confirm", "repeat", "again", "retype", "choose", "create", "smtp", "wpa", "proxy", "database"]
            .contains { words.contains(bytesOf: $0) }
    }

    private static func isSetting(_ field: HTMLField) -> Bool {
        let name = (field.name ?? "").asciiLowercased
        return [
            "smtp", "imap", "ssid", "proxy", "port", "dsn", "bucket", "endpoint", "subject", "phone", "first", "last",
        ]
        .contains { name.contains(bytesOf: $0) }
    }

    /// A form of Rails, Laravel or Symfony that replaces or deletes something.
    private static func changesSomething(_ form: HTMLForm) -> Bool {
        form.fields.contains {
            $0.kind == .hidden && $0.name == "_method"
                && ["put", "patch", "delete"].contains(($0.value ?? "").asciiLowercased)
        }
    }

    private static func isFilledIn(_ field: HTMLField) -> Bool {
        guard !field.isInvisible, !field.isDisabled else { return false }
        return field.kind == .text || field.kind == .password || field.kind == .textArea || field.kind == .file
    }

    private static func leavesSession(_ link: HTMLPage.Link) -> Bool {
        let words = "\(link.href) \(link.text)".asciiLowercased
        return ["logout", "log out", "log-out", "signout", "sign out", "sign-out", "sign_out", "abmelden"]
            .contains { words.contains(bytesOf: $0) }
    }
}
