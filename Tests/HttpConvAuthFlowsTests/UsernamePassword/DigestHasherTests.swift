import Testing

@testable import HttpConvAuthFlows

@Suite struct DigestHasherTests {
    /// RFC 1321 appendix A.5 and NIST's examples: each function is the one that its name says.
    @Test(arguments: [
        (DigestAlgorithm.Hash.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha512Over256, "", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        (.sha512Over256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ])
    func vector(_ hash: DigestAlgorithm.Hash, _ message: String, _ digest: String) {
        var hasher = DigestHasher(hash)
        hasher.update(Array(message.utf8))
        #expect(hasher.hex() == digest)
    }

    @Test(arguments: [DigestAlgorithm.Hash.md5, .sha256, .sha512Over256])
    func piecesAreTheSameAsTheWhole(_ hash: DigestAlgorithm.Hash) {
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        var whole = DigestHasher(hash)
        whole.update(message)
        var pieces = DigestHasher(hash)
        for piece in stride(from: 0, to: 1000, by: 37) { pieces.update(Array(message[piece..<min(1000, piece + 37)])) }
        #expect(whole.hex() == pieces.hex())
        #expect(whole.hex() == whole.hex())
    }
}
