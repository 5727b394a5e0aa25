/// Receives the events of conversations, and cannot change their course.
///
/// Called in order for each conversation, from whatever task runs it: return quickly. See ``ConversationEvent`` for the
/// grammar of events.
public protocol ConversationObserver: Sendable {
    /// One thing happened.
    func observe(_ event: ConversationEvent)
}
