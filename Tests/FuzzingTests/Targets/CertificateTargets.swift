import Foundation
import HttpConversation
import SwiftASN1

@testable import HttpConvCertificates

/// Files with certificates and keys.
let certificateTargets: [FuzzTarget] = [
    FuzzTarget("pkcs12", pkcs12), FuzzTarget("pem", pem), FuzzTarget("ber", ber),
]

private let now = Date(timeIntervalSince1970: 1_800_000_000)

private func pkcs12(_ bytes: [UInt8]) throws {
    for passphrase in ["secret", ""] {
        if let identity = try? ClientIdentity.pkcs12(bytes, passphrase: passphrase, now: now) {
            try require(!identity.certificates.isEmpty, "an identity has a certificate")
        }
    }
}

private func pem(_ bytes: [UInt8]) throws {
    let blocks = PEMText.blocks(bytes)
    try require(blocks.reduce(0) { $0 + $1.bytes.count } <= bytes.count, "blocks do not overlap")
    let written = blocks.filter { !$0.bytes.isEmpty && !$0.label.contains { $0.isNewline } }
    let text = written.map { PEMText.encode($0.bytes, $0.label) }.joined()
    try require(
        PEMText.blocks(Array(text.utf8)).map(\.bytes) == written.map(\.bytes), "blocks that are written are read back")
    _ = try? ClientIdentity.pem(certificates: bytes, passphrase: "secret", now: now)
    _ = try? ClientIdentity.PrivateKey.pem(bytes, passphrase: "secret")
}

private func ber(_ bytes: [UInt8]) throws {
    _ = try? CertificateSummary(der: bytes)
    guard let reader = try? BERReader(sequence: bytes) else { return }
    var nodes = reader
    var count = 0
    while let node = nodes.next() {
        count += 1
        if let octets = try? BERReader.octets(node) {
            try require(octets.count <= bytes.count, "octets are of the input")
        }
        _ = try? BERReader(node)
        _ = try? ASN1ObjectIdentifier(berEncoded: node)
        _ = try? Int(berEncoded: node)
        _ = try? PBES2(node)
    }
    try require(count <= bytes.count, "an element takes a byte")
    _ = try? PKCS12File(bytes)
    _ = try? PKCS12File.safe(bytes)
    if let file = try? PKCS12File(bytes) {
        var work = KeyDerivations()
        for encrypted in file.encryptedSafes + file.safe.encryptedKeys { try? work.take(for: encrypted.algorithm) }
    }
}
