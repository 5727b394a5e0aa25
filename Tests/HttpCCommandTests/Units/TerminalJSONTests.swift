import Foundation
import HttpConvLogon
import MobileServices
import Testing

@testable import HttpCTerminal

@Suite struct TerminalJSONTests {
    private static let text = "a\u{1B}]0;\u{7}\u{9B}31m\u{202E}\u{2066}\u{85}\u{2028}\"\\\n日本"

    private func check(_ json: String) {
        let steering: ClosedRange<Unicode.Scalar> = "\u{7F}"..."\u{9F}"
        #expect(
            !json.unicodeScalars.contains { steering.contains($0) || $0 == "\u{1B}" || $0 == "\u{202E}" }, "\(json)")
        #expect(!json.unicodeScalars.contains { $0 == "\u{2066}" || $0 == "\u{2028}" }, "\(json)")
    }

    @Test func textsComeBackAndSteerNothing() throws {
        let quoted = TerminalJSON.quoted(Self.text)
        check(quoted)
        #expect(try JSONDecoder().decode(String.self, from: Data(quoted.utf8)) == Self.text)
        for json in [
            TerminalJSON.line(["k\u{9B}": Self.text]),
            TerminalJSON.laidOut(["k\u{9B}": Self.text]),
        ] {
            check(json)
            #expect(try JSONDecoder().decode([String: String].self, from: Data(json.utf8)) == ["k\u{9B}": Self.text])
        }
    }
}
