/// A field of the registration screen, by its name in configuration files.
public enum RegistrationField: String, Sendable, Hashable, CaseIterable {
    /// The port for plain http, used if the server's port is not given.
    case serverPortNonSecure = "ServerPortNonSecure"
    /// The port for https, used if the server's port is not given.
    case serverPortSecure = "ServerPortSecure"
    /// The server's host name.
    case serverHost = "ServerHost"
    /// The server's port.
    case serverPort = "ServerPort"
    /// Whether https is used.
    case isHTTPS = "IsHttps"
    /// The domain at a mobile server.
    case serverDomain = "ServerDomain"
    /// The farm at a relay server.
    case farmID = "FarmId"
    /// The security configuration at a mobile server.
    case securityConfig = "SecurityConfig"
    /// The client of a gateway.
    case gatewayClient = "GatewayClient"
    /// The path of a gateway's ping.
    case gatewayPingPath = "GatewayPingPath"
    /// The path prefix of a reverse proxy.
    case resourcePath = "ResourcePath"
    /// The user name at the back end.
    case backendUserName = "BackendUserName"
    /// The policy for the passcode, if the server gives none.
    case passwordPolicy = "PasswordPolicy"
    /// Whether the application registers with a gateway only.
    case communicatorID = "CommunicatorId"
}
