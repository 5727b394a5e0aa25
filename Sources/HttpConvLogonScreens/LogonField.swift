public import HttpConvLogon
import HttpConversation

/// An input field of a screen.
public struct LogonField: Sendable, Hashable, Identifiable {
    /// The meaning of a field.
    public enum Name: Sendable, Hashable {
        /// A field of the registration screen.
        case registration(RegistrationField)
        /// The account; the value is the description of a `LogonAccount.ID`.
        case account
        /// The name of a new account.
        case accountName
        /// The server's address, such as `https://mobile.example.com`.
        case serverAddress
        /// An e-mail address, by which a server is found.
        case emailAddress
        /// The password at the back end.
        case password
        /// The challenge password for a certificate server.
        case enrolmentPassword
        /// The present passcode.
        case passcode
        /// The new passcode.
        case newPasscode
        /// The new passcode once more.
        case repeatedPasscode
    }

    /// The kind of input.
    public enum Kind: Sendable, Hashable {
        /// A line of text.
        case text
        /// A number without a sign.
        case number
        /// ``on`` or ``off``.
        case toggle
        /// One of ``LogonField/choices``, by its value.
        case choice
        /// A line that is hidden while it is typed. A field never holds its value.
        case secret
    }

    /// One of the values that a field can have.
    public struct Choice: Sendable, Hashable, Identifiable {
        /// The value.
        public let id: String
        /// The text for the person.
        public let label: String

        /// Creates a choice; its text is sanitised.
        public init(_ id: String, _ label: String) {
            self.id = id
            self.label = TerminalText.sanitise(label)
        }
    }

    /// The value of a toggle that is on.
    public static let on = "YES"
    /// The value of a toggle that is off.
    public static let off = "NO"

    /// The meaning of the field.
    public let id: Name
    /// The text for the person.
    public let label: String
    /// The kind of input.
    public let kind: Kind
    /// The initial value, which counts if the person leaves it unchanged; empty for secrets.
    public let value: String
    /// The values of a ``Kind/choice``, in order.
    public let choices: [Choice]
    /// The value that is used if the field is left empty, shown inside it, such as a port number; may be empty.
    public let placeholder: String
    /// Whether the field must be filled.
    public let isRequired: Bool

    /// Creates a field; its texts are sanitised.
    public init(
        _ id: Name, _ label: String, kind: Kind = .text, value: String = "", placeholder: String = "",
        choices: [Choice] = [], isRequired: Bool = false
    ) {
        self.id = id
        self.label = TerminalText.sanitise(label, limit: 60)
        self.kind = kind
        self.value = kind == .secret ? "" : TerminalText.sanitise(value)
        self.choices = choices
        self.placeholder = TerminalText.sanitise(placeholder, limit: 60)
        self.isRequired = isRequired
    }
}
