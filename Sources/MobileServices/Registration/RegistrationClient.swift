public import HttpConversation

/// Registers an application with a mobile server, and keeps the registration.
///
/// ```swift
/// let application = try MobileApplication(at: "https://mobile.example.com/", id: "com.example.sales")
/// var client = RegistrationClient(manager, application)
/// client.properties[.deviceType] = "iPhone"
/// let connection = try await client.register()
/// let policy = try connection.settings().passwordPolicy
/// ```
/// The manager logs in by whichever flow the server requires. The connection belongs to the device, the application and
/// the user. The manager's session stores it, and every request of the session to the server names it
/// (``MobileServicesConfigurator``). If the server has forgotten the connection, it is registered again, once.
///
/// Use one session per application and server, because the server's cookies do not tell two applications apart.
public struct RegistrationClient: Sendable {
    /// The manager for the requests.
    public let manager: HttpConversationManager
    /// The application to register.
    public let application: MobileApplication
    /// The properties of a new connection. Later changes are included when it is registered again.
    public var properties = ConnectionProperties()
    /// The capabilities of the device, sent with a registration and each change, from version 3 of the service on. If
    /// the list is empty, the server keeps its own.
    public var capabilities: [DeviceCapability] = []
    /// The format in which entities are written and requested. Answers are read in both formats.
    public var format = EntityFormat.json
    /// The way a connection is changed.
    public var updateStyle = UpdateStyle.put

    /// A client for an application. It adds the application's fields to the manager's requests to the server.
    public init(_ manager: HttpConversationManager, _ application: MobileApplication) {
        manager.update { $0.apply(MobileServicesConfigurator(for: application)) }
        self.manager = manager
        self.application = application
    }

    var requests: ServiceRequests { ServiceRequests(manager: manager, application: application) }
    var session: HttpSession { manager.configuration.session }
    var connections: RegisteredConnections { .of(session) }

    /// The id of the session's connection (`X-SMP-APPCID`); nil if it has none yet.
    public var connectionID: String? { connections.id(of: application) }

    /// Uses a connection that was registered before, such as one whose id was in a vault.
    ///
    /// - Throws: ``MobileServicesError/Code/invalidProperty``
    public func resume(connectionID: String) throws(MobileServicesError) {
        guard ServiceText.isConnectionID(connectionID) else {
            throw MobileServicesError(
                .invalidProperty, "A connection id may have visible ASCII characters only.",
                property: ConnectionSchema.id)
        }
        connections.set(connectionID, of: application)
    }

    // MARK: The connection

    /// Registers the application for the user on this device. If the session already has a connection, that one is
    /// read. Simultaneous callers get the same connection.
    ///
    /// - Throws: ``MobileServicesError``, also if the answer is not a connection. The session's connection then stays
    ///   as it was
    @discardableResult
    public func register() async throws(MobileServicesError) -> ApplicationConnection {
        guard connectionID == nil else { return try await connection() }
        return try await register(insteadOf: nil)
    }

    /// The connection as the server has it.
    ///
    /// - Throws: ``MobileServicesError/Code/notRegistered``, and what ``register()`` throws
    public func connection() async throws(MobileServicesError) -> ApplicationConnection {
        try await withConnection { (id) throws(MobileServicesError) in try await read(id) }
    }

    /// Removes the connection from the server and the session. A connection unknown to the server counts as removed.
    ///
    /// - Throws: ``MobileServicesError/Code/notRegistered``, and others if the connection is still there
    public func unregister() async throws(MobileServicesError) {
        let id = try registeredID()
        let answer = try await requests.answer(.delete, try application.connection(id), of: id)
        if answer.isSuccess, answer.kind == .page { throw requests.page(status: answer.status) }
        guard answer.isSuccess || [404, 410].contains(answer.status) else {
            throw requests.refusal(answer, "Unregistering", missing: Self.unknownConnection)
        }
        connections.remove(id, of: application)
        forgetCookie()
    }

    static let unknownConnection = (
        code: MobileServicesError.Code.unknownConnection, message: "does not know the connection"
    )

    func registeredID() throws(MobileServicesError) -> String {
        guard let id = connectionID else {
            throw MobileServicesError(
                .notRegistered, "The session has no connection of \(application): register, or resume one.")
        }
        return id
    }

    /// Runs an operation with the connection. If the server does not know the connection, registers again and runs it
    /// once more.
    func withConnection<Result>(
        _ operation: (_ id: String) async throws(MobileServicesError) -> Result
    ) async throws(MobileServicesError) -> Result {
        let id = try registeredID()
        do throws(MobileServicesError) { return try await operation(id) } catch {
            guard error.code == .unknownConnection else { throw error }
        }
        return try await operation(try await register(insteadOf: id).id)
    }

    func read(_ id: String) async throws(MobileServicesError) -> ApplicationConnection {
        let target = try expanded(try application.connection(id))
        let answer = try await requests.answer(.get, target, of: id, fields: fields())
        guard answer.isSuccess else { throw requests.refusal(answer, "Reading", missing: Self.unknownConnection) }
        return try ApplicationConnection(try requests.entity(answer), id: id, at: application)
    }
}
