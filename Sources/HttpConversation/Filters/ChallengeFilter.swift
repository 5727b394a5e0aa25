/// Answers the challenges of 401 responses, and servers that ask for a certificate in the TLS handshake. A 407 is nobody's: no transport of this package uses proxies yet.
///
/// Filters are asked in order of addition, for the strongest challenge first; the first answer other than `.notHandled`
/// wins. No connection is held while a filter works.
public protocol ChallengeFilter: ConversationFilter {
    /// The schemes this filter may answer; it is asked for no other.
    var handles: Set<AuthenticationMethod> { get }
    /// Answers one challenge.
    func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) async throws -> ChallengeAnswer
}
