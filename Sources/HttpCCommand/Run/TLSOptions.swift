import Foundation
import HttpC
import HttpConversationNIO

/// The trusted certificates: those of --cacert and --capath, else the profile's, else the system's.
enum TLSOptions {
    static let uncheckedWarning = "Warning: -k: the server's certificate is not checked."

    /// The keys of --pinnedpubkey.
    static func pins(_ options: ServerOptions) throws(CommandFailure) -> PublicKeyPinFilter? {
        guard let text = options.pinnedPublicKey else { return nil }
        do throws(ConversationError) { return try PublicKeyPinFilter(text) } catch {
            throw CommandFailure(.usage, "--pinnedpubkey: \(error.message)")
        }
    }

    /// The settings of connections to servers and proxies.
    static func transport(
        _ options: ServerOptions, _ profile: Profile?
    ) throws(CommandFailure) -> NIOTransport.Configuration {
        var transport = NIOTransport.Configuration()
        transport.tls = try servers(options, profile)
        transport.proxyTLS = try proxies(options, profile)
        return transport
    }

    /// The settings for proxies that are reached by TLS: the authorities of --proxy-cacert, else the profile's, else
    /// the system's. The settings for servers, -k included, do not apply to proxies.
    private static func proxies(
        _ options: ServerOptions, _ profile: Profile?
    ) throws(CommandFailure) -> NIOTransport.TLSSettings {
        var settings = NIOTransport.TLSSettings()
        if let path = options.proxyCACertificate ?? profile?.proxyAuthority {
            settings.trustRoots = .file(try readable(path))
        }
        return settings
    }

    private static func servers(
        _ options: ServerOptions, _ profile: Profile?
    ) throws(CommandFailure) -> NIOTransport.TLSSettings {
        var settings = NIOTransport.TLSSettings()
        settings.verifiesCertificates = !options.insecure
        if let directory = options.caDirectory {
            let certificates = try CertificateDirectory.read(directory)
            let file = options.caCertificate.flatMap { FileManager.default.contents(atPath: $0) }
            settings.trustRoots = .pem(certificates + (file.map { Array($0) } ?? []))
            if options.caCertificate == nil { return settings }
        }
        guard let path = options.caCertificate ?? profile?.caCertificate else { return settings }
        let file = try readable(path)
        if options.caDirectory == nil { settings.trustRoots = .file(file) }
        return settings
    }

    private static func readable(_ path: String) throws(CommandFailure) -> URL {
        guard access(path, R_OK) == 0, InputFile.isRegular(path) else {
            throw CommandFailure(
                .trustRootsUnusable,
                "Cannot read the certificates to trust, \"\(TerminalText.sanitise(path))\": \(Posix.reason(errno)).")
        }
        return URL(filePath: path)
    }
}
