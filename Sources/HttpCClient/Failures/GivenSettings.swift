import HttpC
import HttpConvPlatform

/// The settings of the arguments and the profile, which no advice repeats.
package struct GivenSettings: Sendable {
    /// The profile in use.
    var profile: Profile?
    /// The setting that names the authorities, such as `--cacert`; nil: the system's are trusted.
    var authorities: String?
    /// The setting that names the client certificate; nil if there is none.
    var certificate: String?
    /// Whether there is a login, of -u or the profile, that `--basic` could send ahead.
    var hasUser = false
    /// Whether -m extends the time that a server may be silent.
    var canWaitLonger = false

    /// The beginning of a table's name, `profiles.NAME`.
    var table: String { "profiles.\(profile?.name ?? "NAME")" }

    package init(profile: Profile? = nil) {
        self.profile = profile
        if profile?.caCertificate != nil { authorities = "cacert in [\(table)]" }
        if profile?.certificate != nil { certificate = "[\(table).cert]" }
    }

    /// - Parameter hasUser: whether there is a login that was not sent ahead
    init(_ profile: Profile?, _ connection: ConnectionSettings, hasUser: Bool = false) {
        self.init(profile: profile)
        if authorities == nil, let variable = TrustedAuthorities.variable(in: ProcessInfo.processInfo.environment) {
            authorities = "\(variable.name) in the environment"
        }
        if connection.caDirectory != nil { authorities = "--capath" }
        if connection.caCertificate != nil { authorities = "--cacert" }
        if connection.certificate != nil { certificate = "--cert" }
        self.hasUser = hasUser
        canWaitLonger = connection.silence != nil
    }
}
