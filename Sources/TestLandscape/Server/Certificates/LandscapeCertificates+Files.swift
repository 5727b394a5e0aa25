public import Foundation

extension LandscapeCertificates {
    /// The passphrase of the PKCS#12 files that ``writeClients(named:to:)`` writes.
    public static let passphrase = "landscape"

    /// Writes certificates for clients, each with its key as `NAME.pem` and `NAME.p12`. The first name also gets
    /// `NAME-past`, `NAME-future` and `NAME-revoked`. `signer.key` is the key of the client `signer`.
    ///
    /// - Parameters:
    ///   - names: the users that get a certificate
    ///   - directory: the directory; it is created if missing, with access for the owner only
    public func writeClients(named names: [String], to directory: URL) throws {
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in names { try write(client(name), as: name, to: directory) }
        if let first = names.first {
            for validity in LandscapeClientCertificate.Validity.allCases where validity != .now {
                try write(client(first, validity: validity), as: "\(first)-\(validity.rawValue)", to: directory)
            }
        }
        try write(Data(assertionKeyPEM.utf8), to: directory.appending(path: "signer.key"))
    }

    private func write(
        _ certificate: LandscapeClientCertificate, as name: String, to directory: URL
    ) throws {
        let pem = certificate.certificatePEM + certificate.keyPEM + "\n"
        try write(Data(pem.utf8), to: directory.appending(path: "\(name).pem"))
        try write(
            Data(try certificate.pkcs12(passphrase: Self.passphrase)), to: directory.appending(path: "\(name).p12"))
    }

    private func write(_ data: Data, to file: URL) throws {
        try data.write(to: file, options: .atomic)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: file.path(percentEncoded: false))
    }
}
