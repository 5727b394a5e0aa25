public import HttpConversation

extension UsernamePassword {
    /// What answers a Basic or Digest challenge with this login, for a challenge filter of one's own:
    /// ``UsernamePasswordProvider`` is less work where only the login is asked for.
    ///
    /// - Parameters:
    ///   - challenge: what the server wants
    ///   - persistence: how long the filter keeps it, as said in its answer
    /// - Returns: nil for other schemes, and for Digest with an algorithm or a protection that is not known
    /// - Throws: ``/HttpConversation/ConversationError/Code/authenticationFailed`` for control characters, and with
    ///   Basic for a colon in the user name, which it cannot carry
    public func credential(
        for challenge: AuthenticationChallenge, persistence: CredentialPersistence = .session
    ) throws(ConversationError) -> (any Credential)? {
        try credential(for: challenge, persistence: persistence, in: challenge.context, of: nil)
    }

    /// - Parameters:
    ///   - context: the conversation; uses of a nonce are counted for its whole session
    ///   - provider: whose answer it is; the credential goes where it serves
    func credential(
        for challenge: AuthenticationChallenge, persistence: CredentialPersistence, in context: ConversationContext,
        of provider: (any UsernamePasswordProvider)?
    ) throws(ConversationError) -> (any Credential)? {
        let session = challenge.proxy == nil ? context.session : challenge.session
        return switch challenge.method {
        case .basic: try BasicCredential(self, for: challenge, persistence: persistence, of: provider)
        case .digest:
            try DigestCredential(
                self, for: challenge, nonces: session.flowState { NonceCounts() }, of: provider)
        default: nil
        }
    }
}
