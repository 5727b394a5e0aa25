import Foundation
import HttpC

/// Which certificates are trusted: --cacert, else the profile's, else the system's.
enum TLSOptions {
    static func settings(
        _ options: ServerOptions, _ profile: Profile?
    ) throws(CommandFailure) -> NIOTransport.TLSSettings {
        var settings = NIOTransport.TLSSettings()
        settings.verifiesCertificates = !options.insecure
        guard let path = options.caCertificate ?? profile?.caCertificate else { return settings }
        guard access(path, R_OK) == 0, InputFile.isRegular(path) else {
            throw CommandFailure(
                .trustRootsUnusable,
                "Cannot read the certificates to trust, \"\(TerminalText.sanitise(path))\": \(Posix.reason(errno)).")
        }
        settings.trustRoots = .file(URL(filePath: path))
        return settings
    }
}
