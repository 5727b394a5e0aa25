public import MobileServices

/// What the registration screen is filled with, and what is used where a field is hidden.
public struct RegistrationDefaults: Hashable, Sendable, Codable {
    /// The server's host name, without scheme, port or path.
    public var serverHost = ""
    /// The server's port; nil: ``serverPortSecure`` or ``serverPortNonSecure``.
    public var serverPort: Int?
    /// The port for plain http.
    public var serverPortNonSecure = 8080
    /// The port for https.
    public var serverPortSecure = 8081
    /// Whether https is used.
    public var isHTTPS = true
    /// The domain, for mobile servers that have several.
    public var serverDomain = "default"
    /// The farm, where a relay server stands before the mobile server.
    public var farmID = ""
    /// The security configuration of the mobile server.
    public var securityConfig = ""
    /// The client of a gateway (`sap-client`).
    public var gatewayClient = ""
    /// Where a gateway is asked whether it is there.
    public var gatewayPingPath = "sap/bc/ping"
    /// The path that a reverse proxy wants before the server's own.
    public var resourcePath = ""
    /// The name at the back end.
    public var backendUserName = ""
    /// What is wanted of the passcode where no server says it.
    public var passwordPolicy = PasswordPolicy()
    /// Whether the application is registered with a gateway only: no mobile server is looked for.
    public var isGatewayOnly = false

    /// The usual values.
    public init() {}

    /// The port that is used.
    public var port: Int { serverPort ?? (isHTTPS ? serverPortSecure : serverPortNonSecure) }
}
