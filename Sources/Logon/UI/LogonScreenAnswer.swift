public import HttpConversation

/// What a person did on a screen. Nothing of what was entered is ever printed.
public struct LogonScreenAnswer: Sendable, Hashable {
    /// What the person chose.
    public let action: LogonAction
    /// What was entered, by field; a field that is not in it was left as it was.
    public let values: [LogonField.Name: Redacted<String>]

    /// The person wants no more.
    public static let cancelled = LogonScreenAnswer(.cancel)

    /// An answer.
    public init(_ action: LogonAction, _ values: [LogonField.Name: String] = [:]) {
        self.action = action
        self.values = values.mapValues { Redacted($0) }
    }

    /// What was entered into a field.
    public subscript(_ name: LogonField.Name) -> String? { values[name]?.value }
}
