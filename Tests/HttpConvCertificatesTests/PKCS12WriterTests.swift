import Foundation
import HttpConversation
import Testing

@testable import HttpConvCertificates

/// Identities as files in memory, read again by other programs.
@Suite(.timeLimit(.minutes(1))) struct PKCS12WriterTests {
    @Test(arguments: [
        ("ec -pkeyopt ec_paramgen_curve:P-256", "pkey"), ("ec -pkeyopt ec_paramgen_curve:P-384", "ec"),
        ("ec -pkeyopt ec_paramgen_curve:P-521", "pkey"), ("rsa:2048", "pkey"), ("rsa:2048", "rsa -traditional"),
    ])
    func isReadAgain(_ kind: String, _ form: String) async throws {
        let files = try TestCertificates()
        defer { files.remove() }
        try await files.make("alice", kind: kind)
        try await files.openssl("\(form) -in alice.key -out alice.out", [])
        let identity = try ClientIdentity.pem(
            certificates: files.bytes("alice.pem"), key: files.bytes("alice.out"))
        let file = try identity.pkcs12(passphrase: TestCertificates.passphrase)
        let again = try ClientIdentity.pkcs12(file, passphrase: TestCertificates.passphrase)
        #expect(again.certificates == identity.certificates)
        #expect(throws: CertificateError.self) { try ClientIdentity.pkcs12(file, passphrase: "wrong") }
        // openssl reads it too, and prints nothing on success.
        let place = files.directory.appending(path: "alice.p12")
        try Data(file).write(to: place)
        try await files.openssl(
            "pkcs12 -in alice.p12 -nodes -out again.pem -passin", ["pass:\(TestCertificates.passphrase)"])
        let pem = try files.bytes("again.pem")
        #expect(try ClientIdentity.pem(certificates: pem).certificates == identity.certificates)
    }
}
