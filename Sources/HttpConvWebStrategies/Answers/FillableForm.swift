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

        package init(name: String, value: String = "", isRequired: Bool = false, isPassword: Bool = false) {
            self.name = name
            self.value = value
            self.isRequired = isRequired
            self.isPassword = isPassword
        }
    }

    /// The page's origin.
    package var page: Origin
    /// The origin that the form would be sent to.
    package var action: Origin
    package var fields: [Field]
    /// The page's text, for the error.
    package var pageText: String

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
}
