/// The configuration that a conversation started with, shared instead of copied: it is a large value.
final class ConfigurationSnapshot: Sendable {
    let value: HttpConversationManager.Configuration

    /// What the filters need together; looked up once, not for each conversation.
    private let required: TransportCapabilities

    init(_ value: HttpConversationManager.Configuration) {
        self.value = value
        required = value.requiredCapabilities
    }

    func requireCapabilities(of transport: any HTTPTransport) throws(ConversationError) {
        guard !required.isEmpty, !transport.capabilities.isSuperset(of: required) else { return }
        try value.validate(for: transport)
    }
}
