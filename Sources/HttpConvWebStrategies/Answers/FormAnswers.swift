public import HttpConversation

/// Prepared answers for the fields of login pages, for logins that nobody attends.
///
/// ```swift
/// let answers = try FormAnswers(
///     ["user": .text("alice"), "password": .text(password), "code": .totp(TOTPSecret(base32: secret))],
///     origins: ["https://login.example.com"])
/// ```
/// A field is filled only where the origins of its page and of its form's action are both listed, over https or on this
/// machine (security rule S14). Each answer is used once in a login: a page that asks again has refused it.
public struct FormAnswers: Sendable {
    /// What goes into one field.
    public enum Answer: Sendable {
        /// This text; for a choice its value or its label, for a check box `on` or `off`.
        case text(Redacted<String>)
        /// The one-time code of the moment.
        case totp(TOTPSecret)

        /// This text.
        public static func text(_ text: String) -> Answer { .text(Redacted(text)) }
    }

    /// The answers by the `name` of their fields.
    public let answers: [String: Answer]
    /// Where they may go.
    public let origins: Set<Origin>
    let codes: TOTPCodes

    /// Prepares answers.
    ///
    /// - Parameters:
    ///   - answers: the values by the names of the fields
    ///   - origins: where they may go; of a URL its origin counts
    ///   - clock: what one-time codes are made by
    ///   - usedCodes: where it is remembered which codes were used; a storage that processes share where several of
    ///     them make the codes of one secret
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``,
    ///   ``/HttpConversation/ConversationError/Code/unsupportedScheme``
    public init(
        _ answers: [String: Answer], origins: [any TargetURLConvertible], clock: some TOTPClock = SystemTOTPClock(),
        usedCodes: some UsedCodeStorage = InMemoryUsedCodeStorage.shared
    ) throws(ConversationError) {
        self.answers = answers
        self.origins = try origins.origins()
        codes = TOTPCodes(clock: clock, used: usedCodes)
    }

    /// No answers at all.
    init() {
        answers = [:]
        origins = []
        codes = TOTPCodes(clock: SystemTOTPClock(), used: InMemoryUsedCodeStorage.shared)
    }

    /// What one login takes its answers from.
    package func forOneLogin() -> SingleUseAnswers { SingleUseAnswers(self) }
}
