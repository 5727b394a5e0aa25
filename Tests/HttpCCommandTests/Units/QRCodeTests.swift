import Testing

@testable import QRCodes

/// QR codes, read back by a third party's decoder.
@Suite(.timeLimit(.minutes(1))) struct QRCodeTests {
    private func decode(_ code: QRCode) async throws -> String {
        let zone = Array(repeating: false, count: 4)
        let empty = Array(repeating: Array(repeating: false, count: code.size + 8), count: 4)
        return try await Scanner.read(empty + code.modules.map { zone + $0 + zone } + empty)
    }

    @Test(arguments: QRVersion.numbers, [QRCode.Correction.low, .medium])
    func everyVersionIsRead(number: Int, correction: QRCode.Correction) async throws {
        let version = QRVersion(number: number, correction: correction)
        // A text that fills the code to the last byte is the hardest case for padding, block sizes and the length
        // field.
        let start = "https://idp.example.com/device?user_code="
        let text = String((start + String(repeating: "WDJB-MJHT-7", count: 30)).prefix(version.capacity))
        #expect(text.utf8.count == version.capacity)
        #expect(try await decode(QRCode(Array(text.utf8), version)) == text)
    }

    @Test(arguments: ["a", "https://example.com/device?user_code=WDJB-MJHT"])
    func shortTextsAreRead(text: String) async throws {
        #expect(try await decode(#require(QRCode(text))) == text)
    }

    /// The capacities are in table 7 of ISO/IEC 18004.
    @Test(arguments: [(1, 17, 14), (2, 32, 26), (5, 106, 84), (7, 154, 122), (9, 230, 180), (10, 271, 213)])
    func capacities(number: Int, low: Int, medium: Int) {
        #expect(QRVersion(number: number, correction: .low).capacity == low)
        #expect(QRVersion(number: number, correction: .medium).capacity == medium)
    }

    @Test func takesTheSmallestVersionAndTheStrongerCorrection() throws {
        #expect(try #require(QRCode("12345678901234")).size == 21)
        #expect(try #require(QRCode(String(repeating: "x", count: 17))).size == 21)
        #expect(try #require(QRCode(String(repeating: "x", count: 18))).size == 25)
        #expect(QRCode(String(repeating: "x", count: 271)) != nil)
        #expect(QRCode(String(repeating: "x", count: 272)) == nil)
    }

    /// A character has two modules, and four light ones surround the code.
    @Test func linesHaveAQuietZone() throws {
        let code = try #require(QRCode("a"))
        let lines = QRText(code, isColoured: false).lines
        #expect(lines.count == 15)
        #expect(lines.allSatisfy { $0.count == 29 })
        #expect(lines.prefix(2).allSatisfy { $0.allSatisfy { $0 == "█" } })
        #expect(lines[2].dropFirst(4).hasPrefix(" ▄▄▄▄▄ "), "a corner mark, light on dark")
        #expect(QRText(code, isColoured: true).lines[2].contains("█▀▀▀▀▀█"))
    }

    /// In a terminal without Unicode a module takes two characters.
    @Test func linesOfASCII() async throws {
        let code = try #require(QRCode("https://example.com/device?user_code=WDJB-MJHT"))
        let text = QRText(code, isColoured: false, isUnicode: false)
        #expect(text.lines.count == text.height && text.lines.allSatisfy { $0.utf8.count == text.width })
        #expect(text.lines.allSatisfy { $0.allSatisfy { "# ".contains($0) } })
        let modules = text.lines.map { line in
            stride(from: 0, to: text.width, by: 2).map { Array(line.utf8)[$0] == 0x20 }
        }
        #expect(try await Scanner.read(modules) == "https://example.com/device?user_code=WDJB-MJHT")
        let coloured = QRText(code, isColoured: true, isUnicode: false).lines
        #expect(coloured.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } && $0.hasSuffix("\u{1B}[0m") })
        #expect(coloured[4].contains("\u{1B}[40m  "))
    }
}
