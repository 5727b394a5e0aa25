public import HttpConversation

/// Provides the configuration of service providers.
public protocol SAML2ConfigProvider: Sendable {
    /// The configuration for requests to this URL; nil if there is none. Called often: make it fast.
    func saml2Config(for target: TargetURL) async throws -> SAML2Config?
    /// The configuration, taking into account values that the caller has put into the conversation's context. Default:
    /// ``saml2Config(for:)``.
    func saml2Config(for target: TargetURL, in context: ConversationContext) async throws -> SAML2Config?
}

extension SAML2ConfigProvider {
    public func saml2Config(for target: TargetURL, in context: ConversationContext) async throws -> SAML2Config? {
        try await saml2Config(for: target)
    }
}
