import Foundation
import HTTPTypes
import HttpConversation

/// How a connection comes to be.
extension RegistrationClient {
    /// Whose registration it is; the session belongs to it anyway.
    private struct RegistrationKey: Hashable, Sendable {
        let root: TargetURL
        let application: String
        let device: String?
    }

    /// One registration for all who need one at the same time.
    ///
    /// - Parameter refused: the id that the server does not know; who comes later than another one's registration gets that
    func register(insteadOf refused: String?) async throws(MobileServicesError) -> ApplicationConnection {
        let key = RegistrationKey(root: application.root, application: application.id, device: application.deviceID)
        let step = ConversationStep<ApplicationConnection>(key, policy: .fetch) { _ in
            if let known = connectionID, known != refused { return try await read(known) }
            return try await create()
        }
        do { return try await manager.detachedContext(for: application.connections).perform(step) } catch {
            throw .wrapping(error, at: application)
        }
    }

    private func create() async throws(MobileServicesError) -> ApplicationConnection {
        // With the id of an old connection in its cookie it would be given that one again.
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

    /// What is sent about a connection. Capabilities go along where the service's version has them.
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
            .flatMap { $0.removingPercentEncoding }
    }

    // MARK: Fields and cookies

    /// The server's cookie with the connection's id.
    static let cookie = "X-SMP-APPCID"

    /// Takes the connection's cookie out of the session: it would speak for a connection that is no more.
    func forgetCookie() {
        for cookie in session.cookies.cookies(for: application.connections) where cookie.name == Self.cookie {
            session.cookies.insert(
                Cookie(
                    name: cookie.name, value: "", domain: cookie.domain, isHostOnly: cookie.isHostOnly,
                    path: cookie.path, expires: .distantPast, isSecure: cookie.isSecure))
        }
    }

    /// The header fields of requests about entities.
    func fields(sending: Bool = false) -> HTTPFields {
        var fields: HTTPFields = [.accept: format.accept, .maximumDataServiceVersion: "2.0"]
        if sending {
            fields[.contentType] = format.contentType
            fields[.dataServiceVersion] = "2.0"
        }
        return fields
    }

    /// The URL of a connection that brings along what belongs to it.
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
