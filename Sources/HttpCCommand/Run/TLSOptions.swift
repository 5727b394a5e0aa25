import Foundation
import HttpC

/// Which certificates are trusted: --cacert, else the profile's, else the system's.
enum TLSOptions {
    static func settings(
        insecure: Bool, caCertificate: String?, _ profile: Profile?
    ) throws(CommandFailure) -> NIOTransport.TLSSettings {
        var settings = NIOTransport.TLSSettings()
        settings.verifiesCertificates = !insecure
        guard let path = caCertificate ?? profile?.caCertificate else { return settings }
        guard access(path, R_OK) == 0, InputFile.isRegular(path) else {
            throw CommandFailure(
                .trustRootsUnusable,
                "Cannot read the certificates to trust, \"\(TerminalText.sanitise(path))\": \(Posix.reason(errno)).")
        }
        settings.trustRoots = .file(URL(filePath: path))
        return settings
    }
}
