public import HttpConvVault
import HttpConversation

/// The content of a screen: texts, fields, rules and actions. All texts are sanitised.
///
/// A view can show any screen by its fields and actions alone, and can give some a design of their own by ``kind``.
public struct LogonScreen: Sendable, Hashable {
    /// The purpose of a screen.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A welcome, before anything is asked.
        case splash
        /// The accounts on this device, to choose one.
        case accounts
        /// The name of a new account.
        case newAccount
        /// The server's address.
        case configuration
        /// The fields of a registration.
        case registration
        /// The password at the back end, asked again.
        case credentials
        /// The first passcode.
        case makePasscode
        /// The passcode that opens the vault.
        case unlock
        /// Another passcode.
        case changePasscode
        /// A question before something that cannot be undone.
        case confirmation
        /// An error, and what can be done about it.
        case error
        /// The operation in progress. It is shown until the view's task is cancelled; any answer but
        /// ``LogonAction/cancel`` is ignored.
        case activity
    }

    /// The purpose.
    public let kind: Kind
    /// The title: our own text, and the application's id.
    public let title: String
    /// The text; may be empty.
    public let message: String
    /// The problem with the previous answer; may be empty.
    public let problem: String
    /// The fields, in order.
    public let fields: [LogonField]
    /// The rules for ``LogonField/Name/newPasscode``, to be ticked off while it is typed.
    public let rules: [PasswordRule]
    /// The number of tries left before everything is deleted; nil: unlimited, or the screen tries nothing.
    public let attemptsLeft: Int?
    /// The actions, the default one first.
    public let actions: [LogonAction]

    /// Creates a screen; its texts are sanitised.
    public init(
        _ kind: Kind, title: String, message: String = "", problem: String = "", fields: [LogonField] = [],
        rules: [PasswordRule] = [], attemptsLeft: Int? = nil, actions: [LogonAction] = [.proceed, .cancel]
    ) {
        self.kind = kind
        self.title = TerminalText.sanitise(title, limit: 120)
        self.message = TerminalText.sanitise(message, limit: 1000)
        self.problem = TerminalText.sanitise(problem, limit: 1000)
        self.fields = fields
        self.rules = rules
        self.attemptsLeft = attemptsLeft
        self.actions = actions
    }

    /// The field of that name, if the screen has it.
    public subscript(_ name: LogonField.Name) -> LogonField? { fields.first { $0.id == name } }

    /// The text for ``attemptsLeft``.
    public static func text(attemptsLeft count: Int) -> String {
        "\(count == 1 ? "One try is left" : "\(count) tries are left"): after that everything is deleted here."
    }
}
