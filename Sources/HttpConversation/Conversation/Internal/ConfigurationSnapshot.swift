/// The configuration that a conversation started with, shared instead of copied: it is a large value.
final class ConfigurationSnapshot: Sendable {
    let value: HttpConversationManager.Configuration

    /// What the filters need together; looked up once, not for each conversation.
    private let required: TransportCapabilities
    private let hasProblems: Bool

    init(_ value: HttpConversationManager.Configuration) {
        self.value = value
        required = value.requiredCapabilities
        hasProblems = !value.problems.isEmpty
    }

    /// Fails where the configuration has a problem or wants what the transport cannot do.
    func validate(for transport: any HTTPTransport) throws(ConversationError) {
        guard hasProblems || !required.isEmpty && !transport.capabilities.isSuperset(of: required) else { return }
        try value.validate(for: transport)
    }
}
