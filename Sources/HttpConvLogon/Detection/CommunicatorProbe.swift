import HTTPTypes
import HttpConversation
import MobileServices

/// A request that finds out whether a kind of server is at an address.
struct CommunicatorProbe: Sendable {
    let communicator: Communicator
    let root: TargetURL
    let target: TargetURL
    let fields: HTTPFields

    func report(status: Int?, _ text: String, failure: ConversationError.Code? = nil) -> ProbeReport {
        ProbeReport(communicator: communicator, target: target, status: status, text: text, failure: failure)
    }

    /// The probes in their order.
    struct Plan: Sendable {
        let inOrder: [CommunicatorProbe]
        /// The server that the options imply, if nothing is asked.
        let assumed: DetectedCommunicator
    }

    static func all(_ options: LogonOptions, applicationID: String) throws(LogonError) -> Plan {
        let places = try ProbePlaces(options.registration)
        let gateway = try places.gateway()
        guard !options.registration.isGatewayOnly else {
            return Plan(inOrder: [gateway], assumed: gateway.found)
        }
        var servers: [CommunicatorProbe] = []
        if let root = try places.relay() { servers.append(try mobile(.relayServer, root, applicationID)) }
        if let root = try places.proxy() { servers.append(try mobile(.reverseProxy, root, applicationID)) }
        servers.append(try mobile(.mobileServer, places.server, applicationID))
        let hasFarm = !options.registration.farmID.isEmpty
        return Plan(inOrder: hasFarm ? servers + [gateway] : [gateway] + servers, assumed: servers[0].found)
    }

    /// The address of a gateway's ping.
    static func ping(_ registration: RegistrationDefaults) throws(LogonError) -> TargetURL {
        try ProbePlaces(registration).gateway().target
    }

    /// The server's origin, for any kind of server.
    static func origin(_ registration: RegistrationDefaults) throws(LogonError) -> Origin {
        try ProbePlaces(registration).server.origin
    }

    private var found: DetectedCommunicator { DetectedCommunicator(communicator: communicator, root: root) }

    private static func mobile(
        _ communicator: Communicator, _ root: TargetURL, _ applicationID: String
    ) throws(LogonError) -> CommunicatorProbe {
        do throws(MobileServicesError) {
            let application = try MobileApplication(at: root, id: applicationID)
            return CommunicatorProbe(
                communicator: communicator, root: application.root, target: application.connections, fields: [:])
        } catch {
            throw LogonError(.invalidParameter, error.message, underlyingError: error)
        }
    }
}

/// The addresses of servers, by the options.
private struct ProbePlaces {
    let server: TargetURL
    private let registration: RegistrationDefaults

    init(_ registration: RegistrationDefaults) throws(LogonError) {
        self.registration = registration
        do throws(ConversationError) {
            let scheme = registration.isHTTPS ? Origin.Scheme.https : .http
            let origin = try Origin(scheme: scheme, host: registration.serverHost, port: registration.port)
            server = try origin.targetURL()
        } catch {
            throw LogonError(
                .invalidServerHost, "The server's address cannot be used: \(error.message)", underlyingError: error)
        }
    }

    func gateway() throws(LogonError) -> CommunicatorProbe {
        CommunicatorProbe(
            communicator: .gateway, root: server, target: try place(registration.gatewayPingPath, in: server),
            fields: try registration.fields(for: .gateway))
    }

    /// The path of SAP's relay servers.
    func relay() throws(LogonError) -> TargetURL? {
        guard !registration.farmID.isEmpty else { return nil }
        guard !registration.farmID.contains("/") else {
            throw LogonError(.invalidParameter, "The farm's id has a slash.")
        }
        return try place("ias_relay_server/client/rs_client.dll/\(registration.farmID)", in: server)
    }

    func proxy() throws(LogonError) -> TargetURL? {
        registration.resourcePath.isEmpty ? nil : try place(registration.resourcePath, in: server)
    }

    /// A path below the server's root; slashes at its ends are ignored.
    private func place(_ path: String, in server: TargetURL) throws(LogonError) -> TargetURL {
        let segments = path.split(separator: "/")
        guard !segments.contains(where: { $0 == "." || $0 == ".." }) else {
            throw LogonError(.invalidParameter, "A path leads out of the server's root.")
        }
        do throws(ConversationError) { return try server.with(path: "/" + segments.joined(separator: "/")) } catch {
            throw LogonError(
                .invalidParameter, "A path of the server cannot be used: \(error.message)", underlyingError: error)
        }
    }
}
