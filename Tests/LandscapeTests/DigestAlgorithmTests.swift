import Testing

@testable import Landscape

@Suite struct DigestAlgorithmTests {
    /// Checks each algorithm with the examples of RFC 1321 appendix A.5 and FIPS 180-4.
    @Test(arguments: [
        (DigestAlgorithm.md5, "900150983cd24fb0d6963f7d28e17f72"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (.sha512t256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ])
    func matchesPublishedVectors(algorithm: DigestAlgorithm, hash: String) {
        #expect(algorithm.hex("abc") == hash)
    }
}
