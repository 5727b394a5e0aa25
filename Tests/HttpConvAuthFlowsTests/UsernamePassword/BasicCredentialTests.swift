import Foundation
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("Basic credential")
struct BasicCredentialTests {
    private func credential(
        _ username: String, _ password: String, _ parameters: String = "", at url: String = "http://127.0.0.1/a/b/c"
    ) throws -> BasicCredential {
        try BasicCredential(
            UsernamePassword(username: username, password: password),
            for: Challenges.make("Basic realm=\"r\"\(parameters)", at: url), persistence: .session)
    }

    /// RFC 7617 §2 and §2.1, then the encodings of docs/decisions.md, "Basic and Digest".
    @Test(arguments: [
        ("Aladdin", "open sesame", "", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test", "123\u{a3}", ", charset=\"UTF-8\"", "Basic dGVzdDoxMjPCow=="),
        ("test", "123\u{a3}", ", charset=utf-8", "Basic dGVzdDoxMjPCow=="),
        ("test", "123\u{a3}", "", "Basic dGVzdDoxMjOj"),
        ("test", "123\u{a3}", ", charset=\"ISO-8859-15\"", "Basic dGVzdDoxMjOj"),
        ("test", "u\u{308}", "", "Basic dGVzdDr8"),
        ("test", "\u{20ac}", "", "Basic dGVzdDrigqw="),
        ("", "", "", "Basic Og=="),
        ("a", "b:c", "", "Basic YTpiOmM="),
    ])
    func encoding(_ username: String, _ password: String, _ parameters: String, _ expected: String) async throws {
        let value = try await credential(username, password, parameters).authorization(for: Challenges.request())
        #expect(value == expected)
    }

    @Test func aColonInTheUserNameIsRefused() {
        let error = #expect(throws: ConversationError.self) { try credential("a:b", "canary-c") }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.message.contains("colon") == true)
        #expect(error.map { "\($0)" }?.contains("canary") == false)
    }

    @Test(arguments: [("a\nb", "p"), ("a", "p\r"), ("a\u{0}", "p"), ("a", "\u{9b}p"), ("a\u{7f}", "p")])
    func controlCharactersAreRefused(_ username: String, _ password: String) {
        let error = #expect(throws: ConversationError.self) { try credential(username, password) }
        #expect(error?.message.contains("control character") == true)
    }

    @Test(arguments: [
        ("/a/b/c", "/a/b/", true), ("/a/b/c", "/a/b/c", true), ("/a/b/c", "/a/b/x?y", true),
        ("/a/b/c", "/a/b/x/y/z", true), ("/a/b/c", "/a/bc", false), ("/a/b/c", "/a/b", false),
        ("/a/b/c", "/a/", false), ("/a/b/c", "/", false), ("/a/b/c", "/A/b/c", false),
        ("/a/b/c", "/a/b/../d", false), ("/a/b/c", "/a/b/%2e%2E/d", false), ("/a/b/c", "/a/b/./d", false),
        ("/a/b/c", "/a/b/..d", true), ("/a/b/c", "/a/b/%2e%2ed", true), ("/a/b/c", "/x?/a/b/c", false),
        ("/a/b/", "/a/b/c", true), ("/a/b?c=/d/e", "/a/x", true), ("/a/b?c=/d/e", "/d/e", false),
        ("/", "/anything", true), ("/x", "/y/z", true), ("/a/../b/c", "/b/c", false),
        ("/a/b/c", "/a/b/..%2fd", false), ("/a/b/c", "/a/b/x%5C..%5c..%5cd", false), ("/a/b/c", "/a/b/..;x=1/d", false),
    ])
    func coverage(_ challenged: String, _ path: String, _ isCovered: Bool) throws {
        let credential = try credential("u", "p", at: "http://127.0.0.1\(challenged)")
        #expect(credential.covers(try TargetURL("http://127.0.0.1\(path)")) == isCovered)
        for other in ["https://127.0.0.1", "http://127.0.0.1:8080", "http://127.0.0.2"] {
            #expect(!credential.covers(try TargetURL(other + path)))
        }
    }

    @Test func aSecondChallengedPathWidensTheCoverage() throws {
        let credential = try credential("u", "p", at: "http://127.0.0.1/a/b")
        #expect(!credential.covers(try TargetURL("http://127.0.0.1/c/d")))
        let wider = credential.answering(try Challenges.make("Basic realm=\"r\"", at: "http://127.0.0.1/c/x"))
        for path in ["/a/b", "/c/d"] {
            #expect(wider?.covers(try TargetURL("http://127.0.0.1\(path)")) == true)
        }
        #expect(wider?.covers(try TargetURL("http://127.0.0.1/e")) == false)
        #expect(credential.answering(try Challenges.make("Digest realm=\"r\", nonce=\"n\"")) == nil)
        #expect(credential.answering(try Challenges.make("Basic realm=\"r\"", at: "http://127.0.0.2/a/b")) == nil)
    }

    @Test func sameSecretGoesByTheBytesOnTheWire() throws {
        #expect(try credential("u", "p").hasSameSecret(as: credential("u", "p", ", charset=UTF-8")))
        #expect(try !credential("u", "p").hasSameSecret(as: credential("u", "P")))
        #expect(try !credential("u", "\u{fc}").hasSameSecret(as: credential("u", "\u{fc}", ", charset=UTF-8")))
    }

    @Test func onlyLatinTextHasAnotherEncoding() throws {
        #expect(try credential("u", "p").otherEncoding == nil)
        #expect(try credential("u", "\u{20ac}").otherEncoding == nil)
        #expect(try credential("u", "\u{fc}", ", charset=UTF-8").otherEncoding == nil)
        let other = try #require(try credential("u", "\u{fc}").otherEncoding)
        #expect(other.otherEncoding == nil)
        #expect(try other.hasSameSecret(as: credential("u", "\u{fc}", ", charset=UTF-8")))
    }
}
