import HttpConversation

/// What the CSRF filter remembers of one conversation.
struct CSRFProgress: Sendable {
    /// The token that the last exchange carried, and of which service it is.
    var sent: (root: TargetURL, token: CSRFToken)?
    /// Services for which a refused request was sent once more: not again.
    var retried: Set<TargetURL> = []

    /// Whether the token of a repetition was refused, too.
    var isRefusedAgain: Bool { sent.map { retried.contains($0.root) } ?? false }
}

/// Where ``CSRFProgress`` is kept.
enum CSRFProgressKey: ConversationContextKey {
    typealias Value = CSRFProgress
}
