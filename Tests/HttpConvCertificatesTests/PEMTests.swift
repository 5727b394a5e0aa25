import Crypto
import Foundation
import HttpConversation
import Testing

@testable import HttpConvCertificates

@Suite(.timeLimit(.minutes(1))) struct PEMTests {
    private let files: TestCertificates

    init() throws { files = try TestCertificates() }

    private static let password = TestCertificates.passphrase

    /// The forms of a key: the command that makes `alice.out` from `alice.key`.
    static let forms = [
        "pkey -in alice.key -out alice.out", "ec -in alice.key -out alice.out",
        "pkcs8 -topk8 -in alice.key -out alice.out -v2 aes-256-cbc -passout",
        "pkcs8 -topk8 -in alice.key -out alice.out -v2 aes-128-cbc -v2prf hmacWithSHA1 -passout",
        "pkcs8 -topk8 -in alice.key -out alice.out -v2 des3 -passout",
        "pkcs8 -topk8 -in alice.key -out alice.out -v1 PBE-SHA1-3DES -passout",
        "ec -in alice.key -out alice.out -aes256 -passout",
    ]

    @Test(arguments: forms) func keyForms(form: String) async throws {
        try await files.make("alice")
        let isEncrypted = form.hasSuffix("-passout")
        try await files.openssl(form, isEncrypted ? ["pass:\(Self.password)"] : [])
        let (certificate, key) = (try files.bytes("alice.pem"), try files.bytes("alice.out"))
        let pair = try ClientIdentity.pem(
            certificates: certificate, key: key, passphrase: isEncrypted ? Self.password : "")
        let one = try ClientIdentity.pem(
            certificates: key + certificate, passphrase: isEncrypted ? Self.password : "")
        #expect(pair.summary.subject == "CN=alice")
        #expect(one.certificates == pair.certificates)
        guard isEncrypted else { return }
        for wrong in ["", "wrong"] {
            #expect(code { try .pem(certificates: certificate, key: key, passphrase: wrong) } == .wrongPassphrase)
        }
    }

    @Test(arguments: ["pkcs8 -topk8 -v2 aes-256-cbc", "ec -aes256"]) func passphraseBeyondASCII(form: String)
        async throws
    {
        try await files.make("alice")
        try await files.openssl("\(form) -in alice.key -out alice.out -passout", ["pass:Schlüssel"])
        let (certificate, key) = (try files.bytes("alice.pem"), try files.bytes("alice.out"))
        let found = code { try .pem(certificates: certificate, key: key, passphrase: "Schlüssel") }
        #expect(found == (form.hasPrefix("ec") ? .unsupportedKey : nil))
    }

    /// No passphrase opens these, so none is asked for. The error names the key's file.
    @Test(arguments: [
        "pkcs8 -topk8 -in alice.key -out alice.out -scrypt -passout",
        "pkcs8 -topk8 -in alice.key -out alice.out -v2 camellia-256-cbc -passout",
        "ec -in alice.key -out alice.out -camellia256 -passout",
    ]) func unsupportedEncryption(form: String) async throws {
        try await files.make("alice")
        try await files.openssl(form, ["pass:\(Self.password)"])
        let (certificate, key) = (
            files.directory.appending(path: "alice.pem"), files.directory.appending(path: "alice.out")
        )
        for passphrase in [Self.password, "wrong", ""] {
            let error = await #expect(throws: CertificateError.self) {
                _ = try await ClientIdentity.file(certificate, format: .pem(key: key), passphrase: passphrase)
            }
            #expect(error?.code == .unsupportedKey)
            #expect(error?.message.hasPrefix("The file \"alice.out\":") == true, "\(error as Any)")
            #expect(error?.message.contains("encrypt it anew") == true)
        }
    }

    /// Each error names the file that it is about.
    @Test func errorsNameTheirFile() async throws {
        try await files.make("alice")
        try await files.openssl(Self.forms[2], ["pass:\(Self.password)"])
        func message(_ certificate: String, _ key: String, _ passphrase: String = "") async -> String {
            let (file, key) = (files.directory.appending(path: certificate), files.directory.appending(path: key))
            do {
                _ = try await ClientIdentity.file(file, format: .pem(key: key), passphrase: passphrase)
                return ""
            } catch { return (error as? CertificateError)?.message ?? "\(error)" }
        }
        #expect(await message("alice.pem", "alice.out", "wrong").hasPrefix("The file \"alice.out\":"))
        #expect(await message("alice.pem", "missing.key").hasPrefix("The file \"missing.key\" cannot be used"))
        #expect(await message("alice.pem", "alice.pem").hasPrefix("The file \"alice.pem\": There is no private key"))
        #expect(await message("missing.pem", "alice.key").hasPrefix("The file \"missing.pem\" cannot be used"))
        #expect(await message("alice.key", "alice.key").hasPrefix("The file \"alice.key\": There is no certificate"))
        #expect(await message("alice.pem", "alice.out", Self.password).isEmpty)
    }

    /// The pin is the digest of the key as the certificate has it, whatever kind of key it is.
    @Test(arguments: ["rsa:1024", "rsa:2048", "ec -pkeyopt ec_paramgen_curve:secp256k1"])
    func pinOfEveryKey(kind: String) async throws {
        try await files.make("alice", kind: kind)
        try await files.openssl("x509 -in alice.pem -outform DER -out alice.der")
        try await files.openssl("x509 -in alice.pem -pubkey -noout -out alice.pub")
        try await files.openssl("pkey -pubin -in alice.pub -outform DER -out public.der")
        let summary = try CertificateSummary(der: files.bytes("alice.der"))
        #expect(summary.publicKeyFingerprint == Array(SHA256.hash(data: try files.bytes("public.der"))))
        #expect(summary.subject == "CN=alice" && summary.notBefore < summary.notAfter)
    }

    @Test(arguments: [
        "rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-384", "ec -pkeyopt ec_paramgen_curve:P-521", "ed25519",
    ]) func kinds(kind: String) async throws {
        try await files.make("alice", kind: kind)
        let identity = try ClientIdentity.pem(
            certificates: files.bytes("alice.pem"), key: files.bytes("alice.key"))
        #expect(identity.summary.subject == "CN=alice")
        #expect(identity.summary.pin.hasPrefix("sha256//"))
    }

    @Test(arguments: ["ed448", "ec -pkeyopt ec_paramgen_curve:secp256k1", "dsa:params.pem"])
    func unsupportedKinds(kind: String) async throws {
        try await files.openssl("dsaparam -out params.pem 1024")
        try await files.make("alice", kind: kind)
        let (certificate, key) = (try files.bytes("alice.pem"), try files.bytes("alice.key"))
        let found = code { try .pem(certificates: certificate, key: key) }
        #expect(found == .unsupportedKey || found == .unreadable, "\(String(describing: found))")
    }

    @Test func keyOfAnotherCertificate() async throws {
        try await files.make("alice")
        try await files.make("bob")
        let (certificate, key) = (try files.bytes("alice.pem"), try files.bytes("bob.key"))
        #expect(code { try .pem(certificates: certificate, key: key) } == .keyMismatch)
        #expect(code { try .pem(certificates: certificate) } == .certificateWithoutKey)
        #expect(code { try .pem(certificates: key) } == .unreadable)
        #expect(code { try .pem(certificates: certificate, key: certificate) } == .unreadable)
    }

    @Test func leafIsFoundByItsKey() async throws {
        try await files.make("alice")
        try await files.make("authority")
        let identity = try ClientIdentity.pem(
            certificates: files.bytes("authority.pem") + files.bytes("alice.pem"), key: files.bytes("alice.key"))
        #expect(identity.summary.subject == "CN=alice")
        #expect(identity.certificates.count == 2)
    }

    /// The file has the certificates before and after a renewal that kept the key.
    @Test(arguments: [["alice", "renewed"], ["renewed", "alice"]])
    func theValidCertificateOfTheKeyCounts(order: [String]) async throws {
        try await files.make("alice")
        try await files.make("authority")
        try await files.openssl("req -x509 -new -key alice.key -out renewed.pem -subj /CN=renewed -days 9")
        let both = try order.flatMap { try files.bytes("\($0).pem") } + files.bytes("authority.pem")
        let key = try files.bytes("alice.key")
        let identity = try ClientIdentity.pem(certificates: both, key: key, now: Date() + 5 * 86_400)
        #expect(identity.summary.subject == "CN=renewed")
        #expect(identity.certificates.count == 2)
        let earlier = try ClientIdentity.pem(certificates: both, key: key)
        #expect(earlier.summary.subject == "CN=\(order[0])")
        #expect(code { try .pem(certificates: both, key: key, now: Date() + 10 * 86_400) } == .expired)
    }

    @Test func byteOrderMark() async throws {
        try await files.make("alice")
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let (certificate, key) = (try files.bytes("alice.pem"), try files.bytes("alice.key"))
        let pair = try ClientIdentity.pem(certificates: mark + certificate, key: mark + key)
        #expect(pair.summary.subject == "CN=alice")
        let one = try ClientIdentity.pem(certificates: mark + key + certificate)
        #expect(one.certificates == pair.certificates)
    }

    @Test func der() async throws {
        try await files.make("alice")
        try await files.openssl("x509 -in alice.pem -outform DER -out alice.der")
        try await files.openssl("pkey -in alice.key -outform DER -out key.der")
        let identity = try ClientIdentity.pem(
            certificates: files.bytes("alice.der"), key: files.bytes("key.der"))
        #expect(identity.summary.subject == "CN=alice")
    }

    @Test func timeOfValidity() async throws {
        try await files.make("alice")
        let (certificate, key) = (try files.bytes("alice.pem"), try files.bytes("alice.key"))
        #expect(code { try .pem(certificates: certificate, key: key, now: Date() + 3 * 86_400) } == .expired)
        #expect(code { try .pem(certificates: certificate, key: key, now: Date() - 86_400) } == .notYetValid)
    }

    @Test func garbage() async throws {
        try await files.make("alice")
        let (certificate, key) = (try files.bytes("alice.pem"), try files.bytes("alice.key"))
        for count in stride(from: 0, to: certificate.count - 30, by: 11) {
            #expect(code { try .pem(certificates: Array(certificate[..<count]), key: key) } != nil)
        }
        for count in stride(from: 0, to: key.count - 30, by: 11) {
            #expect(code { try .pem(certificates: certificate, key: Array(key[..<count])) } != nil)
        }
        let empty = Array("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n".utf8)
        #expect(code { try .pem(certificates: certificate, key: empty) } == .unreadable)
        let encrypted = Array("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n".utf8)
        #expect(code { try .pem(certificates: certificate, key: encrypted, passphrase: "x") } == .unreadable)
        let lines = [UInt8](repeating: 0x0A, count: 1 << 20)
        #expect(code { try .pem(certificates: lines, key: lines) } == .unreadable)
    }
}
