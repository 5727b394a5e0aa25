import HTTPTypes
import HttpConversation

/// Changes to a connection.
extension RegistrationClient {
    /// Changes properties of the connection. Properties that only the server sets are left out. ``capabilities`` are
    /// sent with every update, so an update without properties changes only them.
    ///
    /// - Parameter changes: the properties to change; ``ConnectionProperties/clear(_:)`` deletes a value
    /// - Throws: ``MobileServicesError/Code/invalidProperty``, ``MobileServicesError/Code/notRegistered``, others
    public func update(_ changes: ConnectionProperties) async throws(MobileServicesError) {
        try changes.checkNames()
        try await withConnection { (id) throws(MobileServicesError) in try await write(changes, to: id) }
        connections.note(changes, of: application)
    }

    /// Lets the server send push messages to this device. Call it at each start of the application with the token that
    /// the system gives then: only this session's memory has the token, and a server that has forgotten the connection
    /// gets it again from there.
    ///
    /// - Throws: as ``update(_:)``
    public func enablePush(_ token: PushToken) async throws(MobileServicesError) {
        try await update(token.properties)
    }

    /// Ends push messages of a platform's service, and deletes the token on the server.
    ///
    /// - Throws: as ``update(_:)``
    public func disablePush(_ platform: PushToken.Platform) async throws(MobileServicesError) {
        try await update(platform.disabled)
    }

    private func write(_ changes: ConnectionProperties, to id: String) async throws(MobileServicesError) {
        var properties = changes
        var capabilities = capabilities
        if updateStyle == .put {
            let known = try await read(id)
            properties = known.properties
            properties.merge(changes)
            if capabilities.isEmpty { capabilities = known.capabilities }
        }
        let body = try format.bytes(entity(of: properties.sendable, capabilities))
        let answer = try await requests.answer(
            updateStyle.method, try application.connection(id), of: id, fields: fields(sending: true),
            body: .bytes(body))
        guard answer.isSuccess else { throw requests.refusal(answer, "Updating", missing: Self.unknownConnection) }
        if answer.kind == .page { throw requests.page(status: answer.status) }
    }
}

extension UpdateStyle {
    fileprivate var method: HTTPRequest.Method {
        switch self {
        case .put: .put
        case .merge: .merge
        case .patch: .patch
        }
    }
}

// swift-format-ignore: NeverForceUnwrap
extension HTTPRequest.Method {
    fileprivate static let merge = HTTPRequest.Method("MERGE")!
}
