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

    /// Foundation is wrong for some letters of Tibetan and beyond the first 65,536 characters, such as U+10041.
    @Test func eachScalarBeforeAnAccent() {
        var differences: [UInt32] = []
        for range in [UInt32(0)...0x8FF, 0x1E00...0x1FFF, 0xAC00...0xD7A3] {
            for scalar in range.compactMap(Unicode.Scalar.init) where scalar.properties.generalCategory != .unassigned {
                let text = "a" + String(scalar) + "\u{301}"
                if Array(text.canonicallyComposed.utf8) != Array(text.precomposedStringWithCanonicalMapping.utf8) {
                    differences.append(scalar.value)
                }
            }
        }
        #expect(differences.isEmpty, "\(differences.prefix(20))")
        #expect(Array("\u{10041}\u{301}".canonicallyComposed.unicodeScalars) == ["\u{10041}", "\u{301}"])
    }
}
