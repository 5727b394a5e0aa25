import Testing

@testable import Landscape

@Suite struct SHA512t256Tests {
    // The examples of FIPS 180-4 and lengths around the block size, computed by OpenSSL.
    @Test(arguments: [
        ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ])
    func matchesPublishedVectors(text: String, hash: String) {
        #expect(Hex.string(SHA512t256.hash(Array(text.utf8))) == hash)
    }
}
