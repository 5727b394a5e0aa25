import HttpConvAuthFlows
import HttpConvFormats
package import HttpConversation

/// The parts of a form that matter for answers.
package struct FillableForm: Sendable {
    /// A field that a person could fill in: enabled, visible, and with a name.
    package struct Field: Sendable {
        package var name: String
        /// The name that its value is sent under, which may differ from the name of its answer; nil if it is not known.
        var sentName: String?
        /// The current value.
        package var value: String
        package var isRequired: Bool
        package var isPassword: Bool
        /// Whether it is marked as a field for a one-time code.
        package var isOneTimeCode = false
        /// Whether it is marked as a field for a password that exists already.
        package var isExistingPassword = false
        /// Whether its value is chosen and not entered.
        package var isChoice = false
        /// The values to choose from, as far as they are known.
        package var choices: [String] = []
        /// Whether the field is still hidden on the page. When the page shows it, it may ask for the value again.
        package var isShownAhead = false

        package init(name: String, value: String = "", isRequired: Bool = false, isPassword: Bool = false) {
            self.name = name
            self.value = value
            self.isRequired = isRequired
            self.isPassword = isPassword
        }

        /// The description for an error that names it.
        ///
        /// - Parameter form: what tells the purpose of its form; nil for a form that is not for a login
        func missing(in form: HTMLForm? = nil) -> WebLoginError.MissingField {
            let hasPassword = form?.fields.contains { $0.kind == .password } != false
            let isCode =
                isOneTimeCode || PasscodeField.isLikely(name) || !hasPassword && PasscodeField.endsLikeOne(name)
            let kind: WebLoginError.MissingField.Kind =
                isChoice ? .choice : isExistingPassword ? .secret : isCode ? .code : isPassword ? .secret : .text
            return WebLoginError.MissingField(
                name, kind, choices: choices, purpose: form.map { purpose(in: $0) } ?? .other,
                isFilledIn: !isChoice && !value.isEmpty)
        }

        private func purpose(in form: HTMLForm) -> WebLoginError.MissingField.Purpose {
            if isChoice { return .other }
            if let password = form.fields.first(where: {
                $0.kind == .password && [$0.name, $0.answerName].contains(name)
            }),
                form.isChosen(password)
            {
                return .newPassword
            }
            return form.isLogin || form.asksForUserName ? .login : .other
        }
    }

    /// The page's origin.
    package var page: Origin
    /// The origin that the form would be sent to.
    package var action: Origin
    package var fields: [Field]
    /// Whether it is sent although fields are empty, because of the button that an answer presses (`formnovalidate`).
    package var skipsValidation = false
    /// Whether there is an answer for one of its buttons.
    package var hasAnsweredButton = false
    /// The form of the page, which tells the purpose; nil if that is unknown.
    var shape: HTMLForm?
    /// The page's text, for the error.
    package var pageText: String
    /// A sentence for the error about an answer that was refused; empty, or it begins with a space.
    package var refusalHint = ""

    package init(page: Origin, action: Origin, fields: [Field], pageText: String) {
        self.page = page
        self.action = action
        self.fields = fields
        self.pageText = pageText
    }
}

/// Finds the field of a form for a one-time code.
enum PasscodeField {
    /// The first field whose name suggests a code, else the first field.
    static func likeliest(of names: [String]) -> String? {
        names.first { name in ["code", "otp", "token", "pass"].contains { name.lowercased().contains($0) } }
            ?? names.first
    }

    /// Whether a field of this name is for a code and not for a password.
    static func isLikely(_ name: String) -> Bool {
        let name = name.lowercased()
        return [
            "otp", "2fa", "twofa", "twofactor", "two_factor", "two-factor", "passcode", "mfa", "authcode", "auth_code",
        ]
        .contains { name.contains($0) }
            || ["code", "token", "pin"].contains(name)
    }

    /// Whether the last word of a name is one for a code. In a form with a password it may be for something else.
    static func endsLikeOne(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["code", "token"].contains { name.hasSuffix($0) } && !name.contains("postal") && !name.contains("csrf")
    }
}
