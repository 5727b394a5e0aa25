/// The configuration that a conversation started with, shared instead of copied: it is a large value.
final class ConfigurationSnapshot: Sendable {
    let value: HttpConversationManager.Configuration

    init(_ value: HttpConversationManager.Configuration) { self.value = value }
}
