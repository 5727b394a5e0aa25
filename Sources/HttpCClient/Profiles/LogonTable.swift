import HttpC

/// `[profiles.NAME.logon]`.
struct LogonTable: Sendable {
    /// The application's id at the mobile server.
    let application: String
    /// The server for the registration; nil: that of the options, or of the profile's match.
    var server: TargetURL?
    /// The file with ``LogonOptions``, absolute.
    var optionsFile: String?
    /// The farm at a relay server.
    var farm: String?
    /// The client of a gateway.
    var gatewayClient: String?
    /// The name of the account; nil: the selected one.
    var account: String?
    /// The source of the passcode without a person. It is never the configuration itself.
    var passcode: SecretSource?
}
