public import HttpConversation

/// Knows which servers want one-time codes.
public protocol OTPConfigProvider: Sendable {
    /// The configuration for requests to this URL; nil where this provider knows none. Asked often: answers quickly.
    func otpConfig(for target: TargetURL) async throws -> OTPConfig?
    /// The same, where the conversation matters: what the caller has put into its context. Default: asks
    /// ``otpConfig(for:)``.
    func otpConfig(for target: TargetURL, in context: ConversationContext) async throws -> OTPConfig?
}

extension OTPConfigProvider {
    public func otpConfig(for target: TargetURL, in context: ConversationContext) async throws -> OTPConfig? {
        try await otpConfig(for: target)
    }
}
