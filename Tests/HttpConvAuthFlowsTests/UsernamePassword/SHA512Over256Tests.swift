import Testing

@testable import HttpConvAuthFlows

@Suite("SHA-512/256")
struct SHA512Over256Tests {
    /// The examples of NIST's publication for SHA-512/256, then lengths around the block's edges (from OpenSSL).
    @Test(arguments: [
        ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
                + "nopqrstu",
            "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
        ),
        (String(repeating: "a", count: 1_000_000), "9a59a052930187a97038cae692f30708aa6491923ef5194394dc68d56c74fb21"),
        (String(repeating: "x", count: 111), "79a6132b3c9df0f7dfcb5c9c3c663d829a6e7f1c26440afa4eb49cfef669c8ea"),
        (String(repeating: "x", count: 112), "5349e8f46fcc4e650fe93ee6cd1459ff00c27733cc6f86c1925ceef63bece149"),
        (String(repeating: "x", count: 127), "fdd3cc6eb81f7da2e82bce47b75ef26f881d7118e9d968baaefea61764d70a42"),
        (String(repeating: "x", count: 128), "6c0dfa95c650de7bb33dedd62fe0b0363f5deec77c582a216c7e33253f59a518"),
        (String(repeating: "x", count: 129), "32bfe612284b067af66790fc1f422108b4bcd670b698de913465b3e75a5c0078"),
        (String(repeating: "x", count: 240), "d26144396797444999c7cc520210ea92966e88ef1ff227009889ae5c081adf45"),
    ])
    func vector(_ message: String, _ digest: String) {
        var hash = SHA512Over256()
        hash.update(message.utf8)
        #expect(Hexadecimal.text(hash.finalized()) == digest)
    }

    @Test func piecesAreTheSameAsTheWhole() {
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        var whole = SHA512Over256()
        whole.update(message)
        var pieces = SHA512Over256()
        for piece in stride(from: 0, to: 1000, by: 37) { pieces.update(message[piece..<min(1000, piece + 37)]) }
        #expect(whole.finalized() == pieces.finalized())
        #expect(whole.finalized() == whole.finalized())
    }
}
