import HttpConvAuthFlows
import HttpConversation

extension WebLoginError {
    /// A sentence about answers that press buttons.
    static let buttonAdvice =
        "An answer presses a button, by the button's name or id and its value, or by its label as both (httpc: --answer 'LABEL=LABEL')."

    /// The error for a page that wants a decision, which only a person or a prepared answer can make.
    ///
    /// - Parameters:
    ///   - origin: the origin of the page
    ///   - labels: the labels of its buttons and boxes
    ///   - hint: a sentence about its buttons; empty, or it begins with a space
    static func undecided(
        at origin: Origin, _ labels: [String], hint: String, pageText: String, missingFields: [MissingField]
    ) -> WebLoginError {
        let labels = labels.map { "\"\($0)\"" }.joined(separator: ", ")
        return WebLoginError(
            .missingAnswer,
            "The page at \(origin) wants a decision (\(TerminalText.sanitise(labels))), for which there is no prepared answer, and there is nobody to ask.\(hint)",
            pageText: pageText, missingFields: missingFields)
    }
}
