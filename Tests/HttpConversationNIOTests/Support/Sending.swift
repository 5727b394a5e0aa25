import HttpConversationNIO

extension NIOTransport {
    /// A transport with settings changed for a test.
    static func make(_ change: (inout Configuration) -> Void = { _ in }) -> NIOTransport {
        var configuration = Configuration()
        configuration.shutdownGrace = .milliseconds(100)
        change(&configuration)
        return NIOTransport(configuration: configuration)
    }
}
