public import HttpConvAuthFlows
public import HttpConversation

/// Asks a person what a login page asks for.
///
/// ``TerminalPrompter`` does it on the controlling terminal. All texts are sanitised already. A question of a page
/// comes with its origin, which was verified and is shown first: labels and options are the page's own words. Every
/// method throws ``/HttpConvAuthFlows/WebLoginError/Code/cancelled`` where the person wants no more, and ends promptly
/// when its task is cancelled.
public protocol FormPrompter: Sendable {
    /// Shows a page before its questions are asked.
    func show(_ page: FormPage) async throws
    /// Asks for a line of text.
    ///
    /// - Parameters:
    ///   - label: what the page calls the field
    ///   - origin: who asks
    ///   - prefilled: what an empty answer means
    ///   - isSecret: what is entered is not shown
    func enter(
        _ label: String, for origin: Origin, prefilled: String, isSecret: Bool
    ) async throws -> Redacted<String>
    /// Lets the person choose.
    ///
    /// - Parameters:
    ///   - label: what the page calls the field
    ///   - origin: who asks
    ///   - options: what there is to choose from
    ///   - selected: the indices that an empty answer means
    ///   - allowsSeveral: whether any number may be chosen; otherwise exactly one index comes back
    func choose(
        _ label: String, for origin: Origin, from options: [String], selected: Set<Int>, allowsSeveral: Bool
    ) async throws -> Set<Int>
    /// Asks a question in our own words that is answered with yes or no.
    func confirm(_ question: String) async throws -> Bool
}

/// What a person sees of a page before it asks anything. All texts are sanitised.
public struct FormPage: Sendable {
    /// What the login is for.
    public let purpose: WebLogin.Purpose
    /// Where the page came from; with https its certificate was checked.
    public let origin: Origin
    /// Its title; may be empty.
    public let title: String
    /// What looks like an error message; may be empty.
    public let alert: String
    /// The beginning of its text; may be empty.
    public let text: String
}
