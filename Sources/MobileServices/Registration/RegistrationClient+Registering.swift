import HTTPTypes
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// Registers a connection.
extension RegistrationClient {
    /// Registers once for all callers that need a registration at the same time.
    ///
    /// - Parameter refused: the id that the server does not know. A caller that comes after another one's registration
    ///   gets the new connection
    func register(insteadOf refused: String?) async throws(MobileServicesError) -> ApplicationConnection {
        let step = ConversationStep<ApplicationConnection>(ConnectionKey(application), policy: .fetch) { _ in
            if let known = connectionID, known != refused { return try await read(known) }
            return try await create()
        }
        do { return try await manager.detachedContext(for: application.connections).perform(step) } catch {
            throw .wrapping(error, at: application)
        }
    }

    private func create() async throws(MobileServicesError) -> ApplicationConnection {
        // With an old id in its cookie the server would return the old connection again.
        forgetCookie()
        let body = try RequestBody.bytes(format.bytes(newEntity()))
        let answer = try await requests.answer(
            .post, application.connections, of: nil, fields: fields(sending: true), body: body)
        guard answer.isSuccess else {
            throw requests.refusal(
                answer, "Registering",
                missing: (.unknownApplication, "knows no such application, or not this version of the service"))
        }
        let entity = try requests.entity(answer)
        let connection = try ApplicationConnection(entity, id: announcedID(answer), at: application)
        connections.set(connection.id, of: application)
        return connection
    }

    private func newEntity() throws(MobileServicesError) -> ServiceEntity {
        var given = properties
        given.merge(connections.written(of: application))
        try given.checkNames()
        return entity(of: given.sendable.filter { $0.value != .null }, capabilities)
    }

    /// The entity to send about a connection. It has capabilities if the service's version has them.
    func entity(of properties: [String: PropertyValue], _ capabilities: [DeviceCapability]) -> ServiceEntity {
        var entity = ServiceEntity(properties: properties)
        if !capabilities.isEmpty, application.version.related.contains("Capability") {
            entity.related["Capability"] = capabilities.map { ServiceEntity(properties: $0.properties) }
        }
        return entity
    }

    /// The id beside the entity: in a field, a cookie, or the new connection's address.
    private func announcedID(_ answer: ServiceAnswer) -> String? {
        if let id = answer.fields[.connectionID] { return id }
        let cookie = session.cookies.cookies(for: application.connections).first { $0.name == Self.cookie }
        if let cookie { return cookie.value }
        let location = answer.fields[.location]?.split(separator: "Connections('").last
        return location.flatMap { $0.firstIndex(of: "'").map { end in String(location?[..<end] ?? "") } }
            .flatMap(\.percentDecodedText)
    }

    // MARK: Fields and cookies

    /// The server's cookie with the connection's id.
    static let cookie = "X-SMP-APPCID"

    /// Removes the connection's cookie from the session, because it names a connection that no longer exists.
    func forgetCookie() {
        for var cookie in session.cookies.cookies(for: application.connections) where cookie.name == Self.cookie {
            cookie.expires = .distantPast
            session.cookies.insert(cookie)
        }
    }

    /// The header fields for requests about entities.
    func fields(sending: Bool = false) -> HTTPFields {
        var fields: HTTPFields = [.accept: format.accept, .maximumDataServiceVersion: "2.0"]
        if sending {
            fields[.contentType] = format.contentType
            fields[.dataServiceVersion] = "2.0"
        }
        return fields
    }

    /// The URL of a connection with its related entities.
    func expanded(_ target: TargetURL) throws(MobileServicesError) -> TargetURL {
        let related = application.version.related
        guard !related.isEmpty else { return target }
        do throws(ConversationError) {
            return try target.with(query: "$expand=" + related.joined(separator: ","))
        } catch {
            throw .wrapping(error, at: application)
        }
    }
}
