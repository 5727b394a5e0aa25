import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// A form that is about to be sent: its destination, method and values (HTML §4.10.21).
struct FormSubmission: Sendable {
    let form: HTMLForm
    let button: HTMLField?
    let page: LoadedPage
    /// The destination.
    let action: TargetURL

    /// - Throws: ``WebLoginError/Code/unsupportedPage`` if the action is not a page
    init(_ form: HTMLForm, button: HTMLField? = nil, on page: LoadedPage, for login: WebLogin) throws(WebLoginError) {
        self.form = form
        self.button = button
        self.page = page
        let written = button?.overrides.action ?? form.action ?? ""
        guard !written.utf8.allSatisfy({ $0 <= 0x20 }) else {
            // An empty action is the page itself, whatever its base is.
            action = page.url
            try requireAllowed()
            return
        }
        guard case .page(let target) = try Reference.resolve(written, on: Reference.base(of: page), for: login) else {
            throw WebLoginError(.unsupportedPage, "A form at \(page.url.origin) is sent to no page.")
        }
        guard target.userinfo == nil else {
            throw WebLoginError(
                .unsupportedPage,
                "A form at \(page.url.origin) is sent to a URL of \(target.origin) with a user name or password in it.")
        }
        action = target
        try requireAllowed()
    }

    /// Refuses an action that the page's own policy forbids: the form may be of somebody else.
    private func requireAllowed() throws(WebLoginError) {
        guard page.formPolicy.allows(action, from: page.url.origin) else {
            throw WebLoginError(
                .unsupportedPage,
                "A form at \(page.url.origin) would be sent to \(action.origin), which the page's Content-Security-Policy forbids: a browser does not send it."
            )
        }
    }

    /// Whether it has only values that the server wrote, with a message of a login among them (security rule S18): of
    /// SAML, WS-Federation or OpenID Connect (Form Post Response Mode §2).
    var isLoginMessage: Bool {
        let isMessage =
            ["SAMLRequest", "SAMLResponse", "wresult"].contains { form.hasHidden($0) }
            || form.hasHidden("state") && (form.hasHidden("code") || form.hasHidden("id_token"))
        return isMessage && form.fields.allSatisfy { [.hidden, .submit, .button, .reset].contains($0.kind) }
    }

    /// Whether both go to one place with the same hidden values, as two buttons of one page may do.
    func sendsTheSame(as other: FormSubmission) -> Bool {
        func hidden(_ submission: FormSubmission) -> [[String?]] {
            submission.form.fields.filter { $0.kind == .hidden }.map { [$0.name, $0.value] }
        }
        return action == other.action && form.method == other.form.method && hidden(self) == hidden(other)
    }

    /// Whether it could be sent without asking: a message of a login, or the page's only form, which stays at its
    /// origin and has hidden fields only, so that a script would send it.
    var leadsOnByItself: Bool {
        guard form.method != .dialog else { return false }
        if isLoginMessage { return true }
        return page.html.hasScripts && page.html.forms.count == 1 && form.method == .post
            && action.origin == page.url.origin && !form.fields.isEmpty
            && form.fields.allSatisfy { $0.kind == .hidden }
    }

    /// The navigation that sends it.
    ///
    /// - Parameters:
    ///   - values: the fields' values by their index in the form; hidden fields and the button add their own
    ///   - codes: the indices of fields with one-time codes, besides those that the page marks
    ///   - recipient: the origin that may have them; nil if no value was entered
    /// - Throws: ``WebLoginError/Code/unsupportedPage`` if it cannot be sent as a browser would send it, or if a
    ///   password or a one-time code would be in its URL (security rule S14)
    func navigation(
        _ values: [Int: [String]], codes: Set<Int> = [], for recipient: Origin?
    ) throws(WebLoginError) -> Navigation {
        let charset = form.acceptCharset?.forForms ?? page.html.charset.forForms
        try requireConvertible(values, to: charset)
        let entries = entries(values, charset)
        switch form.method(by: button) {
        case .dialog:
            throw WebLoginError(.unsupportedPage, "A form at \(page.url.origin) closes a dialog and is not sent.")
        case .get:
            let secrets = form.visible.filter { $0.field.isSecret || codes.contains($0.index) }
            if secrets.contains(where: { values[$0.index]?.contains { !$0.isEmpty } == true }) {
                throw Self.secretInURL(on: page)
            }
            let query = FormSubmission.urlEncoded(entries, charset)
            do throws(ConversationError) {
                return Navigation(
                    to: .page(try action.with(query: query)), from: page.url.origin, recipient: recipient)
            } catch {
                throw WebLoginError(
                    .unsupportedPage, "A form at \(page.url.origin) cannot be sent.", underlyingError: error)
            }
        case .post:
            let body: (text: [UInt8], type: String)
            switch button?.overrides.encoding ?? form.encoding {
            case .urlEncoded:
                body = (Array(Self.urlEncoded(entries, charset).utf8), HTMLForm.Encoding.urlEncoded.rawValue)
            case .multipart: body = Self.multipart(entries, charset)
            case .plain:
                let lines = entries.map { "\($0.name)=\($0.value)\r\n" }.joined()
                body = (charset.encode(lines), "text/plain; charset=\(charset.name)")
            }
            var navigation = Navigation(
                to: .page(action),
                body: Navigation.Body(bytes: Redacted(body.text), contentType: body.type), from: page.url.origin,
                recipient: recipient)
            navigation.hidesReferrer = page.hidesReferrer(from: action.origin)
            return navigation
        }
    }

    /// The error about a form that would put a password or a one-time code into a URL, which servers write to their
    /// logs. A field's name may be the only sign: a text for `code` or `key` may be anything.
    static func secretInURL(on page: LoadedPage) -> WebLoginError {
        WebLoginError(
            .unsupportedPage,
            "A form at \(page.url.origin) would put a text into a URL, which servers log, and the text may be a password or a one-time code: it is not sent. Show the login in a browser instead (httpc: --web chromium)."
        )
    }

    /// Refuses a text that would arrive changed, such as a password whose characters cannot be converted to the page's
    /// charset here: the server would count it as a wrong password.
    private func requireConvertible(_ values: [Int: [String]], to charset: HTMLCharset) throws(WebLoginError) {
        for (index, field) in form.fields.enumerated() where field.isText {
            guard values[index]?.allSatisfy(charset.canEncode) == false else { continue }
            throw WebLoginError(
                .unsupportedPage,
                "The text for \"\(field.caption)\" at \(page.url.origin) has characters that a terminal cannot send in the page's charset, \(charset.name): show the login in a browser instead (httpc: --web chromium, or --headless with prepared answers)."
            )
        }
    }

    private typealias Entry = (name: String, value: String)

    private func entries(_ values: [Int: [String]], _ charset: HTMLCharset) -> [Entry] {
        var entries: [Entry] = []
        for (index, field) in form.fields.enumerated() where !field.isDisabled {
            if field.kind == .submit, let button, field.number == button.number { entries += Self.entries(of: button) }
            guard let name = field.name else { continue }
            switch field.kind {
            case .hidden where name == "_charset_": entries.append((name, charset.name))
            case .hidden: entries.append((name, field.value ?? ""))
            case .submit, .button, .reset, .file: continue
            default: entries += (values[index] ?? field.ownValues).map { (name, $0) }
            }
        }
        return entries.map { (Self.normalised($0.name), Self.normalised($0.value)) }
    }

    /// The values of the button that was pressed. An image sends the place of the click.
    private static func entries(of button: HTMLField) -> [Entry] {
        guard button.type == "image" else { return button.name.map { [($0, button.value ?? "")] } ?? [] }
        let prefix = button.name.map { "\($0)." } ?? ""
        return [("\(prefix)x", "0"), ("\(prefix)y", "0")]
    }

    /// Converts line breaks to CRLF.
    private static func normalised(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 10 || $0 == 13 }) else { return text }
        return text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\n", with: "\r\n")
    }

    private static func urlEncoded(_ entries: [Entry], _ charset: HTMLCharset) -> String {
        entries.map { entry in
            FormEncoding.encode(charset.encode(entry.name)) + "=" + FormEncoding.encode(charset.encode(entry.value))
        }.joined(separator: "&")
    }

    private static func multipart(_ entries: [Entry], _ charset: HTMLCharset) -> (text: [UInt8], type: String) {
        let boundary = "form-\(UUID().uuidString)"
        var bytes: [UInt8] = []
        for entry in entries {
            let name = entry.name.replacing(ascii: ["\r": "%0D", "\n": "%0A", "\"": "%22"])
            bytes += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"".utf8)
            bytes += charset.encode(name) + Array("\"\r\n\r\n".utf8)
            bytes += charset.encode(entry.value) + Array("\r\n".utf8)
        }
        bytes += Array("--\(boundary)--\r\n".utf8)
        return (bytes, "multipart/form-data; boundary=\(boundary)")
    }
}

extension HTMLField {
    /// The values of a control that was not changed.
    var ownValues: [String] {
        switch kind {
        case .checkbox, .radio: return isChecked ? [value ?? "on"] : []
        case .select(let multiple):
            let chosen = options.filter(\.isSelected)
            if multiple { return chosen.filter { !$0.isDisabled }.map(\.value) }
            // The last selected option wins, and sends nothing if it is disabled. Without one the first option that can
            // be chosen counts, except in a list (HTML §4.10.7).
            guard let last = chosen.last ?? (isList ? nil : options.first { !$0.isDisabled }), !last.isDisabled else {
                return []
            }
            return [last.value]
        default: return [value ?? ""]
        }
    }
}
