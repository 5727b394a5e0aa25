package import HttpC
package import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// The place of a client certificate, from the command line or a profile.
package struct CertificateFile: Sendable {
    /// The format of a certificate's file.
    package enum Kind: String, CaseIterable, Sendable {
        case pem = "PEM"
        case der = "DER"
        case p12 = "P12"
    }

    package let path: String
    package var key: String?
    package var kind: Kind?
    package var passphrase: SecretSource?
    /// The servers that may get it; nil: those of the profile's match.
    var origins: [Origin]?
    /// The name of a certificate that `httpc certificates` stores, instead of a file.
    var stored: String?
    /// The name of a certificate on a token (`pkcs11:…`), instead of a file. It may hold a PIN.
    package private(set) var token: Redacted<String>?

    /// A certificate of `[profiles.NAME.cert]` or of the options.
    package init(
        path: String, key: String? = nil, kind: Kind? = nil, passphrase: SecretSource? = nil,
        origins: [Origin]? = nil
    ) {
        self.path = path
        self.key = key
        self.kind = kind
        self.passphrase = passphrase
        self.origins = origins
    }

    /// Splits at the colon that ends the file's name. A backslash before a colon makes it part of the name, as with
    /// curl.
    package static func split(_ text: String) -> (path: String, passphrase: String?) {
        var path: [UInt8] = []
        var bytes = text.utf8[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: ":") {
                return (String(decoding: path, as: UTF8.self), String(decoding: bytes, as: UTF8.self))
            }
            if byte == UInt8(ascii: "\\"), let next = bytes.first, next == UInt8(ascii: ":") || next == byte {
                path.append(next)
                bytes.removeFirst()
            } else {
                path.append(byte)
            }
        }
        return (String(decoding: path, as: UTF8.self), nil)
    }

    /// A certificate on a token.
    ///
    /// - Parameter uri: its name (RFC 7512)
    package init(token uri: String, passphrase: SecretSource?, origins: [Origin]? = nil) {
        self.init(path: "", passphrase: passphrase, origins: origins)
        token = Redacted(uri)
    }

    /// A certificate that `httpc certificates` stores.
    init(stored name: String, origins: [Origin]?) {
        self.init(path: "", origins: origins)
        stored = name
    }

    /// A warning about a private key that everybody on this machine can read.
    var warning: String? {
        guard stored == nil, token == nil, case .pem = format else { return nil }
        return Self.warning(of: key ?? path)
    }

    /// A warning about a file that may hold a private key.
    static func warning(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o004 != 0,
            status.st_size < 1 << 20, let file = FileManager.default.contents(atPath: path)
        else { return nil }
        let text = String(decoding: file, as: UTF8.self)
        guard text.contains("PRIVATE KEY-----"), !text.contains("ENCRYPTED") else { return nil }
        let shown = TerminalText.sanitise(path)
        return "Warning: everybody can read the private key in \"\(shown)\". Run: chmod 600 \(shown)"
    }

    /// Refuses a missing file before anything is sent.
    package func check() throws(CommandFailure) {
        if let token {
            guard key == nil, kind == nil else {
                throw CommandFailure(
                    .usage, "The key of a certificate on a token is on the token: leave out key and type.")
            }
            return try Self.check(token)
        }
        guard stored == nil else { return }
        for path in [path, key].compactMap({ $0 }) {
            guard let reason = InputFile.problem(ofRegular: path) else { continue }
            throw CommandFailure(
                .clientCertificateUnusable,
                "Cannot read the client certificate's file \"\(TerminalText.sanitise(path))\": \(reason).")
        }
    }

    private static func check(_ token: Redacted<String>) throws(CommandFailure) {
        #if os(Linux)
        do throws(CertificateError) { _ = try PKCS11URI(token.value) } catch {
            throw CommandFailure(.clientCertificateUnusable, error.message)
        }
        #else
        throw CommandFailure(.clientCertificateUnusable, "Certificates on PKCS#11 tokens can be used on Linux only.")
        #endif
    }

    package var format: IdentityFileProvider.Format {
        let name = path.lowercased()
        let isPKCS12 = kind.map { $0 == .p12 } ?? (name.hasSuffix(".p12") || name.hasSuffix(".pfx"))
        return isPKCS12 ? .pkcs12 : .pem(key: key.map { URL(exactPath: $0) })
    }
}
