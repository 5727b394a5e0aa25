package import HttpConversation

/// A filter that is asked, such as about servers, and leaves every answer to others.
package struct JudgingFilter: ChallengeFilter {
    package let handles: Set<AuthenticationMethod>
    package let requiredCapabilities: TransportCapabilities
    package let connectionPolicy: ConnectionPolicy

    package init(
        handles: Set<AuthenticationMethod> = [.serverTrust], requiring capabilities: TransportCapabilities = [],
        policy: ConnectionPolicy = ConnectionPolicy()
    ) {
        self.handles = handles
        requiredCapabilities = capabilities
        connectionPolicy = policy
    }

    package func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer { .notHandled }
}
