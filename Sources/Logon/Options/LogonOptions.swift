/// How a logon behaves, and what its registration screen starts with.
///
/// ```swift
/// var options = try LogonOptions(file: Data(contentsOf: url))
/// options.registration.gatewayClient = "300"
/// ```
public struct LogonOptions: Hashable, Sendable {
    /// The URL scheme of an application that enrols certificates; empty: its usual one.
    public var afariaURLScheme = ""
    /// Whether certificates come from that application.
    public var usesAfaria = false
    /// Whether the kind of server is found out by asking it; otherwise nobody is asked.
    public var usesFlowMode = true
    /// Whether the vault is made by the logon; otherwise the application makes it before.
    public var allowsAutomaticSecureStoreCreation = true
    /// Whether the first screen is a splash screen.
    public var usesSplashScreen = true
    /// The fields that the registration screen does not show.
    public var hiddenRegistrationFields: Set<RegistrationField> = [.communicatorID]
    /// What the registration screen starts with.
    public var registration = RegistrationDefaults()
    /// How a person logs in at registration.
    public var authentication = RegistrationAuthentication()

    /// The usual options.
    public init() {}
}
