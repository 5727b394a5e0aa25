import Foundation
import TestSupport
import Testing

@testable import HttpConvFormats

@Suite struct JSONDocumentTests {
    @Test(arguments: [
        "{}", "[]", "0", "-0.5e+10", "\"\"", "true", "null", " { \"a\" : [ 1 , { \"b\" : null } ] } ",
        "\"\\u00e9\\ud83d\\ude00\\n\\/\"", "{\"a\":{\"a\":{\"a\":[[[]]]}}}",
    ])
    func readsLikeFoundation(_ text: String) throws {
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        _ = try JSONDocument(Array(text.utf8))
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "01", "1.", ".5", "1e", "+1", "nul", "truee", "\"",
        "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\u{1}\"", "[1 2]", "{\"a\":1,}", "{} {}", "[1}",
        "\"\\ud800\\u0041\"", "-", "NaN", "\"a\nb\"",
    ])
    func refusesInvalidJSON(_ text: String) {
        #expect(throws: FormatFailure.self) { try JSONDocument(Array(text.utf8)) }
    }

    /// RFC 8259 §8.1 allows readers to ignore one.
    @Test func aByteOrderMarkIsIgnored() throws {
        #expect(try JSONDocument(Array("\u{FEFF} {\"a\":1}".utf8)).root["a"]?.integer == 1)
        for text in ["\u{FEFF}", "\u{FEFF}\u{FEFF}{}", "{\u{FEFF}}", " \u{FEFF}{}"] {
            #expect(throws: FormatFailure.self) { try JSONDocument(Array(text.utf8)) }
        }
    }

    @Test func escapesAreDecoded() throws {
        let document = try JSONDocument(Array(#"{"a":"\u00e9\ud83d\ude00\"\\\n","b":"日本"}"#.utf8))
        #expect(document.root["a"]?.text == "é😀\"\\\n")
        #expect(document.root["b"]?.text == "日本")
        #expect(document.root["c"] == nil)
    }

    @Test func membersOfALargeObjectAreFoundInAnyOrder() throws {
        let members = (0..<500).map { #""n\u00e4\#($0)":\#($0)"# } + [#""n1":-1"#, #""n1":-2"#]
        let document = try JSONDocument(Array("{\(members.joined(separator: ","))}".utf8))
        for number in (0..<500).reversed() { #expect(document.root["nä\(number)"]?.integer == Int64(number)) }
        #expect(document.root["n1"]?.integer == -1)
        #expect(document.root["n2"] == nil)
    }

    /// Each element is an object of its own. Its look-ups come between those of the outer object.
    @Test func lookUpsAreLinear() async throws {
        struct Inner: Decodable { let a: Int }
        func seconds(_ count: Int) async throws -> Double {
            let members = (0..<count).map { "\"n\($0)\":{\"a\":1}" }
            let document = try JSONDocument(Array("{\(members.joined(separator: ","))}".utf8))
            var shortest = Double.infinity
            for _ in 0..<3 {
                await Task.yield()
                var values: [String: Inner] = [:]
                let time = try ThreadTime.measure {
                    values = try DocumentDecoder.decode([String: Inner].self, from: document.root)
                }
                #expect(values.count == count)
                shortest = min(shortest, time / .seconds(1))
            }
            return shortest
        }
        // 8 if it grows as the number does, 64 if it grows with its square.
        let ratio = try await seconds(16000) / seconds(2000)
        #expect(ratio < 24, "\(ratio)")
    }

    @Test func textsThatAreNotUTF8AreRefused() throws {
        let document = try JSONDocument([0x22, 0xC3, 0x28, 0x22])
        #expect(throws: FormatFailure.self) { try document.text(of: 0) }
        #expect(document.root.text == nil)
    }

    @Test func depthAndNumberAreBounded() {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: FormatFailure.self) { try JSONDocument(deep) }
        let wide = Array("[\(String(repeating: "0,", count: 300_000))0]".utf8)
        #expect(throws: FormatFailure.self) { try JSONDocument(wide) }
    }

    @Test func membersAreFoundInAnyOrder() throws {
        let document = try JSONDocument(Array(#"{"a":1,"b":{"a":2,"c":3},"\u0063":4}"#.utf8))
        for _ in 0..<2 {
            #expect(document.root["c"]?.integer == 4)
            #expect(document.root["a"]?.integer == 1)
            #expect(document.root["b"]?["c"]?.integer == 3)
            #expect(document.root["b"]?["a"]?.integer == 2)
            #expect(document.root["b"]?["b"] == nil)
        }
    }
}
