import HttpConversationNIO

extension NIOTransport {
    /// A transport with settings changed for a test.
    static func make(_ change: (inout Configuration) -> Void = { _ in }) -> NIOTransport {
        var configuration = Configuration()
        configuration.shutdownGrace = .milliseconds(100)
        change(&configuration)
        return NIOTransport(configuration: configuration)
    }

    /// The same with settings that may be refused.
    static func making(_ change: (inout Configuration) throws -> Void) rethrows -> NIOTransport {
        var configuration = make().configuration
        try change(&configuration)
        return NIOTransport(configuration: configuration)
    }
}
