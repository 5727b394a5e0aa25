import Foundation
import HttpConvPlatform
import Testing

/// Normalization form C, beside Foundation's.
@Suite struct ComposedTextTests {
    @Test(arguments: [
        "", "abc", "e\u{301}", "\u{1100}\u{1161}\u{11A8}", "A\u{30A}\u{323}", "\u{212B}", "q\u{307}\u{323}", "ﬁ", "👩‍💻",
    ])
    func known(text: String) {
        #expect(Array(text.canonicallyComposed.utf8) == Array(text.precomposedStringWithCanonicalMapping.utf8))
    }

    @Test func eachScalarBeforeAnAccent() {
        var differences: [UInt32] = []
        for value in UInt32(0)...0x3FFFF {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else { continue }
            let text = "a" + String(scalar) + "\u{301}"
            if Array(text.canonicallyComposed.utf8) != Array(text.precomposedStringWithCanonicalMapping.utf8) {
                differences.append(value)
            }
        }
        #expect(differences.isEmpty, "\(differences.prefix(20))")
    }
}
