import HttpConvFormats
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: vectors of the standards")
struct ProtocolVectorTests {
    /// RFC 7636 appendix B.
    @Test func proofKey() {
        let key = ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func proofKeysAreLongAndNeverTheSame() {
        let keys = (0..<100).map { _ in ProofKey().verifier.value }
        #expect(Set(keys).count == 100)
        #expect(keys.allSatisfy { (43...128).contains($0.utf8.count) })
        #expect(keys.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || "-._~".contains($0) } })
    }

    /// RFC 6749 appendix B.
    @Test func formEncoding() {
        #expect(FormEncoding.encode(" %&+£€") == "+%25%26%2B%C2%A3%E2%82%AC")
        let pairs = FormEncoding.decode("a=+%25%26%2B%C2%A3%E2%82%AC&b&a=%zz")
        #expect(pairs.map(\.name) == ["a", "b", "a"])
        #expect(pairs.map(\.value) == [" %&+£€", "", "%zz"])
    }

    /// RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
    @Test(arguments: [
        ("s6BhdRkqt3", "7Fjfp0ZBr1KtDRbnfVdmIw", "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3"),
        ("a:b", "c d%", "Basic YSUzQWI6YytkJTI1"),
    ])
    func basicClientAuthentication(id: String, secret: String, expected: String) async throws {
        let fields = OAuth2ClientAuthentication.basic(secret: secret).fields(clientID: id)
        #expect(fields[.authorization] == expected)
        #expect(fields.count == (id == "a:b" ? 2 : 1), "X-CF-ENCODED-CREDENTIALS if encoding changes anything")
        let configuration = try OAuth2Configuration(
            clientID: id, tokenEndpoint: "https://a.example/t",
            grant: .password(UsernamePassword(username: "", password: "")))
        #expect(try await OAuth2ClientAuthentication.basic(secret: secret).parameters(for: configuration).isEmpty)
        #expect(OAuth2ClientAuthentication.post(secret: secret).fields(clientID: id).isEmpty)
    }

    @Test(arguments: [
        ("http://127.0.0.1:0/cb", "http://127.0.0.1:51000/cb?code=1", 51000, true),
        ("http://127.0.0.1:0/cb", "http://127.0.0.1:51001/cb?code=1", 51000, false),
        ("http://127.0.0.1:0/cb", "http://127.0.0.1:51000/cb2?code=1", 51000, false),
        ("http://[::1]:0/cb", "http://[::1]:51000/cb", 51000, true),
        ("https://app.example.com/cb", "https://app.example.com/cb?x", 0, true),
        ("https://app.example.com/cb", "http://app.example.com/cb?x", 0, false),
        ("https://app.example.com/cb", "https://app.example.com.evil.org/cb", 0, false),
        ("https://app.example.com/cb", "https://app.example.com@evil.org/cb", 0, false),
        ("https://app.example.com/cb", "https://u@app.example.com/cb", 0, false),
        ("com.example.app:/cb", "COM.example.app:/cb?code=1", 0, true),
        ("com.example.app:/cb", "com.example.app:/cb/x?code=1", 0, false),
    ])
    func redirectURIs(configured: String, url: String, port: Int, isSame: Bool) throws {
        let redirect = try OAuth2RedirectURI(configured)
        let used = redirect.hasAnyPort ? try redirect.with(port: port) : redirect
        #expect(used.matches(url) == isSame)
    }
}
