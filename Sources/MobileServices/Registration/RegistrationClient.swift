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
/// A login happens by the manager's conversations, whichever the server wants. The connection belongs to the device, the
/// application and the user: the manager's session knows it, and every request of the session to the server says it
/// (``MobileServicesConfigurator``). Where the server has forgotten the connection, it is registered again, once.
///
/// One session, one application at a server: its cookies do not tell two apart.
public struct RegistrationClient: Sendable {
    /// Holds the conversations.
    public let manager: HttpConversationManager
    /// What is registered, and where.
    public let application: MobileApplication
    /// What a new connection is given. Changes that are made later go along when it is registered again.
    public var properties = ConnectionProperties()
    /// What the device can do, sent with a registration and with each change; for versions of the service from 3 on. Where
    /// it is empty, the server keeps what it has.
    public var capabilities: [DeviceCapability] = []
    /// How entities are written, and asked for. Answers are read in both formats.
    public var format = EntityFormat.json
    /// How a connection is changed.
    public var updateStyle = UpdateStyle.put

    /// A client for an application; its fields are added to the manager's requests to the server.
    public init(_ manager: HttpConversationManager, _ application: MobileApplication) {
        manager.update { $0.apply(MobileServicesConfigurator(for: application)) }
        self.manager = manager
        self.application = application
    }

    var requests: ServiceRequests { ServiceRequests(manager: manager, application: application) }
    var session: HttpSession { manager.configuration.session }
    var connections: RegisteredConnections { .of(session) }

    /// The id of the session's connection (`X-SMP-APPCID`); nil where there is none yet.
    public var connectionID: String? { connections.id(of: application) }

    /// Takes over a connection that was registered before, such as one whose id was in a vault.
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

    /// Registers the application for the user on this device. Where the session has a connection already, that one is
    /// read. Whoever asks at the same time gets the same connection.
    ///
    /// - Throws: ``MobileServicesError``, also where the answer is no connection; the session's connection is then as before
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

    /// Removes the connection from the server, and from the session. One that the server does not know is removed.
    ///
    /// - Throws: ``MobileServicesError/Code/notRegistered``, and others where it is still there
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

    /// Does something with the connection, and once more with a new one where the server does not know it.
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
