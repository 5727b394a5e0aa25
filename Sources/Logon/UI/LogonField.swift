import HttpConversation

/// Something that a screen asks for.
public struct LogonField: Sendable, Hashable, Identifiable {
    /// What is asked for.
    public enum Name: Sendable, Hashable {
        /// A field of the registration screen.
        case registration(RegistrationField)
        /// The server's address, such as `https://mobile.example.com`.
        case serverAddress
        /// An e-mail address, by which a server is found.
        case emailAddress
        /// The password at the back end.
        case password
        /// What a certificate server wants to know of who asks.
        case enrolmentPassword
        /// The passcode as it is.
        case passcode
        /// The passcode as it will be.
        case newPasscode
        /// The passcode as it will be, once more.
        case repeatedPasscode
    }

    /// What may be entered.
    public enum Kind: Sendable, Hashable {
        /// A line of text.
        case text
        /// A number without a sign.
        case number
        /// ``on`` or ``off``.
        case toggle
        /// A line that is not shown while it is entered, and of which nothing is kept in a field.
        case secret
    }

    /// The value of a toggle that is on.
    public static let on = "YES"
    /// The value of a toggle that is off.
    public static let off = "NO"

    /// What is asked for.
    public let id: Name
    /// What the person reads.
    public let label: String
    /// What may be entered.
    public let kind: Kind
    /// What the field begins with, and means where it is left as it is; empty for secrets.
    public let value: String
    /// What is used where the field is left empty, to be shown in it: a number of a port, say; may be empty.
    public let placeholder: String
    /// Whether it may not be left empty.
    public let isRequired: Bool

    /// A field; its texts are sanitised.
    public init(
        _ id: Name, _ label: String, kind: Kind = .text, value: String = "", placeholder: String = "",
        isRequired: Bool = false
    ) {
        self.id = id
        self.label = TerminalText.sanitise(label, limit: 60)
        self.kind = kind
        self.value = kind == .secret ? "" : TerminalText.sanitise(value)
        self.placeholder = TerminalText.sanitise(placeholder, limit: 60)
        self.isRequired = isRequired
    }
}
