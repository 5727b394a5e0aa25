public import HttpConversation

/// A person's answer to a screen. Its values are never printed.
public struct LogonScreenAnswer: Sendable, Hashable {
    /// The chosen action.
    public let action: LogonAction
    /// The entered values, by field; a field that is missing was left unchanged.
    public let values: [LogonField.Name: Redacted<String>]

    /// The answer of a person who cancels.
    public static let cancelled = LogonScreenAnswer(.cancel)

    /// Creates an answer.
    public init(_ action: LogonAction, _ values: [LogonField.Name: String] = [:]) {
        self.action = action
        self.values = values.mapValues { Redacted($0) }
    }

    /// The value entered into a field.
    public subscript(_ name: LogonField.Name) -> String? { values[name]?.value }
}
