import Foundation
import HttpConvCertificates
import HttpConversation
import TestSupport
import Testing

/// Certificates, keys and files of all kinds, made with the openssl command.
final class TestCertificates: Sendable {
    static let passphrase = "open sesame"

    let directory: URL

    init() throws {
        directory = try TemporaryPlace.folder("certificates")
    }

    deinit { remove() }

    func remove() { try? FileManager.default.removeItem(at: directory) }

    func path(_ name: String) -> String { directory.appending(path: name).path(percentEncoded: false) }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: directory.appending(path: name))) }

    /// Runs openssl with its arguments as one line. File names are relative to the directory.
    func openssl(_ line: String, _ more: [String] = []) async throws {
        let command = "cd \"$0\" && exec openssl \"$@\""
        let arguments = line.split(separator: " ").map(String.init) + more
        let outcome = try await Program.run("/bin/sh", ["-c", command, path("")] + arguments)
        #expect(outcome.status == 0, "openssl \(line): \(outcome.errors)")
    }

    /// Makes a key and a self-signed certificate: `name.key` and `name.pem`.
    ///
    /// - Parameter kind: the value of openssl's `-newkey`
    func make(_ name: String, kind: String = "ec -pkeyopt ec_paramgen_curve:P-256") async throws {
        try await openssl(
            "req -x509 -newkey \(kind) -nodes -keyout \(name).key -out \(name).pem -subj /CN=\(name) -days 2")
    }
}

/// The code of the error that reading throws; nil on success.
func code(_ read: () throws -> ClientIdentity) -> CertificateError.Code? {
    do {
        _ = try read()
        return nil
    } catch {
        return (error as? CertificateError)?.code
    }
}
