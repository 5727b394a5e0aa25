import Foundation
import HttpConversation
import TestSupport
import Testing

@testable import HttpConvCertificates

/// Hostile files: each ends in a typed error, with little more work than the allowed maximum. `scripts/attacks`
/// measures the memory that they cost.
@Suite(.timeLimit(.minutes(2))) struct HostileFileTests {
    private let files: TestCertificates

    init() throws { files = try TestCertificates() }

    private static let password = TestCertificates.passphrase

    /// Six times the cost of the most expensive file that ordinary programs write. The allowed maximum costs less than
    /// twice that file; the rest is for a machine whose speed changes.
    private static let limit = Task {
        let files = try TestCertificates()
        try await files.make("alice")
        try await files.openssl(
            "pkcs12 -export -in alice.pem -inkey alice.key -out alice.p12 -iter 600000 -passout", ["pass:\(password)"])
        let bytes = try files.bytes("alice.p12")
        return try ThreadTime.measure { _ = try ClientIdentity.pkcs12(bytes, passphrase: password) } * 6
    }

    /// Each part alone is within the limit, but MAC, certificates and key together are not.
    @Test(arguments: [
        ("-iter 1100000", "seal and certificates"), ("-legacy -nomac -iter 1400000", "the older way"),
        ("-nomac -iter 2000000", "certificates and key"),
    ]) func workIsCountedOverTheWholeFile(options: String, what: String) async throws {
        try await files.make("alice")
        try await files.openssl(
            "pkcs12 -export -in alice.pem -inkey alice.key -out alice.p12 \(options) -passout",
            ["pass:\(Self.password)"])
        let bytes = try files.bytes("alice.p12")
        let elapsed = ThreadTime.measure {
            #expect(code { try .pkcs12(bytes, passphrase: Self.password) } == .unreadable)
        }
        #expect(try await elapsed < Self.limit.value, "\(what)")
    }

    @Test(arguments: ["-v2 aes-256-cbc -iter 4000000", "-v1 PBE-SHA1-3DES -iter 2000000"])
    func aKeyMayNotAskForDays(options: String) async throws {
        try await files.make("alice")
        try await files.openssl(
            "pkcs8 -topk8 -in alice.key -out slow.key \(options) -passout", ["pass:\(Self.password)"])
        let (certificate, key) = (try files.bytes("alice.pem"), try files.bytes("slow.key"))
        let elapsed = ThreadTime.measure {
            #expect(
                code { try .pem(certificates: certificate, key: key, passphrase: Self.password) } == .unreadable)
            #expect { try ClientIdentity.PrivateKey.pem(key, passphrase: Self.password) } throws: {
                ($0 as? CertificateError)?.code == .unreadable
            }
        }
        #expect(try await elapsed < Self.limit.value)
    }

    /// Up to the size limit in lines, header lines and objects, and beyond it.
    @Test(arguments: [
        ("header lines", "X: y\n"), ("empty lines", "\n"), ("header text", "X: yyyyyyyy"), ("short lines", "A\n"),
        ("beginnings", "-----BEGIN CERTIFICATE-----\n"), ("ends", "-----END CERTIFICATE-----\n"),
        ("objects", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"),
    ]) func longTexts(what: String, piece: String) async throws {
        for size in [255 << 10, 8 << 20] {
            let text = String(repeating: piece, count: (size - 100) / piece.utf8.count)
            for label in ["CERTIFICATE", "ENCRYPTED PRIVATE KEY"] {
                let file = Array("-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n".utf8)
                let elapsed = ThreadTime.measure {
                    #expect(code { try .pem(certificates: file, passphrase: "x") } != nil, "\(what)")
                    #expect(throws: CertificateError.self) { try ClientIdentity.PrivateKey.pem(file, passphrase: "x") }
                }
                #expect(try await elapsed < Self.limit.value, "\(what)")
            }
        }
    }

    /// Excessive depth, breadth and lengths of encodings.
    @Test(arguments: [
        ("deep", [UInt8](repeating: 0x30, count: 1 << 20)),
        ("deep without lengths", Array(repeatElement([UInt8]([0x30, 0x80]), count: 60_000).joined())),
        ("broad", [0x30, 0x83, 0x0F, 0xFF, 0xF0] + Array(repeatElement([UInt8]([5, 0]), count: 524_280).joined())),
        ("a length of all", [0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8)),
        (
            "a broad one within the limit",
            [0x30, 0x83, 0x01, 0xFF, 0x00] + Array(repeatElement([UInt8]([5, 0]), count: 65_408).joined())
        ),
    ]) func encodings(what: String, bytes: [UInt8]) async throws {
        let elapsed = ThreadTime.measure {
            #expect(code { try .pkcs12(bytes, passphrase: "x") } == .unreadable, "\(what)")
            #expect(code { try .pem(certificates: bytes) } != nil, "\(what)")
            #expect(code { try .pem(certificates: bytes, key: bytes) } != nil, "\(what)")
        }
        #expect(try await elapsed < Self.limit.value, "\(what)")
    }

    @Test func workThatUsesUpTheBudgetExactlyIsTheLast() throws {
        var work = KeyDerivations()
        try work.take(KeyDerivations.maximum)
        #expect(throws: CertificateError.self) { try work.take(1) }
        #expect(throws: CertificateError.self) { try work.take(0) }
        #expect(throws: CertificateError.self) { try work.take(.min) }
    }

    @Test func manyCertificatesOfOneClient() async throws {
        try await files.make("alice")
        let (certificate, key) = (try files.bytes("alice.pem"), try files.bytes("alice.key"))
        let many = Array(repeatElement(certificate, count: 60).joined())
        #expect(code { try .pem(certificates: many, key: key) } == .unreadable)
        #expect(code { try .pem(certificates: Array(many.prefix(certificate.count * 9)), key: key) } == nil)
    }
}
