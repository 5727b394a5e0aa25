import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// A page with a link or button to log out, during a login without a person. People who are logged in may be asked for
/// a password there, such as a new one, and nobody has asked to send the page's forms. Some sites have such a link on
/// every page: a form that calls itself a login gets its answers.
enum LoggedInPage {
    /// Whether a form asks for a password, and not just for a code, such as after the password.
    static func asksForPassword(_ fields: [FillableForm.Field], _ answers: SingleUseAnswers?) -> Bool {
        fields.contains { $0.isPassword && !isCode($0) && answers?.isCode($0.name) != true }
    }

    /// The fields without which the page's only question cannot be answered: required texts and codes.
    ///
    /// - Parameter forms: the fields of the forms that are sent with POST
    static func demanded(by forms: [[FillableForm.Field]]) -> [FillableForm.Field] {
        let asking = forms.filter { $0.contains { !$0.isChoice } }
        guard asking.count == 1, !asksForPassword(asking[0], nil) else { return [] }
        return asking[0].filter { !$0.isChoice && $0.value.isEmpty && ($0.isRequired || isCode($0)) }
    }

    private static func isCode(_ field: FillableForm.Field) -> Bool {
        !field.isExistingPassword && (field.isOneTimeCode || PasscodeField.isLikely(field.name))
    }

    /// The error for a page that asks for a password.
    static func passwordRefused(at origin: Origin, pageText: String) -> WebLoginError {
        WebLoginError(
            .pageFailed,
            "The page at \(origin) asks for a password and has a link or button to log out: it is for people who are logged in. Without a person no prepared answer is sent there (httpc: let a person log in at a terminal, or with --web chromium).",
            pageText: pageText)
    }
}
