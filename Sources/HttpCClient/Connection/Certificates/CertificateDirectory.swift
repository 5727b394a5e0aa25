import HttpC
import HttpCTerminal
import HttpConvPlatform

/// --capath: a directory of certificates to trust, one file each.
enum CertificateDirectory {
    private static let types: Set<String> = ["pem", "crt", "cer"]

    /// The certificates in PEM, from files with the usual extensions or named by OpenSSL's hash.
    static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        let directory = URL(exactPath: path, isDirectory: true)
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path).sorted() } catch {
            throw failure(path, "it is not a directory that can be read")
        }
        var certificates: [UInt8] = []
        for name in names {
            let type = name.pathType
            guard types.contains(type.lowercased()) || !type.isEmpty && type.allSatisfy(\.isNumber) else { continue }
            let file = directory.appending(path: name)
            guard InputFile.isRegular(file.path(percentEncoded: false)), let data = try? Data(contentsOf: file) else {
                continue
            }
            certificates += Array(data) + [0x0A]
        }
        guard !certificates.isEmpty else { throw failure(path, "there is no certificate in it") }
        return certificates
    }

    private static func failure(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(
            .trustRootsUnusable,
            "Cannot read the certificates to trust in \"\(TerminalText.sanitise(path))\": \(reason).")
    }
}
