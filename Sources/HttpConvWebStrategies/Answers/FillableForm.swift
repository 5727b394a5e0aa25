import HttpConvAuthFlows
package import HttpConversation

/// The parts of a form that matter for answers.
package struct FillableForm: Sendable {
    /// A field that a person could fill in: enabled, visible, and with a name.
    package struct Field: Sendable {
        package var name: String
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
        var missing: WebLoginError.MissingField {
            let kind: WebLoginError.MissingField.Kind =
                isChoice
                ? .choice
                : isExistingPassword
                    ? .secret : isOneTimeCode || PasscodeField.isLikely(name) ? .code : isPassword ? .secret : .text
            return WebLoginError.MissingField(name, kind, choices: choices)
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
        return ["otp", "2fa", "passcode", "mfa"].contains { name.contains($0) }
            || ["code", "token", "pin"].contains(name)
    }
}
