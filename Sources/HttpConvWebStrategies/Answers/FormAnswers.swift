package import HttpConvConcurrency
public import HttpConversation

/// Prepared answers for the fields of login pages, for unattended logins.
///
/// ```swift
/// let answers = try FormAnswers(
///     ["user": .text("alice"), "password": .text(password), "code": .totp(TOTPSecret(base32: secret))],
///     origins: ["https://login.example.com"])
/// ```
/// A field is filled only if the origins of its page and of its form's action are both listed, over https or on this
/// machine (security rule S14). Each answer is used once in a login: a page that asks again has refused it.
public struct FormAnswers: Sendable {
    /// The value for one field.
    public enum Answer: Sendable {
        /// A text; for a choice its value or its label, for a check box `on` or `off`, for one of several check boxes
        /// of the same name its value or its label.
        case text(Redacted<String>)
        /// The current one-time code.
        case totp(TOTPSecret)

        /// A text.
        public static func text(_ text: String) -> Answer { .text(Redacted(text)) }
    }

    /// The answers by the `name` of their fields. A text field whose `name` has 12 hexadecimal digits in a row, like a
    /// name that changes with each load, is also found by its `id`. In a browser, a field without a `name` is found by
    /// its `id`, else by the hint of its `autocomplete`, else by `username` or `password`. A button that only scripts
    /// react to is found by its `name`, `id` or label, and any button without a `name` by its `id` or label. Its answer
    /// is its value or label.
    public let answers: [String: Answer]
    /// The origins that the answers may be sent to.
    public let origins: Set<Origin>
    let codes: TOTPCodes

    /// Prepares answers.
    ///
    /// - Parameters:
    ///   - answers: the values by the names of the fields
    ///   - origins: the origins that they may be sent to; only the origin of a URL counts
    ///   - usedCodes: remembers used codes; must be shared if several processes make codes of the same secret
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``,
    ///   ``/HttpConversation/ConversationError/Code/unsupportedScheme``
    public init(
        _ answers: [String: Answer], origins: [any TargetURLConvertible],
        usedCodes: some UsedCodeStorage = InMemoryUsedCodeStorage.shared
    ) throws(ConversationError) {
        try self.init(answers, origins: origins, clock: SystemClock(), usedCodes: usedCodes)
    }

    /// Prepares answers with another clock; for tests.
    package init(
        _ answers: [String: Answer], origins: [any TargetURLConvertible], clock: any WallClock,
        usedCodes: any UsedCodeStorage = InMemoryUsedCodeStorage.shared
    ) throws(ConversationError) {
        self.answers = answers
        self.origins = try origins.origins()
        codes = TOTPCodes(clock: clock, used: usedCodes)
    }

    /// Creates an empty set of answers.
    init() {
        answers = [:]
        origins = []
        codes = TOTPCodes(clock: SystemClock(), used: InMemoryUsedCodeStorage.shared)
    }

    /// The answers for one login.
    ///
    /// - Parameter context: the conversation with the login, whose messages do not repeat the answers
    package func forOneLogin(in context: ConversationContext? = nil) -> SingleUseAnswers {
        SingleUseAnswers(self, in: context)
    }
}
