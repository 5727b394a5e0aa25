import Foundation
import HTTPTypes
import HttpConversation
import Testing

extension [UInt8] {
    fileprivate var base64Text: String { Data(self).base64EncodedString() }
}

/// Texts of a peer that repeat what it got (security rule S20).
@Suite struct KnownSecretsTests {
    @Test(arguments: [
        ("no p/w + ü!", "no …!"), ("no p%2fw+%2B+%C3%BC!", "no …!"), ("no p%2Fw%20+%20%c3%bc!", "no …!"),
        ("no p/w \n\t + ü\u{301}", "no …\u{301}"), ("\u{200D}p/w + ü\u{200D}", "\u{200D}…\u{200D}"),
        ("cC93ICArICDDvA==", "…=="), ("nothing", "nothing"), ("p/w", "p/w"), ("p/w + ", "p/w + "), ("%", "%"), ("", ""),
        ("p/w + üp/w + ü", "……"), ("p%2", "p%2"),
    ])
    func secretsAreHidden(text: String, shown: String) {
        #expect(KnownSecrets(["p/w  +  ü"]).hidden(in: text).unicodeScalars.elementsEqual(shown.unicodeScalars))
    }

    /// A text that is cut may end with a part of a secret.
    @Test(arguments: [
        ("no hunter2sec", "no …"), ("no hunter2sec…", "no ……"), ("no hun", "no …"), ("no hu", "no hu"),
        ("hunter2 is", "hunter2 is"), ("hunter2%73ecret", "…"), ("no hunter2%7", "no …"),
    ])
    func beginningsAtACut(text: String, shown: String) {
        #expect(KnownSecrets(["hunter2secret"]).hidden(in: text, beginningsFrom: 3) == shown)
        #expect(KnownSecrets(["hunter2secret"]).hidden(in: text).contains("hunter2s") == text.contains("hunter2s"))
    }

    /// A server repeats text in its own charset, and bytes that are not UTF-8 become U+FFFD.
    @Test(arguments: [[0xFC, 0x70, 0x77, 0x31, 0x32, 0xE9], Array("üpw12é".utf8)] as [[UInt8]])
    func passwordsBeyondASCII(password: [UInt8]) {
        let credentials = (Array("alice:".utf8) + password).base64Text
        let known = KnownSecrets(sentIn: [.authorization: "Basic \(credentials)"])
        for text in ["üpw12é", "\u{FFFD}pw12\u{FFFD}", "%FCpw12%E9", "%C3%BCpw12%C3%A9", credentials] {
            #expect(known.hidden(in: "no \(text)!").hasPrefix("no …"), "\(text)")
            #expect(!known.hidden(in: "no \(text)!").contains("pw12"), "\(text)")
        }
    }

    /// A password can be guessed from the `response` of Digest.
    @Test(
        arguments: [HTTPField.Name.authorization, .proxyAuthorization],
        ["response=\"0a1b2c3d4e\"", "Response = 0a1b2c3d4e"])
    func responsesOfDigest(name: HTTPField.Name, response: String) {
        let value = "Digest username=\"alice\", realm=\"a, b\", \(response), nc=00000001"
        let known = KnownSecrets(sentIn: [name: value])
        #expect(known.hidden(in: "no 0a1b2c3d4e for alice") == "no … for alice")
        #expect(known.hidden(in: "no \(value)!") == "no …!")
    }

    /// The escapes of HTML and JSON.
    @Test(arguments: [
        "a&lt;b&amp;c&quot;d", "&#97;<b&#x26;c&#34;d", "a\\u003cb\\u0026c\\\"d", "a<b&c\"d", "a%3Cb&amp;c%22d",
    ]) func escapes(text: String) {
        #expect(KnownSecrets(["a<b&c\"d"]).hidden(in: "no \(text).") == "no ….")
        #expect(KnownSecrets(["a<b&d"]).hidden(in: "no \(text).") == "no \(text).")
        #expect(KnownSecrets(["a<b&c\"d"]).hidden(in: "a&lt;b&am…", beginningsFrom: 3) == "……")
    }

    /// The longer one counts where one secret is a part of another.
    @Test func oneSecretInAnother() {
        #expect(KnownSecrets(["abcd", "abcdefg", "", " "]).hidden(in: "abcdefgh abcdef") == "…h …ef")
        #expect(KnownSecrets([]).isEmpty && KnownSecrets([" "]).isEmpty)
    }

    /// A server chooses both the secrets, by its cookies, and the text.
    @Test func aLongSearchHidesTheWholeText() throws {
        let cookies = (0..<165).map { "c\($0)=\(String(repeating: "a", count: 3900))\($0)" }
        let known = KnownSecrets(sentIn: [.cookie: cookies.joined(separator: "; ")])
        #expect(known.hidden(in: String(repeating: "a", count: 100_000)) == "…")
        #expect(known.hidden(in: String(repeating: "OK ", count: 20)) == String(repeating: "OK ", count: 20))
    }

    /// The cookies of a long field are searched for one by one.
    @Test func aLongFieldOfCookies() {
        let cookies = (0..<20).map { "c\($0)=value-\($0)-\(String(repeating: "x", count: 4000))" }
        for count in [2, 20] {
            let field = cookies.prefix(count).joined(separator: "; ")
            let shown = KnownSecrets(sentIn: [.cookie: field]).hidden(in: "\(field) end")
            #expect(shown == (count == 2 ? "… end" : (0..<20).map { "c\($0)=…" }.joined(separator: "; ") + " end"))
        }
    }

    /// A server chooses how many cookies it has sent back. More than are kept may be in any text.
    @Test func moreSecretsThanAreKept() {
        func known(_ value: (Int) -> String) -> KnownSecrets {
            let cookies = (0..<300).map { "c\($0)=\(value($0))" }
            return KnownSecrets(sentIn: [.cookie: cookies.joined(separator: "; ")])
        }
        let many = known { "value-\($0)-\(String(repeating: "x", count: 4000))" }
        for text in ["value-0-", "harmless words"] { #expect(many.hidden(in: text) == "…") }
        #expect(!many.isEmpty && many.hidden(in: "").isEmpty)
        // A secret that is known already takes no more memory.
        let one = known { _ in String(repeating: "x", count: 4000) }
        #expect(one.hidden(in: "harmless words") == "harmless words")
    }

    /// The same words occur in all requests.
    @Test func theFieldsOfARequest() throws {
        let known = KnownSecrets(sentIn: [
            .authorization: "Basic YWxpY2U6aHVudGVyMjp4", .cookie: "a=session-1; b=1", .userAgent: "harmless/1",
            try #require(HTTPField.Name("X-Api-Key")): "key-12",
        ])
        let text = "alice:hunter2:x hunter2:x YWxpY2U6aHVudGVyMjp4 session-1 key-12 harmless/1 alice Basic 1"
        #expect(known.hidden(in: text) == "… … … … … harmless/1 alice Basic 1")
        #expect(
            KnownSecrets(sentIn: [.authorization: "Bearer opaque-1"]).hidden(in: "Bearer opaque-1, opaque-1") == "…, …")
        #expect(KnownSecrets(sentIn: [.authorization: "opaque-1"]).hidden(in: "opaque-1") == "…")
        #expect(KnownSecrets(sentIn: [.accept: "text/html", .referer: "https://a.example/"]).isEmpty)
    }
}
