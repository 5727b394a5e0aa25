import Synchronization

/// Starts conversations. Reusable, any number of conversations in parallel.
///
/// ```swift
/// let manager = HttpConversationManager()   // with `import HttpC`: the platform's transport
/// let response = try await manager.get("https://example.com/")
/// ```
public final class HttpConversationManager: Sendable {
    /// Performs the exchanges.
    public let transport: any HTTPTransport
    private let state: Mutex<ConfigurationSnapshot>

    /// A manager over a transport.
    public init(transport: any HTTPTransport, configuration: Configuration = Configuration()) {
        self.transport = transport
        var configuration = configuration
        configuration.settle()
        state = Mutex(ConfigurationSnapshot(configuration))
    }

    /// A manager over a transport, with configurators that together stand for one person.
    ///
    /// What is wrong with them, such as text that is no URL, fails its first conversation and ``validate()``.
    public convenience init(
        transport: any HTTPTransport, _ first: any ManagerConfigurator, _ more: any ManagerConfigurator...
    ) {
        self.init(transport: transport, configuration: Configuration(applying: [first] + more))
    }

    /// The configuration that the next conversation will run with.
    public var configuration: Configuration { state.withLock { $0 }.value }

    /// Changes the configuration, at any time. A running conversation keeps the one it started with.
    public func update(_ change: (inout Configuration) -> Void) {
        state.withLock { snapshot in
            var configuration = snapshot.value
            change(&configuration)
            configuration.settle()
            snapshot = ConfigurationSnapshot(configuration)
        }
    }

    /// A manager of its own with the same transport, session and configuration.
    public func copy() -> HttpConversationManager {
        HttpConversationManager(transport: transport, configuration: configuration)
    }

    /// A context for what a flow does ahead of any conversation, such as a login by a button
    /// (``ConversationContext/perform(_:)``): its children have this as their parent.
    ///
    /// - Parameter target: the URL that it is done for
    public func detachedContext(for target: TargetURL) -> ConversationContext {
        ConversationContext(
            target: target, snapshot: state.withLock { $0 }, transport: transport, parent: nil, extraObservers: [])
    }

    /// - Parameter delegate: of the one conversation that it starts
    func runner(_ delegate: (any ConversationDelegate)? = nil) -> ConversationRunner {
        ConversationRunner(transport: transport, snapshot: state.withLock { $0 }, delegate: delegate)
    }
}
