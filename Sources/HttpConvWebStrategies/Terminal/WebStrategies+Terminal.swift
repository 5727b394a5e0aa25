public import HttpConvAuthFlows

extension WebStrategies {
    /// Shows every login as questions in the process's terminal: see ``TerminalWebStrategy``.
    ///
    /// ```swift
    /// login.webStrategies = .terminal
    /// ```
    public static var terminal: WebStrategies {
        WebStrategies(default: TerminalWebStrategy(prompter: TerminalPrompter()))
    }

    /// Performs every login unattended with prepared answers. A field without an answer is an error.
    public static func answers(_ answers: FormAnswers) -> WebStrategies {
        WebStrategies(default: TerminalWebStrategy(prompter: nil, answers: answers))
    }
}
