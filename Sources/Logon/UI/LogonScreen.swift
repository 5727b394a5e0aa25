import HttpConversation
public import MobileServices

/// What a person is shown: words, fields, rules, and what may be done. All texts are sanitised.
///
/// A view can show any screen by its fields and actions alone, and those that it likes in a way of its own by ``kind``.
public struct LogonScreen: Sendable, Hashable {
    /// What a screen is about.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The first words, before anything is asked.
        case splash
        /// Where the server is.
        case configuration
        /// Everything that a registration needs.
        case registration
        /// The password at the back end, once more or anew.
        case credentials
        /// A first passcode.
        case makePasscode
        /// The passcode that opens the vault.
        case unlock
        /// Another passcode.
        case changePasscode
        /// Whether something is really wanted that cannot be undone.
        case confirmation
        /// What went wrong, and what can be done about it.
        case error
        /// What is being done. It is shown until the view's task is cancelled; an answer other than
        /// ``LogonAction/cancel`` means nothing.
        case activity
    }

    /// What it is about.
    public let kind: Kind
    /// Our own words, and the application's id.
    public let title: String
    /// What there is to say; may be empty.
    public let message: String
    /// What went wrong on this screen before; may be empty.
    public let problem: String
    /// What is asked for, in order.
    public let fields: [LogonField]
    /// What ``LogonField/Name/newPasscode`` has to satisfy, to be ticked off as it is typed.
    public let rules: [PasswordRule]
    /// How many tries are left before everything is deleted; nil: any number, or nothing is tried here.
    public let attemptsLeft: Int?
    /// What may be done, the usual thing first.
    public let actions: [LogonAction]

    /// A screen; its texts are sanitised.
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

    /// The field of that name, where the screen has it.
    public subscript(_ name: LogonField.Name) -> LogonField? { fields.first { $0.id == name } }

    /// How a view says ``attemptsLeft``.
    public static func text(attemptsLeft count: Int) -> String {
        "\(count == 1 ? "One try is left" : "\(count) tries are left"): after that everything is deleted here."
    }
}
