import HttpConversation

/// The CSRF filter's state in one conversation.
struct CSRFProgress: Sendable {
    /// The token of the last exchange, and the root of its service.
    var sent: (root: TargetURL, token: CSRFToken)?
    /// Services for which a refused request was repeated; each gets one repetition.
    var retried: Set<TargetURL> = []

    /// Whether the token of a repetition was refused, too.
    var isRefusedAgain: Bool { sent.map { retried.contains($0.root) } ?? false }
}

/// The context key of ``CSRFProgress``.
enum CSRFProgressKey: ConversationContextKey {
    typealias Value = CSRFProgress
}
