import HttpC

/// `[profiles.NAME.logon]`.
struct MobileLogon: Sendable {
    /// The application's id at the mobile server.
    let application: String
    /// Where it registers; nil: what the options say, or the profile's match.
    var server: TargetURL?
    /// The file with ``LogonOptions``, absolute.
    var optionsFile: String?
    /// The farm at a relay server.
    var farm: String?
    /// The client of a gateway.
    var gatewayClient: String?
    /// Where the passcode comes from where nobody is there: never out of the configuration itself.
    var passcode: PasswordSource?
}
