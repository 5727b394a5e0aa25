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
        /// The maximum text (in characters) and number of links of a page that a script submits at once.
        static let passingText = 1000
        static let passingLinks = 10
        /// The maximum text of a page that scripts make, such as a request to switch them on, or Grafana's help for the
        /// case that its scripts are missing.
        static let scriptedText = 700
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

    /// The page of a login that a link leads to, if the link's query names this URL. Links that share or report a page
    /// name it, too: the path has to show the login.
    func loginLink(at target: TargetURL) -> TargetURL? {
        page.links.lazy.compactMap { try? target.resolving($0.href) }.first { link in
            // A parameter of the path may be the id of this run's session.
            link.isNamedAfterLogin && !link.path.utf8.contains(UInt8(ascii: ";"))
                && LoginParameters(of: link).names(target)
        }
    }

    /// The login page at the same origin that a link leads to, by its path or its label. Nothing on the page ends a
    /// session.
    func anyLoginLink(at target: TargetURL) -> TargetURL? {
        guard !page.endsSession else { return nil }
        for link in page.links {
            guard let url = try? target.resolving(link.href), url.origin == target.origin,
                !url.path.utf8.contains(UInt8(ascii: ";")), !url.isSamePage(as: target)
            else { continue }
            // The query may be about this run, unless the path is that of all pages.
            if url.isNamedAfterLogin { return url.withoutQuery }
            let label = link.text.trimmingSpaces.asciiLowercased
            if Self.logIns.contains(where: { label.starts(withBytesOf: $0) }) { return url }
        }
        return nil
    }

    /// Whether there is hardly anything on the page before its scripts have run.
    var isMadeByScripts: Bool {
        page.hasScripts && page.forms.allSatisfy(Self.isHidden) && page.text.count <= Limit.scriptedText
            && !page.endsSession
    }

    /// Whether a form is hidden as a whole: Discourse has one, for programs that store passwords.
    private static func isHidden(_ form: HTMLForm) -> Bool {
        form.fields.contains(where: \.isInvisible) && form.fields.allSatisfy { $0.isInvisible || $0.kind == .hidden }
    }

    /// Whether there is nothing on the page but scripts.
    var isMerelyScript: Bool {
        page.hasScripts && page.forms.isEmpty && page.links.isEmpty && page.text.isEmpty
    }

    /// Whether the page asks for the name of a user and for nothing else, as the first page of a login in steps.
    var asksForUserName: Bool {
        let asking = page.forms.filter { $0.method == .post && $0.fields.contains(where: Self.isFilledIn) }
        guard asking.count == 1, let form = asking.first, !Self.makesAccount(form), !page.endsSession,
            page.text.count <= Limit.text, page.links.count <= Limit.links
        else { return false }
        let fields = form.fields.filter(Self.isFilledIn)
        guard fields.count == 1, let name = fields.first, name.kind == .text else { return false }
        return ["username", "email"].contains { name.autocomplete.contains($0) }
            || Self.has(
                ["user*", "login*", "logon*", "email*", "mail", "account*", "identifier*"], in: name.name ?? "")
    }

    /// Whether the page, to which a redirect led, is for a login.
    ///
    /// - Parameter namedAfterLogin: whether its path says so as well. Then any form with a password suffices, however
    ///   much else is on the page
    func isLogin(namedAfterLogin: Bool) -> Bool {
        namedAfterLogin && page.forms.contains(where: Self.hasPassword) || loginForm.map(isShort) ?? false
    }

    /// The form by which a person logs in, on a page that the server shows instead of the resource: without a login
    /// form, any form with a password, unless the page has a link that ends a session.
    var refusedLoginForm: HTMLForm? {
        loginForm ?? (page.endsSession ? nil : page.forms.first(where: Self.hasPassword))
    }

    /// Whether a configured sign of a login holds: a form asks for one password that exists already, and nothing on the
    /// page ends a session.
    ///
    /// - Parameter isWhole: whether the page has no more than was read. Otherwise the rest may end a session, and only
    ///   a login form counts
    func asksForLogin(isWhole: Bool) -> Bool {
        !page.endsSession && page.forms.contains(where: isWhole ? Self.asksForKnownPassword : Self.isLogin)
    }

    private static func hasPassword(_ form: HTMLForm) -> Bool {
        form.method != .dialog && form.fields.contains { $0.kind == .password && isShown($0) }
    }

    private static func isShown(_ field: HTMLField) -> Bool { !field.isInvisible && !field.isDisabled }

    /// Whether the page has hardly anything beside the login form.
    func isShort(for form: HTMLForm) -> Bool {
        page.text.count <= Limit.text && page.links.count <= Limit.links && hasFewFields(besides: form)
    }

    /// Whether the page has hardly anything beside the login form, and nothing on it ends a session.
    func isAboutLogin(_ form: HTMLForm) -> Bool { isShort(for: form) && !page.endsSession }

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
    static func isLogin(_ form: HTMLForm) -> Bool {
        let shown = form.fields.filter(isShown)
        let passwords = shown.filter { $0.kind == .password }
        guard passwords.count == 1, let password = passwords.first, form.method != .dialog,
            !password.isReadOnly, !isChosen(password, in: form)
        else { return false }
        let texts = shown.filter { $0.kind == .text }
        return texts.count <= 3 && texts.count { $0.value.map { !$0.isEmpty } ?? false } <= 1
            && !texts.contains { isSetting($0, isOnly: texts.count == 1) }
            && shown.count { if case .select = $0.kind { true } else { false } } <= 2
            && shown.count { $0.kind == .checkbox || $0.kind == .radio } <= 3
            && !shown.contains { $0.kind == .textArea || $0.kind == .file } && !changesSomething(form)
            && !makesAccount(form)
    }

    /// One password that exists already, beside codes, at most four texts, and no sign of settings. Unlike in a login
    /// form, texts may be filled in, and scripts may make the password writable.
    private static func asksForKnownPassword(_ form: HTMLForm) -> Bool {
        let shown = form.fields.filter(isShown)
        let all = shown.filter { $0.kind == .password }
        let passwords = all.contains { !isCode($0) } ? all.filter { !isCode($0) } : all
        guard passwords.count == 1, let password = passwords.first, form.method != .dialog,
            !isChosen(password, in: form)
        else { return false }
        let texts = shown.filter { $0.kind == .text }
        return texts.count <= 4 && !texts.contains { isSetting($0, isOnly: texts.count == 1) }
            && !shown.contains { $0.kind == .file || $0.kind == .textArea && !$0.isReadOnly } && !changesSomething(form)
    }

    private static func isCode(_ field: HTMLField) -> Bool {
        field.isOneTimeCode || has(["otp", "totp", "code", "token", "passcode"], in: field.name ?? "")
    }

    /// Whether a password is being chosen, or is one of another system.
    static func isChosen(_ field: HTMLField, in form: HTMLForm) -> Bool {
        // Some login forms are marked as well, so that browsers do not fill them in.
        if field.autocomplete.contains("new-password"), !isNamedAfterLogin(form) { return true }
        return has(
            [
                "new", "again", "wpa*", "newpassword", "newpass", "newpasswd", "newpwd", "passwordnew", "passwordagain",
                "confirm*", "passwordconfirm*", "repeat*", "passwordrepeat*", "retype*", "choose*", "create*", "smtp*",
                "proxy*", "database*",
            ], in: "\(field.name ?? "") \(field.label)")
    }

    /// Whether a form with a user name calls itself a login, by its id or its button.
    static func isNamedAfterLogin(_ form: HTMLForm) -> Bool {
        guard form.fields.contains(where: { $0.kind == .text && isShown($0) }) else { return false }
        let labels = form.fields.filter { $0.kind == .submit && isShown($0) }.map(\.buttonText.asciiLowercased)
        return labels.contains { label in logIns.contains { label.trimmingSpaces.starts(withBytesOf: $0) } }
            || has(["login*", "logon*", "signin*"], in: form.id ?? "")
    }

    /// Whether a form makes an account or a subscription: its only words are about that. A login form may have a button
    /// for it beside its own.
    static func makesAccount(_ form: HTMLForm) -> Bool {
        let labels = form.fields.filter { $0.kind == .submit && isShown($0) }
            .map { $0.buttonText.asciiLowercased.trimmingSpaces }
        func begins(with words: [String]) -> Bool {
            labels.contains { label in words.contains { label.starts(withBytesOf: $0) } }
        }
        if begins(with: logIns) { return false }
        if begins(with: signUps) { return true }
        let path = (form.action ?? "").prefix(upToASCII: "?")
        let names = [form.id ?? "", path.split(ascii: "/").last.map { String($0) } ?? ""]
        return names.map { $0[...].replacing(ascii: ["-": "", "_": ""]) }.contains {
            has(
                ["signup*", "register", "registration*", "subscri*", "newsletter*", "createaccount*", "newaccount*"],
                in: $0)
        }
    }

    private static let signUps = [
        "sign up", "signup", "create", "register", "registration", "join", "subscribe", "registrier", "konto er",
        "abonnier",
        "s'inscrire", "s'abonner", "créer", "crear", "registrar", "registrat", "suscrib", "iscriv", "aanmaken", "skapa",
    ]

    private static let logIns = [
        "log in", "login", "log on", "logon", "sign in", "signin", "sign on", "anmelden", "einloggen", "connexion",
        "se connecter", "iniciar ses", "accedi", "inloggen", "logga in",
    ]

    /// Whether a text field is one of settings or of a registration.
    ///
    /// - Parameter isOnly: whether the form has no other text field: then it may take an address or a phone number as
    ///   the user name
    private static func isSetting(_ field: HTMLField, isOnly: Bool) -> Bool {
        let name = field.name ?? ""
        return has(
            [
                "smtp*", "imap*", "ssid", "essid", "bssid", "wlanssid", "wifissid", "proxy*", "httpproxy", "port",
                "mailport", "serverport", "dsn", "bucket*", "endpoint*",
                "subject", "first", "firstname", "last", "lastname",
            ], in: name) || !isOnly && has(["phone*", "telephone*", "mobilephone"], in: name)
    }

    /// Whether a text has one of these words; one with `*` is the beginning of a word. A word ends where a letter is
    /// followed by another character, or a small letter by a capital one.
    static func has(_ words: [StaticString], in text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var start = 0
            while start < bytes.count {
                guard isLetter(bytes[start]) else {
                    start += 1
                    continue
                }
                var end = start + 1
                while end < bytes.count, isLetter(bytes[end]),
                    !(bytes[end].isASCIICapital && !bytes[end - 1].isASCIICapital)
                { end += 1 }
                let word = UnsafeBufferPointer(rebasing: bytes[start..<end])
                if words.contains(where: { matches(word, $0) }) { return true }
                start = end
            }
            return false
        }
    }

    private static func matches(_ word: UnsafeBufferPointer<UInt8>, _ pattern: StaticString) -> Bool {
        pattern.withUTF8Buffer { pattern in
            let isBeginning = pattern.last == UInt8(ascii: "*")
            let count = pattern.count - (isBeginning ? 1 : 0)
            guard isBeginning ? word.count >= count : word.count == count else { return false }
            return (0..<count).allSatisfy { word[$0] | 0x20 == pattern[$0] }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte >= 0x80 || byte.isASCIILetter }

    /// A form of Rails, Laravel or Symfony that replaces or deletes something.
    private static func changesSomething(_ form: HTMLForm) -> Bool {
        form.fields.contains {
            $0.kind == .hidden && $0.name == "_method"
                && ["put", "patch", "delete"].contains(($0.value ?? "").asciiLowercased)
        }
    }

    private static func isFilledIn(_ field: HTMLField) -> Bool {
        guard isShown(field) else { return false }
        return field.kind == .text || field.kind == .password || field.kind == .textArea || field.kind == .file
    }
}
