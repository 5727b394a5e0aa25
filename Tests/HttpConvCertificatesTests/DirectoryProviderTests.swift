import Foundation
import HttpConvCertificates
import HttpConversation
import HttpConversationTesting
import Testing

/// A directory of identities: by host, else by the authorities that a server accepts.
@Suite(.timeLimit(.minutes(1))) struct DirectoryProviderTests {
    private let files: TestCertificates

    init() throws { files = try TestCertificates() }

    private func identity(
        _ files: TestCertificates, _ url: String, callersURL: String? = nil, authorities: [[UInt8]] = [],
        passphrase: String? = nil
    ) async throws -> ProvidedIdentity {
        let provider = IdentityDirectoryProvider(files.directory, passphrase: { _, _ in passphrase })
        return try await provider.identity(
            for: .testing(clientCertificateAt: url, callersURL: callersURL, acceptableAuthorities: authorities))
    }

    private func subject(_ answer: ProvidedIdentity) -> String? {
        if case .identity(let identity) = answer { identity.summary.subject } else { nil }
    }

    private func isNone(_ answer: ProvidedIdentity) -> Bool { if case .none = answer { true } else { false } }

    /// PKCS#12 before PEM, with the key inside or beside it. Files of other hosts are not used.
    @Test func theFileOfTheHost() async throws {
        for name in ["one.example", "two.example", "both"] { try await files.make(name) }
        try await files.openssl(
            "pkcs12 -export -in both.pem -inkey both.key -out one.example.p12 -passout pass:")
        #expect(subject(try await identity(files, "https://one.example/x")) == "CN=both")
        #expect(subject(try await identity(files, "https://two.example:8443/")) == "CN=two.example")
        #expect(isNone(try await identity(files, "https://three.example/")))
        #expect(isNone(try await identity(files, "https://sub.two.example/")))
    }

    @Test func passphrases() async throws {
        try await files.make("a.example")
        try await files.openssl(
            "pkcs12 -export -in a.example.pem -inkey a.example.key -out a.example.p12 -passout", ["pass:sesame"])
        #expect(
            subject(try await identity(files, "https://a.example/", passphrase: "sesame")) == "CN=a.example")
        #expect(await failure(files, "https://a.example/", passphrase: "wrong")?.code == .wrongPassphrase)
        guard case .noCertificate = try await identity(files, "https://a.example/") else {
            Issue.record("nobody knew the passphrase, and there was an answer")
            return
        }
    }

    /// Each error names the problem and the file.
    @Test func unusableFilesAreNamed() async throws {
        try await files.make("other")
        for name in ["mismatch", "nokey", "garbage"] { try await files.make("\(name).example") }
        let directory = files.directory
        try Data(files.bytes("other.key")).write(to: directory.appending(path: "mismatch.example.key"))
        try FileManager.default.removeItem(at: directory.appending(path: "nokey.example.key"))
        try Data("no PEM".utf8).write(to: directory.appending(path: "garbage.example.pem"))
        try FileManager.default.createDirectory(
            at: directory.appending(path: "folder.example.p12"), withIntermediateDirectories: true)
        try files.makeExpired("past.example")
        let expected: [(String, CertificateError.Code)] = [
            ("mismatch", .keyMismatch), ("nokey", .certificateWithoutKey), ("garbage", .unreadable),
            ("folder", .unreadable), ("past", .expired),
        ]
        for (name, code) in expected {
            let failure = await failure(files, "https://\(name).example/")
            #expect(failure?.code == code, "\(name)")
            #expect(failure?.message.contains("\(name).example") == true, "\(name): \(failure?.message ?? "")")
        }
    }

    /// The first usable file that the server accepts; unusable files are skipped.
    @Test func byAuthority() async throws {
        for name in ["a", "b", "c"] { try await files.make(name) }
        try Data("no PEM".utf8).write(to: files.directory.appending(path: "0.pem"))
        try Data(files.bytes("c.key")).write(to: files.directory.appending(path: "a.key"))
        let names = try ["a", "b", "c"].map { try Self.issuer(files.bytes("\($0).pem")) }
        let url = "https://any.example/"
        #expect(subject(try await identity(files, url, authorities: [names[1], names[2]])) == "CN=b")
        #expect(subject(try await identity(files, url, authorities: [names[2]])) == "CN=c")
        // The key belongs to another certificate.
        #expect(isNone(try await identity(files, url, authorities: [names[0]])))
        // A transport without the authorities, and a server that the caller did not name.
        #expect(isNone(try await identity(files, url)))
        #expect(
            isNone(try await identity(files, url, callersURL: "https://caller.example/", authorities: [names[1]])))
    }

    @Test func aDirectoryThatIsNotThere() async throws {
        files.remove()
        #expect(await failure(files, "https://a.example/")?.code == .unreadable)
    }

    private func failure(
        _ files: TestCertificates, _ url: String, passphrase: String? = nil
    ) async -> CertificateError? {
        do {
            _ = try await identity(files, url, passphrase: passphrase)
            return nil
        } catch let error as ConversationError {
            #expect(error.code == .clientCertificateUnusable)
            return error.underlyingError as? CertificateError
        } catch {
            return nil
        }
    }

    /// A self-signed certificate's name in DER, made from the common name.
    private static func issuer(_ pem: [UInt8]) throws -> [UInt8] {
        let summary = try ClientIdentity.subject(pem)
        let name = Array(summary.dropFirst(3).utf8)
        let attribute: [UInt8] = [0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, UInt8(name.count)] + name
        let inner: [UInt8] = [0x30, UInt8(attribute.count)] + attribute
        let set: [UInt8] = [0x31, UInt8(inner.count)] + inner
        return [0x30, UInt8(set.count)] + set
    }
}

extension ClientIdentity {
    fileprivate static func subject(_ pem: [UInt8]) throws -> String {
        let lines = String(decoding: pem, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-----") }
        return try CertificateSummary(der: Array(try #require(Data(base64Encoded: lines.joined())))).subject
    }
}
