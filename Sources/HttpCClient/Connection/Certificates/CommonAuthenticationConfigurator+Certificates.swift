import HttpC
import HttpCTerminal

extension CommonAuthenticationConfigurator {
    /// Adds the certificate of the command line, for the named servers and those of --cert-origin; else the profile's,
    /// for the servers that it names.
    ///
    /// - Parameter named: the servers of the command line
    mutating func addCertificate(
        _ settings: ConnectionSettings, _ profile: Profile?, named: Set<Origin>
    ) throws(CommandFailure) {
        if let file = settings.certificate {
            try file.check()
            let others = settings.certificateOrigins
            add(
                clientCertificate: CertificateProvider(file) { origin in
                    named.contains { $0.covers(origin) } || others.contains(origin)
                })
        } else if let profile, let file = profile.certificate {
            try file.check()
            let origins = Set(file.origins ?? profile.match.map(\.origin))
            add(clientCertificate: CertificateProvider(file) { origins.contains($0) })
        }
    }
}
