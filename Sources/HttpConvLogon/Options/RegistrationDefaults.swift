public import HttpConvVault

/// The values of the registration screen; hidden fields keep them.
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
    /// The farm, if a relay server stands before the mobile server.
    public var farmID = ""
    /// The security configuration of the mobile server.
    public var securityConfig = ""
    /// The client of a gateway (`sap-client`).
    public var gatewayClient = ""
    /// The path of a gateway's ping.
    public var gatewayPingPath = "sap/bc/ping"
    /// The path prefix of a reverse proxy.
    public var resourcePath = ""
    /// The user name at the back end.
    public var backendUserName = ""
    /// The policy for the passcode, if the server gives none.
    public var passwordPolicy = PasswordPolicy()
    /// Whether the application registers with a gateway only: no mobile server is looked for.
    public var isGatewayOnly = false

    /// The default values.
    public init() {}

    /// The port in use.
    public var port: Int { serverPort ?? (isHTTPS ? serverPortSecure : serverPortNonSecure) }
}
