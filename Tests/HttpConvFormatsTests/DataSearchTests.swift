import HttpConvPlatform
import Testing

@Suite struct DataSearchTests {
    @Test(arguments: [
        ("abcabc", "bc", 1 as Int?), ("abc", "abc", 0), ("abc", "abcd", nil), ("abc", "", nil), ("", "a", nil),
        ("", "", nil),
        ("aab", "ab", 1),
    ])
    func places(text: String, part: String, place: Int?) {
        let found = Data(text.utf8).place(of: Data(part.utf8))
        #expect(found == place.map { $0..<($0 + part.utf8.count) })
        // Indices of a slice count from its base.
        #expect(Data("xx\(text)".utf8)[2...].place(of: Data(part.utf8))?.lowerBound == place.map { $0 + 2 })
    }
}
