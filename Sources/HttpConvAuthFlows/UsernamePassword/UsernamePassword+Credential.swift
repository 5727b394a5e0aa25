public import HttpConversation

extension UsernamePassword {
    /// A credential that answers a Basic or Digest challenge with this login, for a challenge filter of your own. If
    /// you only need to provide the login, a ``UsernamePasswordProvider`` is less work.
    ///
    /// - Parameters:
    ///   - challenge: the server's challenge
    ///   - persistence: how long the filter keeps it, as in its answer
    /// - Returns: nil for other schemes, and for Digest with an unsupported algorithm or protection
    /// - Throws: ``/HttpConversation/ConversationError/Code/authenticationFailed`` for control characters, and with
    ///   Basic for a colon in the user name, which it cannot carry
    public func credential(
        for challenge: AuthenticationChallenge, persistence: CredentialPersistence = .session
    ) throws(ConversationError) -> (any Credential)? {
        try credential(for: challenge, persistence: persistence, in: challenge.context, of: nil)
    }

    /// - Parameters:
    ///   - context: the conversation; uses of a nonce are counted for its whole session
    ///   - provider: the provider of the login; the credential goes only to destinations that it serves
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
