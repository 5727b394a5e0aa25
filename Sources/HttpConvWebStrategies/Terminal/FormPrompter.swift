public import HttpConvAuthFlows
public import HttpConversation

/// Asks a person the questions of a login page.
///
/// ``TerminalPrompter`` does it on the controlling terminal. All texts are already sanitised. A page's question comes
/// with its verified origin, which must be shown first: labels and options are the page's own words. Every method
/// throws ``/HttpConvAuthFlows/WebLoginError/Code/cancelled`` if the person cancels, and ends promptly when its task is
/// cancelled.
public protocol FormPrompter: Sendable {
    /// Shows a page before its questions.
    func show(_ page: FormPage) async throws
    /// Asks for a line of text.
    ///
    /// - Parameters:
    ///   - label: the page's name for the field
    ///   - origin: the origin of the page
    ///   - prefilled: the value of an empty answer
    ///   - isSecret: whether to hide the input
    func enter(
        _ label: String, for origin: Origin, prefilled: String, isSecret: Bool
    ) async throws -> Redacted<String>
    /// Asks for a choice.
    ///
    /// - Parameters:
    ///   - label: the page's name for the field
    ///   - origin: the origin of the page
    ///   - options: the options
    ///   - selected: the indices that an empty answer selects
    ///   - allowsSeveral: whether any number may be chosen; else the result has exactly one index
    func choose(
        _ label: String, for origin: Origin, from options: [String], selected: Set<Int>, allowsSeveral: Bool
    ) async throws -> Set<Int>
    /// Asks a yes-or-no question in our own words.
    func confirm(_ question: String) async throws -> Bool
}

/// The parts of a page that a person sees before its questions. All texts are sanitised.
public struct FormPage: Sendable {
    /// The purpose of the login.
    public let purpose: WebLogin.Purpose
    /// The page's origin; with https its certificate was verified.
    public let origin: Origin
    /// The title; may be empty.
    public let title: String
    /// The text of what looks like an error message; may be empty.
    public let alert: String
    /// The beginning of the text; may be empty.
    public let text: String
    /// Whether the page asks again for what was entered before: it was not accepted. The reason is in ``alert``, if the
    /// page gives one.
    public var isAgain = false
}
