import Foundation
import HttpConversation
import struct X509.Certificate

@testable import HttpConvCertificates
@testable import HttpConvFiles
@testable import HttpConvVault
@testable import HttpConvWebStrategies

/// Files of earlier processes, names and secrets that people type, and certificates that servers issue.
let stateTargets: [FuzzTarget] = [
    FuzzTarget("state", state), FuzzTarget("names", names), FuzzTarget("issued", issued),
]

/// A file of an earlier process: of a vault's passcode, or of a download.
private func state(_ bytes: [UInt8]) throws {
    if case .slot(let slot)? = try? PasscodeSlot.read(bytes) {
        guard case .slot(let again)? = try PasscodeSlot.read(try slot.encoded) else {
            throw BrokenProperty("a slot that is written is read back")
        }
        try require(again == slot, "a slot that is written is read back as it is")
        // A slot with a passcode may take as long as the limits of its cost allow.
        if !slot.hasPasscode { _ = try? slot.key(passcode: nil) }
    }
    if let tries = PasscodeTries.read(bytes) { try count(tries) }
    if let record = try? JSONDecoder().decode(PartialRecord.self, from: Data(bytes)) { try part(of: record) }
    if let token = try? JSONDecoder().decode(DownloadToken.self, from: Data(bytes)) {
        let written = try JSONEncoder().encode(token)
        try requireEqual(
            try JSONDecoder().decode(DownloadToken.self, from: written), token, "a token that is written is read back")
        try require(!token.description.hasControls, "what is shown has no control characters")
        try require((1...token.total).contains(token.length), "a part is a part")
        try part(of: token.record)
    }
}

private func count(_ before: PasscodeTries) throws {
    let written = [UInt8](try JSONEncoder().encode(before))
    try require(PasscodeTries.read(written) == before, "a count that is written is read back")
    var tries = before
    try require((tries.left ?? 0) >= 0, "no fewer tries than none are left")
    tries.count()
    try require(before.left.map { left in tries.left == max(left - 1, 0) } ?? true, "a try counts")
    tries.uncount()
    tries.adopt(tries.policy)
    tries.markForWipe()
    try require(tries.mustWipe, "a wipe that has begun is finished")
}

private func part(of record: PartialRecord) throws {
    guard let path = record.partPath(beside: "/downloads/file.iso") else { return }
    try require(path.utf8.starts(with: "/downloads/file.iso.".utf8), "a part is beside its target")
    try require(!path.utf8.dropFirst(11).contains(UInt8(ascii: "/")), "a part is beside its target")
}

/// The name of a certificate on a token, and the secret of one-time codes.
private func names(_ bytes: [UInt8]) throws {
    do {
        let uri = try PKCS11URI(bytes.text)
        try require(!uri.description.hasControls, "what is shown has no control characters")
    } catch let error as CertificateError {
        try require(!error.message.hasControls, "what is shown has no control characters")
    }
    if let secret = try? TOTPSecret(base32: bytes.text) {
        let code = secret.code(counter: 1)
        try require(code.utf8.count == 6 && code.utf8.allSatisfy { $0 &- 0x30 < 10 }, "a code has six digits")
    }
}

/// An enrolment server's answer in PEM: the first certificate and those that lead to its authority, the last of all.
private func issued(_ bytes: [UInt8]) throws {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let read = PEMText.blocks(bytes).prefix(8).compactMap { try? Certificate(derEncoded: $0.bytes) }
    if let leaf = PEMText.blocks(bytes).first?.bytes, let request = try? CertificateRequest(renewing: leaf) {
        try completed {
            _ = try await request.identity(from: bytes, authorities: bytes, now: now)
            throw BrokenProperty("a certificate for another key is no answer")
        }
    }
    if let root = read.last { try completed { _ = await IssuedChain.leads(Array(read), to: [root], at: now) } }
}
