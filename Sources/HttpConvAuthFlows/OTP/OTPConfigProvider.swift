public import HttpConversation

/// Provides the configuration of servers that ask for one-time codes.
public protocol OTPConfigProvider: Sendable {
    /// The configuration for requests to this URL; nil if there is none. Called often: make it fast.
    func otpConfig(for target: TargetURL) async throws -> OTPConfig?
    /// The configuration, taking into account values that the caller has put into the conversation's context. Default:
    /// ``otpConfig(for:)``.
    func otpConfig(for target: TargetURL, in context: ConversationContext) async throws -> OTPConfig?
}

extension OTPConfigProvider {
    public func otpConfig(for target: TargetURL, in context: ConversationContext) async throws -> OTPConfig? {
        try await otpConfig(for: target)
    }
}
