public import HttpConversation

/// Knows the service providers.
public protocol SAML2ConfigProvider: Sendable {
    /// The configuration for requests to this URL; nil where this provider knows none. Asked often: answers quickly.
    func saml2Config(for target: TargetURL) async throws -> SAML2Config?
    /// The same, where the conversation matters: what the caller has put into its context. Default: asks
    /// ``saml2Config(for:)``.
    func saml2Config(for target: TargetURL, in context: ConversationContext) async throws -> SAML2Config?
}

extension SAML2ConfigProvider {
    public func saml2Config(for target: TargetURL, in context: ConversationContext) async throws -> SAML2Config? {
        try await saml2Config(for: target)
    }
}
