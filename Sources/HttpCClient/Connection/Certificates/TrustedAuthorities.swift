import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem
import HttpConversationNIO

/// The trusted certificates: those of --cacert and --capath, else the profile's, else the environment's, else the
/// system's.
enum TrustedAuthorities {
    /// The files of the system's authorities; the first one that exists counts.
    private static let systemFiles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]

    /// The variable that names a file of trusted certificates, and the file; nil without one. As with curl, it is for
    /// servers and not for proxies. The system's own file changes nothing: a browser has the same authorities then.
    static func variable(in environment: [String: String]) -> (name: String, path: String)? {
        for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
            guard let path = environment[name], !path.isEmpty else { continue }
            return isSystems(path) ? nil : (name, path)
        }
        return nil
    }

    private static func isSystems(_ path: String) -> Bool {
        var (own, given) = (stat(), stat())
        guard systemFiles.contains(where: { stat($0, &own) == 0 }), stat(path, &given) == 0 else { return false }
        return own.isSameFile(as: given)
    }

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
        _ settings: ConnectionSettings, _ profile: Profile?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> NIOTransport.TLSSettings {
        var tls = NIOTransport.TLSSettings()
        tls.verifiesCertificates = !settings.isInsecure
        if let directory = settings.caDirectory {
            let certificates = try CertificateDirectory.read(directory)
            let file = settings.caCertificate.flatMap { FileManager.default.contents(atPath: $0) }
            tls.trustRoots = .pem(certificates + (file.map { Array($0) } ?? []))
            if settings.caCertificate == nil { return tls }
        }
        guard let path = settings.caCertificate ?? profile?.caCertificate else {
            // With -k the file would decide nothing.
            if settings.caDirectory == nil, !settings.isInsecure, let variable = variable(in: environment) {
                tls.trustRoots = .file(try readable(variable.path, named: variable.name))
            }
            return tls
        }
        let file = try readable(path)
        if settings.caDirectory == nil { tls.trustRoots = .file(file) }
        return tls
    }

    /// - Parameter variable: the environment's variable that names it
    private static func readable(_ path: String, named variable: String? = nil) throws(CommandFailure) -> URL {
        if let reason = InputFile.problem(ofRegular: path) {
            let source = variable.map { " (\($0) in the environment)" } ?? ""
            let advice = variable.map { " Correct \($0), or unset it." } ?? ""
            let shown = TerminalText.sanitise(path)
            throw CommandFailure(
                .trustRootsUnusable, "Cannot read the certificates to trust\(source), \"\(shown)\": \(reason).\(advice)"
            )
        }
        return URL(exactPath: path)
    }
}
