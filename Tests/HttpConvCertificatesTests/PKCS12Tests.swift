import Foundation
import HttpConversation
import TestSupport
import Testing

@testable import HttpConvCertificates

@Suite(.timeLimit(.minutes(1))) struct PKCS12Tests {
    private let files: TestCertificates

    init() throws { files = try TestCertificates() }

    private static let password = TestCertificates.passphrase

    /// The forms that programs write, or used to write.
    static let forms = [
        "", "-legacy", "-nomac", "-keypbe AES-256-CBC -certpbe AES-256-CBC -macalg sha512",
        "-keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1", "-keypbe NONE -certpbe NONE", "-certpbe NONE",
        "-macalg sha384",
    ]

    @Test(arguments: forms, ["ec -pkeyopt ec_paramgen_curve:P-256", "rsa:2048"])
    func opens(form: String, kind: String) async throws {
        try await files.make("alice", kind: kind)
        try await files.make("other")
        try await files.openssl(
            "pkcs12 -export -in alice.pem -inkey alice.key -certfile other.pem -out alice.p12 \(form) -passout",
            ["pass:\(Self.password)"])
        let identity = try ClientIdentity.pkcs12(files.bytes("alice.p12"), passphrase: Self.password)
        #expect(identity.summary.subject == "CN=alice")
        #expect(identity.certificates.count == 2)
        #expect(identity.summary.fingerprint.count == 32)
        #expect(!"\(identity)".contains("privateKey"))
        let reference = try ClientIdentity.pem(
            certificates: files.bytes("alice.pem"), key: files.bytes("alice.key"))
        #expect(identity.certificates[0] == reference.certificates[0])
    }

    @Test(arguments: forms.filter { !$0.contains("NONE") }) func wrongPassphrase(form: String) async throws {
        try await files.make("alice")
        try await files.openssl(
            "pkcs12 -export -in alice.pem -inkey alice.key -out alice.p12 \(form) -passout", ["pass:\(Self.password)"])
        let bytes = try files.bytes("alice.p12")
        for wrong in ["", "wrong", Self.password + " "] {
            #expect(code { try .pkcs12(bytes, passphrase: wrong) } == .wrongPassphrase, "\(wrong)")
        }
    }

    @Test(arguments: ["", "Schlüssel 🗝️"]) func unusualPassphrase(passphrase: String) async throws {
        try await files.make("alice")
        try await files.openssl(
            "pkcs12 -export -in alice.pem -inkey alice.key -out alice.p12 -passout", ["pass:\(passphrase)"])
        let identity = try ClientIdentity.pkcs12(files.bytes("alice.p12"), passphrase: passphrase)
        #expect(identity.summary.subject == "CN=alice")
    }

    /// NIOSSL treats a passphrase's bytes as signed, and ends the process.
    @Test func legacyPassphraseBeyondASCII() async throws {
        try await files.make("alice")
        try await files.openssl(
            "pkcs12 -export -legacy -in alice.pem -inkey alice.key -out alice.p12 -passout", ["pass:Schlüssel"])
        let bytes = try files.bytes("alice.p12")
        #expect(code { try .pkcs12(bytes, passphrase: "Schlüssel") } == .unsupportedKey)
    }

    /// NIOSSL ends the process on these files.
    @Test(arguments: ["", "-legacy"]) func withoutKey(form: String) async throws {
        try await files.make("alice")
        try await files.openssl(
            "pkcs12 -export -nokeys -in alice.pem -out alice.p12 \(form) -passout", ["pass:\(Self.password)"])
        let bytes = try files.bytes("alice.p12")
        #expect(code { try .pkcs12(bytes, passphrase: Self.password) } == .certificateWithoutKey)
    }

    @Test(arguments: ["", "-legacy"]) func withoutCertificate(form: String) async throws {
        try await files.make("alice")
        try await files.openssl(
            "pkcs12 -export -nocerts -inkey alice.key -in alice.key -out alice.p12 \(form) -passout",
            ["pass:\(Self.password)"])
        let bytes = try files.bytes("alice.p12")
        #expect(code { try .pkcs12(bytes, passphrase: Self.password) } == .unreadable)
    }

    @Test func everyTruncationAndDamage() async throws {
        try await files.make("alice")
        try await files.openssl(
            "pkcs12 -export -in alice.pem -inkey alice.key -out alice.p12 -iter 1 -macalg sha1 -passout",
            ["pass:\(Self.password)"])
        let bytes = try files.bytes("alice.p12")
        for count in 0..<bytes.count {
            #expect(code { try .pkcs12(Array(bytes[..<count]), passphrase: Self.password) } != nil)
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x55
            // Some bytes do not matter, but none may end the process.
            _ = code { try .pkcs12(damaged, passphrase: Self.password) }
        }
        #expect(code { try .pkcs12(Array("no PKCS#12".utf8), passphrase: "") } == .unreadable)
        #expect(code { try .pkcs12([UInt8](repeating: 0x30, count: 1 << 20), passphrase: "") } == .unreadable)
    }

    /// The MAC of a file may ask for an excessive number of rounds.
    @Test func excessiveIterations() async throws {
        try await files.make("alice")
        try await files.openssl(
            "pkcs12 -export -in alice.pem -inkey alice.key -out alice.p12 -iter 100000 -passout",
            ["pass:\(Self.password)"])
        var bytes = try files.bytes("alice.p12")
        let original = bytes
        let usual = ThreadTime.measure { #expect(code { try .pkcs12(original, passphrase: Self.password) } == nil) }
        // The hundred thousand rounds become eight million.
        let rounds = bytes.indices.dropLast(4).filter { Array(bytes[$0..<($0 + 5)]) == [0x02, 0x03, 0x01, 0x86, 0xA0] }
        try #require(!rounds.isEmpty)
        for index in rounds { bytes[index + 2] = 0x7F }
        let damaged = bytes
        let elapsed = ThreadTime.measure {
            #expect(code { try .pkcs12(damaged, passphrase: Self.password) } == .unreadable)
        }
        #expect(elapsed < usual)
    }
}
