import HttpC

/// Settings that the arguments and the profile have already, so that no advice asks for them again.
struct GivenSettings: Sendable {
    /// The profile that applies.
    var profile: Profile?
    /// The setting that names the authorities, such as `--cacert`; nil: the system's are trusted.
    var authorities: String?
    /// The setting that names the client certificate; nil: there is none.
    var certificate: String?
    /// Whether -u or the like gives a login, which `--basic` could send ahead.
    var hasUser = false

    /// `profiles.NAME`, as a table's name begins.
    var table: String { "profiles.\(profile?.name ?? "NAME")" }

    init(profile: Profile? = nil) {
        self.profile = profile
        if profile?.caCertificate != nil { authorities = "cacert in [\(table)]" }
        if profile?.certificate != nil { certificate = "[\(table).cert]" }
    }

    /// - Parameter hasUser: whether a login is given that was not sent ahead
    init(_ profile: Profile?, _ server: ServerOptions, _ options: CertificateOptions, hasUser: Bool = false) {
        self.init(profile: profile)
        if server.caDirectory != nil { authorities = "--capath" }
        if server.caCertificate != nil { authorities = "--cacert" }
        if options.certificate != nil { certificate = "--cert" }
        self.hasUser = hasUser
    }
}
