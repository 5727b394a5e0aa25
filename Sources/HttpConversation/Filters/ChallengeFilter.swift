/// Answers challenges (401, 407).
///
/// Filters are asked in order of addition, for the strongest challenge first; the first answer other than `.notHandled`
/// wins. No connection is held while a filter works.
public protocol ChallengeFilter: Sendable {
    /// The schemes this filter may answer; it is asked for no other.
    var handles: Set<AuthenticationMethod> { get }
    /// Answers one challenge.
    func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) async throws -> ChallengeAnswer
}
