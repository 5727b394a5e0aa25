import Foundation
import Testing

@testable import HttpConvFormats

/// DEFLATE, with data that zlib compressed.
@Suite struct DeflatedTextTests {
    private static let text = (0..<40).map { "<e\($0 * $0 % 97) a='\($0 * 7 % 31)'>" }.joined()
    static let samples: [(String, String)] = [
        (
            "stored",
            "AcwBM/48ZTAgYT0nMCc+PGUxIGE9JzcnPjxlNCBhPScxNCc+PGU5IGE9JzIxJz48ZTE2IGE9JzI4Jz48ZTI1IGE9JzQnPjxl"
                + "MzYgYT0nMTEnPjxlNDkgYT0nMTgnPjxlNjQgYT0nMjUnPjxlODEgYT0nMSc+PGUzIGE9JzgnPjxlMjQgYT0nMTUnPjxlNDcg"
                + "YT0nMjInPjxlNzIgYT0nMjknPjxlMiBhPSc1Jz48ZTMxIGE9JzEyJz48ZTYyIGE9JzE5Jz48ZTk1IGE9JzI2Jz48ZTMzIGE9"
                + "JzInPjxlNzAgYT0nOSc+PGUxMiBhPScxNic+PGU1MyBhPScyMyc+PGU5NiBhPSczMCc+PGU0NCBhPSc2Jz48ZTkxIGE9JzEz"
                + "Jz48ZTQzIGE9JzIwJz48ZTk0IGE9JzI3Jz48ZTUwIGE9JzMnPjxlOCBhPScxMCc+PGU2NSBhPScxNyc+PGUyNyBhPScyNCc+"
                + "PGU4OCBhPScwJz48ZTU0IGE9JzcnPjxlMjIgYT0nMTQnPjxlODkgYT0nMjEnPjxlNjEgYT0nMjgnPjxlMzUgYT0nNCc+PGUx"
                + "MSBhPScxMSc+PGU4NiBhPScxOCc+PGU2NiBhPScyNSc+"
        ),
        (
            "own codes",
            "TZC7DcMwDAVXSefW/IimACe7pPD+KwQ8Ipa7g3R6It957a/ve9u3z3lJ0VHkReKFs1CF+4CzWEcxhnEsKI4uKEGKjuIkG8WK"
                + "OqO/QfADWYsPhSdOIYZ1BEZwLBiTSTRwCO8Q9sKQtjFGG8ZLBjd2d2ZBmf0RireOMnsfChqkoyQ2RjCKYGgvREOZd8fD75JV"
                + "V8v5qDlk1WyrZpFVc8aj5vjX/AM="
        ),
    ]

    private func bytes(_ sample: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: sample))) }

    @Test(arguments: samples) func isReadUpToTheLimit(name: String, sample: String) throws {
        let bytes = try bytes(sample)
        #expect(DeflatedText.start(of: bytes, limit: 10_000) == Array(Self.text.utf8))
        for limit in [0, 1, 100, 300] {
            #expect(DeflatedText.start(of: bytes, limit: limit) == Array(Self.text.utf8.prefix(limit)))
        }
        for count in bytes.indices {
            #expect(Self.text.utf8.starts(with: DeflatedText.start(of: Array(bytes[..<count]), limit: 10_000)))
        }
    }

    private static let page =
        "<form method=post><input name=user><input type=password name=password><button>Log in</button></form>"
    /// The page with the header of gzip, with that of zlib, and without one.
    private static let bodies = [
        "H4sIAAAAAAACAzWMwQ2AIAwAV2EDFiidwCUgVOVB29AS4/bGKM+7Sw52GT108lNq"
            + "UjFHaKzTA+dOaRqNJfxWSprNLhn1y4sQynQXxk2O0BjijxDfOz7DTXZpZAAAAA==",
        "eNo1jMENgCAMAFdhAxYoncAlIFTlQdvQEuP2xijPu0sOdhk9dPJTalIx"
            + "R2is0wPnTmkajSX8VkqazS4Z9cuLEMp0F8ZNjtAY4o8Q3zs+guYluA==",
        "NYzBDYAgDABXYQMWKJ3AJSBU5UHb0BLj9sYoz7tLDnYZPXTyU2pS"
            + "MUdorNMD505pGo0l/FZKms0uGfXLixDKdBfGTY7QGOKPEN87Pg==",
    ]

    @Test(arguments: bodies) func aBodyIsRead(sample: String) throws {
        let bytes = try bytes(sample)
        #expect(DeflatedText.start(ofBody: bytes, limit: 1000) == Array(Self.page.utf8))
        for count in bytes.indices {
            #expect(Self.page.utf8.starts(with: DeflatedText.start(ofBody: Array(bytes[..<count]), limit: 50)))
        }
    }

    @Test func anyBytesAreSafe() throws {
        var generator = SystemRandomNumberGenerator()
        for (_, sample) in Self.samples {
            let bytes = try bytes(sample)
            for _ in 0..<300 {
                var damaged = bytes
                for _ in 0..<3 {
                    damaged[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
                        in: 0...255, using: &generator)
                }
                #expect(DeflatedText.start(of: damaged, limit: 1000).count <= 1000)
                #expect(DeflatedText.start(ofBody: damaged, limit: 1000).count <= 1000)
            }
        }
    }
}
