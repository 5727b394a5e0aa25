/// One control of a form.
package struct HTMLField: Sendable {
    /// The kind of control.
    package enum Kind: Hashable, Sendable {
        /// One line of text: also `email`, `tel`, `number`, `date` and unknown types.
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
        /// The value that is sent.
        package var value: String
        /// The text that is shown.
        package var label: String
        package var isSelected: Bool
        package var isDisabled: Bool
    }

    package var kind: Kind
    /// Its number on the page, which tells it from the others.
    package internal(set) var number = 0
    /// The name that its value is sent under; a control without one sends nothing.
    package var name: String?
    /// Its `id` attribute.
    package var id: String?
    /// The value in the page; nil if the attribute is missing.
    package var value: String?
    /// The `type` attribute as written, lower case.
    package var type = ""
    /// The `autocomplete` attribute, lower case.
    package var autocomplete = ""
    package var isChecked = false
    package var isDisabled = false
    /// Whether it cannot be changed. A field that becomes writable on focus is not read-only.
    package var isReadOnly = false
    package var isRequired = false
    /// Whether it is not shown, although it is not a hidden input.
    package var isInvisible = false
    /// Whether it is hidden, and shown to be filled in, because a script would show it
    /// (``HTMLPage/showingPasswords(where:)``).
    package var isShownAhead = false
    /// Whether it is for a one-time code (`autocomplete=one-time-code`).
    package var isOneTimeCode: Bool { autocomplete.contains("one-time-code") }
    package var maxLength: Int?
    /// Whether a select shows several options at once, so that it has no default (`size`).
    package var isList = false
    package var options: [Option] = []
    /// The name for people: its label or placeholder, or a button's text. Untrusted text, one line.
    package var label = ""
    /// The text of a button; empty if the browser shows its own, "Submit". A name says nothing to a person.
    package var buttonText: String { label.isEmpty ? value ?? "" : label }
    /// The settings of its form that a submit button overrides.
    package var overrides = HTMLForm.Overrides()

    package init(_ kind: Kind, name: String? = nil, value: String? = nil) {
        self.kind = kind
        self.name = name
        self.value = value
    }
}
