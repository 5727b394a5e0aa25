import Synchronization

/// Starts conversations. Reusable, with any number of parallel conversations.
///
/// ```swift
/// let manager = HttpConversationManager()   // with `import HttpC`: the platform's transport
/// let response = try await manager.get("https://example.com/")
/// ```
public final class HttpConversationManager: Sendable {
    /// Performs the exchanges.
    public let transport: any HTTPTransport
    private let state: Mutex<ConfigurationSnapshot>
    private let repeated = RepeatedTarget()

    /// Creates a manager over a transport.
    public init(transport: any HTTPTransport, configuration: Configuration = Configuration()) {
        self.transport = transport
        var configuration = configuration
        configuration.settle()
        state = Mutex(ConfigurationSnapshot(configuration))
    }

    /// Creates a manager over a transport, with configurators that all belong to one person.
    ///
    /// A mistake in them, such as an invalid URL, fails the first conversation and ``validate()``.
    public convenience init(
        transport: any HTTPTransport, _ first: any ManagerConfigurator, _ more: any ManagerConfigurator...
    ) {
        self.init(transport: transport, configuration: Configuration(applying: [first] + more))
    }

    /// The configuration of the next conversation.
    public var configuration: Configuration { state.withLock { $0 }.value }

    /// Changes the configuration, at any time. A running conversation keeps its own.
    public func update(_ change: (inout Configuration) -> Void) {
        state.withLock { snapshot in
            var configuration = snapshot.value
            change(&configuration)
            configuration.settle()
            snapshot = ConfigurationSnapshot(configuration, sharing: snapshot.trust(for: configuration))
        }
    }

    /// Checks that the configuration has no problems and that the transport has the capabilities that its filters need.
    ///
    /// A conversation runs the same check at its start, before anything is sent; this finds problems earlier.
    ///
    /// - Throws: ``ConversationError/Code/invalidConfiguration``, which names the problem: the argument of a
    ///   configurator, or the filter and the missing capability
    public func validate() throws(ConversationError) { try configuration.validate(for: transport) }

    /// Creates a separate manager with the same transport, session and configuration.
    public func copy() -> HttpConversationManager { HttpConversationManager(transport, state.withLock { $0 }) }

    private init(_ transport: any HTTPTransport, _ snapshot: ConfigurationSnapshot) {
        self.transport = transport
        state = Mutex(snapshot)
    }

    /// A context for a flow outside of any conversation, such as a login by a button
    /// (``ConversationContext/perform(_:)``). It becomes the parent of the flow's conversations.
    ///
    /// - Parameter target: the URL that it is done for
    public func detachedContext(for target: TargetURL) -> ConversationContext {
        ConversationContext(
            target: target, snapshot: state.withLock { $0 }, transport: transport, parent: nil, extraObservers: [])
    }

    /// - Parameter delegate: the delegate of the conversation that the runner starts
    func runner(_ delegate: (any ConversationDelegate)? = nil) -> ConversationRunner {
        ConversationRunner(
            transport: transport, snapshot: state.withLock { $0 }, delegate: delegate, repeated: repeated)
    }
}
