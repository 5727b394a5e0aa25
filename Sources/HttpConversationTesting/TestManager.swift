package import HttpConversation

/// A manager over a transport, with a session of its own.
package func testManager(
    _ transport: any HTTPTransport, _ change: (inout HttpConversationManager.Configuration) -> Void = { _ in }
) -> HttpConversationManager {
    var configuration = HttpConversationManager.Configuration()
    change(&configuration)
    return HttpConversationManager(transport: transport, configuration: configuration)
}
