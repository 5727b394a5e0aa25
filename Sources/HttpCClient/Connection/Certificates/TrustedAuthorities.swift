import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConversationNIO

/// The trusted certificates: those of --cacert and --capath, else the profile's, else the system's.
enum TrustedAuthorities {
    /// The settings for proxies that are reached by TLS: the authorities of --proxy-cacert, else the profile's, else
    /// the system's. The settings for servers, -k included, do not apply to proxies.
    static func ofProxies(
        _ settings: ConnectionSettings, _ profile: Profile?
    ) throws(CommandFailure) -> NIOTransport.TLSSettings {
        var tls = NIOTransport.TLSSettings()
        if let path = settings.proxyCACertificate ?? profile?.proxyAuthority {
            tls.trustRoots = .file(try readable(path))
        }
        return tls
    }

    static func ofServers(
        _ settings: ConnectionSettings, _ profile: Profile?
    ) throws(CommandFailure) -> NIOTransport.TLSSettings {
        var tls = NIOTransport.TLSSettings()
        tls.verifiesCertificates = !settings.isInsecure
        if let directory = settings.caDirectory {
            let certificates = try CertificateDirectory.read(directory)
            let file = settings.caCertificate.flatMap { FileManager.default.contents(atPath: $0) }
            tls.trustRoots = .pem(certificates + (file.map { Array($0) } ?? []))
            if settings.caCertificate == nil { return tls }
        }
        guard let path = settings.caCertificate ?? profile?.caCertificate else { return tls }
        let file = try readable(path)
        if settings.caDirectory == nil { tls.trustRoots = .file(file) }
        return tls
    }

    private static func readable(_ path: String) throws(CommandFailure) -> URL {
        guard access(path, R_OK) == 0, InputFile.isRegular(path) else {
            throw CommandFailure(
                .trustRootsUnusable,
                "Cannot read the certificates to trust, \"\(TerminalText.sanitise(path))\": \(Posix.reason(errno)).")
        }
        return URL(exactPath: path)
    }
}
