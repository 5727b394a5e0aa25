package import HttpConversation

/// A form as far as answers are concerned.
package struct FillableForm: Sendable {
    /// A field that a person could fill in: enabled, visible, with a name.
    package struct Field: Sendable {
        package var name: String
        /// What it holds now.
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

    /// Where the page came from.
    package var page: Origin
    /// Where the form would be sent.
    package var action: Origin
    package var fields: [Field]
    /// What the page says, for the error.
    package var pageText: String

    package init(page: Origin, action: Origin, fields: [Field], pageText: String) {
        self.page = page
        self.action = action
        self.fields = fields
        self.pageText = pageText
    }
}

/// Which field of a form a one-time code belongs in.
enum PasscodeField {
    /// Of open fields the one whose name says so, else the first.
    static func likeliest(of names: [String]) -> String? {
        names.first { name in ["code", "otp", "token", "pass"].contains { name.lowercased().contains($0) } }
            ?? names.first
    }
}
