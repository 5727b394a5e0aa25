/// One control of a form.
package struct HTMLField: Sendable {
    /// What kind of control.
    package enum Kind: Hashable, Sendable {
        /// One line of text: also `email`, `tel`, `number`, `date` and types that nobody knows.
        case text
        case password
        case hidden
        case checkbox
        case radio
        case file
        case textArea
        case select(multiple: Bool)
        /// A submit button, image buttons included.
        case submit
        /// A button that does nothing without scripts.
        case button
        case reset
    }

    /// A choice of a select.
    package struct Option: Sendable {
        /// What is sent.
        package var value: String
        /// What is shown.
        package var label: String
        package var isSelected: Bool
        package var isDisabled: Bool
    }

    package var kind: Kind
    /// The name that its value is sent under; a control without one sends nothing.
    package var name: String?
    /// As the page gives it; nil where the attribute is missing.
    package var value: String?
    /// The `type` attribute as written, lower case.
    package var type = ""
    package var isChecked = false
    package var isDisabled = false
    package var isReadOnly = false
    package var isRequired = false
    /// Not shown, though it is no hidden input.
    package var isInvisible = false
    package var maxLength: Int?
    package var options: [Option] = []
    /// What a person calls it: its label, placeholder, or what a button says. Untrusted text, one line.
    package var label = ""
    /// What a submit button changes about its form.
    package var overrides = HTMLForm.Overrides()

    package init(_ kind: Kind, name: String? = nil, value: String? = nil) {
        self.kind = kind
        self.name = name
        self.value = value
    }
}
