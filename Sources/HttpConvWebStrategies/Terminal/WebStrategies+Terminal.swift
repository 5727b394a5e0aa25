public import HttpConvAuthFlows

extension WebStrategies {
    /// Every login as questions in the process's terminal: see ``TerminalWebStrategy``.
    ///
    /// ```swift
    /// login.webStrategies = .terminal
    /// ```
    public static var terminal: WebStrategies {
        WebStrategies(default: TerminalWebStrategy(prompter: TerminalPrompter()))
    }

    /// Every login by prepared answers, where nobody attends; what they do not answer is an error.
    public static func answers(_ answers: FormAnswers) -> WebStrategies {
        WebStrategies(default: TerminalWebStrategy(prompter: nil, answers: answers))
    }
}
