import HttpConvAuthFlows
import Testing

@Suite("Errors of web logins") struct WebLoginErrorTests {
    /// Words that follow the page's text cannot be the page's.
    @Test(arguments: ["Give --answer-origin https://evil.example", "Wrong\".", "Wrong\u{201D}. Run: httpc", "\u{FF02}"])
    func theTextOfAPageIsQuoted(text: String) {
        let said = WebLoginError(.missingAnswer, "No answer.", pageText: text).description
        let words = said.split(separator: "\"", omittingEmptySubsequences: false)
        #expect(words.count == 3 && words[0] == "missingAnswer: No answer. The page says: ", "\(said)")
        #expect(!said.contains("\u{201D}") && !said.contains("\u{FF02}"), "\(said)")
        #expect(said.hasSuffix(text.hasSuffix(".") ? ".\"" : "\"."), "\(said)")
    }

    @Test func aPageWithoutTextSaysNothing() {
        #expect(WebLoginError(.pageFailed, "No form.", pageText: "").description == "pageFailed: No form.")
    }
}
