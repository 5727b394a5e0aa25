import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import MobileServices

/// The requests of a logon to its server, for one person.
struct RegisteredServer: Sendable {
    let person: LogonPerson
    let profile: RegistrationProfile
    private let manager: HttpConversationManager
    private let client: RegistrationClient?
    private let hasPassword: Bool

    /// - Parameter manager: a manager with the person's logins, and without the gate
    init(
        _ manager: HttpConversationManager, _ person: LogonPerson, _ profile: RegistrationProfile,
        _ record: RegistrationRecord
    ) {
        self.manager = manager
        self.person = person
        self.profile = profile
        hasPassword = record.credentials != nil
        var client = profile.application.map { RegistrationClient(manager, $0) }
        client?.properties = record.properties
        // Another process may have registered again.
        if let id = record.connectionID { try? client?.resume(connectionID: id) }
        self.client = client
    }

    /// The id of the connection; nil without one.
    var connectionID: String? { client?.connectionID }

    /// Logs in. Registers, once, if there is no connection or the server does not know it.
    ///
    /// - Returns: the mobile server's settings for the application; nil: none
    func register() async throws(LogonError) -> ApplicationSettings? {
        guard let client else {
            try await ping()
            return nil
        }
        do throws(MobileServicesError) {
            let connection = try await client.register()
            if connection.properties.names.contains(where: { $0.hasPrefix("PasswordPolicy") }) {
                return try connection.settings()
            }
            // In the cloud, settings do not belong to the connection.
            do throws(MobileServicesError) { return try await client.exchangedSettings() } catch {
                guard error.code == .notFound else { throw error }
                return nil
            }
        } catch {
            throw .wrapping(error, hasPassword: hasPassword)
        }
    }

    /// Removes the connection from the server. An unknown connection counts as removed.
    func unregister() async throws(LogonError) {
        guard let client, client.connectionID != nil else { return }
        do throws(MobileServicesError) { try await client.unregister() } catch {
            throw .wrapping(error, hasPassword: hasPassword)
        }
    }

    /// Uploads a trace to a path below the server's root.
    func upload(_ trace: Transcript, to path: String) async throws(LogonError) {
        guard let application = profile.application else {
            throw LogonError(.uploadTraceFailed, "The registration is with a gateway, which takes no traces.")
        }
        var paths = application.paths
        paths.traces = path
        do throws(MobileServicesError) {
            let place = try MobileApplication(
                at: application.root, id: application.id, deviceID: application.deviceID, paths: paths)
            try await RegistrationClient(manager, place).uploadTrace(.text(trace.description))
        } catch {
            throw error.code == .cancelled
                ? .cancelled : LogonError(.uploadTraceFailed, error.message, underlyingError: error)
        }
    }

    /// Checks that a gateway lets the person in; it knows no registrations.
    private func ping() async throws(LogonError) {
        let answer: ConversationStream
        do throws(ConversationError) { answer = try await manager.bytes(for: HTTPRequest(.get, profile.ping)) } catch {
            throw .wrapping(error)
        }
        switch answer.status.code {
        case 200...299 where answer.url.origin == profile.root.origin: return
        case 401 where hasPassword:
            throw LogonError(
                .invalidBackendPassword, "The gateway does not accept the user name or the password: enter them again.")
        case let status:
            throw LogonError(
                .communicationManagerError,
                "\(answer.url.shownOrigin) answered with the status \(status) instead of the gateway's login at "
                    + "\(profile.root.origin): check the login's configuration.")
        }
    }
}
