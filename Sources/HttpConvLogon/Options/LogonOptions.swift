/// The behaviour of a logon, and the defaults of its registration screen.
///
/// ```swift
/// var options = try LogonOptions(file: Data(contentsOf: url))
/// options.registration.gatewayClient = "300"
/// ```
public struct LogonOptions: Hashable, Sendable {
    /// The URL scheme of the application that enrols certificates; empty: its usual scheme. The enrolment gets it
    /// (``EnrolmentRequest/urlScheme``).
    public var afariaURLScheme = ""
    /// Whether a registration without a certificate enrols one, by the logon's ``CertificateEnrolment``.
    public var usesAfaria = false
    /// Whether the kind of server is detected by asking it; otherwise the options decide.
    public var usesFlowMode = true
    /// Whether the logon makes the vault; otherwise the application makes it beforehand.
    public var allowsAutomaticSecureStoreCreation = true
    /// Whether the first screen is a splash screen.
    public var usesSplashScreen = true
    /// The fields that the registration screen does not show.
    public var hiddenRegistrationFields: Set<RegistrationField> = [.communicatorID]
    /// The defaults of the registration screen.
    public var registration = RegistrationDefaults()
    /// The login at registration.
    public var authentication = RegistrationAuthentication()

    /// The default options.
    public init() {}
}
