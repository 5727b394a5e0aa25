/// A field of the registration screen, by its name in configuration files.
public enum RegistrationField: String, Sendable, Hashable, CaseIterable {
    /// The port for plain http, where the server's is not given.
    case serverPortNonSecure = "ServerPortNonSecure"
    /// The port for https, where the server's is not given.
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
    /// Where a gateway is asked whether it is there.
    case gatewayPingPath = "GatewayPingPath"
    /// The path that a reverse proxy wants.
    case resourcePath = "ResourcePath"
    /// The name at the back end.
    case backendUserName = "BackendUserName"
    /// What is wanted of the passcode where no server says it.
    case passwordPolicy = "PasswordPolicy"
    /// Whether only a gateway is registered with.
    case communicatorID = "CommunicatorId"
}
