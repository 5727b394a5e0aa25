import HttpConvFormats

/// The document at ``WellKnownDiscovery/path``: JSON, see <doc:Discovery>. Unknown members are ignored.
struct DiscoveryDocument: Decodable, Sendable {
    struct Server: Decodable, Sendable {
        let host: String
        let port: Int?
        let domain: String?
        let farm: String?
        let path: String?
        let securityConfiguration: String?
        let gatewayClient: String?
        let gatewayPing: String?
        let gatewayOnly: Bool?
    }

    let server: Server

    private static let maximumLength = 256

    /// The proposal, if all of its values are valid. The scheme is always https; the document cannot change that.
    func registration(_ options: LogonOptions, applicationID: String) throws(LogonError) -> RegistrationDefaults {
        var options = options
        options.registration.isHTTPS = true
        options.registration.serverHost = server.host
        // Without a port it is 443, whatever port the options have.
        options.registration.serverPort = server.port ?? 443
        let texts: [(WritableKeyPath<RegistrationDefaults, String>, String?)] = [
            (\.serverDomain, server.domain), (\.farmID, server.farm), (\.resourcePath, server.path),
            (\.securityConfig, server.securityConfiguration), (\.gatewayClient, server.gatewayClient),
            (\.gatewayPingPath, server.gatewayPing),
        ]
        for (property, text) in texts {
            guard let text else { continue }
            guard text.utf8.count <= Self.maximumLength, text.isPrintableASCII else {
                throw LogonError(
                    .invalidParameter, "The domain's document about its server has a text that cannot be used.")
            }
            options.registration[keyPath: property] = text
        }
        if let gatewayOnly = server.gatewayOnly { options.registration.isGatewayOnly = gatewayOnly }
        // Host, port, farm and paths follow the rules for what a person enters.
        let plan = try CommunicatorProbe.all(options, applicationID: applicationID)
        options.registration.serverHost = plan.assumed.root.origin.host
        return options.registration
    }
}
