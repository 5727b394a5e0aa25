import Foundation
import HttpC

/// Where a client certificate is kept, as the command line or a profile says.
struct CertificateFile: Sendable {
    let path: String
    var key: String?
    var kind: CertificateOptions.Kind?
    var passphrase: PasswordSource?

    /// `[profiles.NAME.cert]`, and what is made of the options.
    init(path: String, key: String? = nil, kind: CertificateOptions.Kind? = nil, passphrase: PasswordSource? = nil) {
        self.path = path
        self.key = key
        self.kind = kind
        self.passphrase = passphrase
    }

    /// Nil without --cert.
    init?(_ options: CertificateOptions) {
        guard let text = options.certificate else { return nil }
        let (path, passphrase) = Self.split(text)
        self.init(
            path: path, key: options.key, kind: options.type,
            passphrase: (options.passphrase ?? passphrase).map { .literal(Redacted($0)) })
    }

    /// A colon ends the name of the file; one that belongs to it follows a backslash, as with curl.
    static func split(_ text: String) -> (path: String, passphrase: String?) {
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
        return (text, nil)
    }

    /// Refuses a file that is not there before anything is sent.
    func check() throws(CommandFailure) {
        for path in [path, key].compactMap({ $0 }) where access(path, R_OK) != 0 || !InputFile.isRegular(path) {
            throw CommandFailure(
                .clientCertificateUnusable,
                "Cannot read the client certificate's file \"\(TerminalText.sanitise(path))\": \(Posix.reason(errno)).")
        }
    }

    var format: IdentityFileProvider.Format {
        let name = path.lowercased()
        let isPKCS12 = kind.map { $0 == .p12 } ?? (name.hasSuffix(".p12") || name.hasSuffix(".pfx"))
        return isPKCS12 ? .pkcs12 : .pem(key: key.map { URL(filePath: $0) })
    }
}
