import HTTPTypes
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

/// Known answers, computed by the whole credential, so that the value on the wire is checked.
@Suite("Digest vectors")
struct DigestVectorTests {
    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let mufasa = UsernamePassword(username: "Mufasa", password: "Circle of Life")

    private func answer(
        to challenge: String, _ login: UsernamePassword, clientNonce: String,
        for request: ConversationRequest? = nil
    ) async throws -> String {
        let challenge = try Challenges.make(challenge)
        let credential = try #require(try DigestCredential(login, for: challenge, nonces: NonceCounts()))
        return try await credential.authorization(
            for: request ?? Challenges.request(), clientNonce: clientNonce)
    }

    /// RFC 7616 §3.9.1.
    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func plainExample(_ algorithm: String, _ response: String) async throws {
        let value = try await answer(
            to: """
                Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm), \
                nonce="\(Self.nonce)", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """, Self.mufasa, clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(
            value == """
                Digest username="Mufasa", realm="http-auth@example.org", nonce="\(Self.nonce)", \
                uri="/dir/index.html", response="\(response)", algorithm=\(algorithm), \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", qop=auth, nc=00000001, \
                cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
                """)
    }

    /// A combining mark fuses with the quote or backslash before it in a `Character`, but not on the wire.
    @Test(arguments: [
        ("al\"\u{301}ice", "al\\\"\u{301}ice"), ("al\\\u{20e3}ice", "al\\\\\u{20e3}ice"),
        ("\"\u{200d}", "\\\"\u{200d}"),
    ])
    func namesAreEscapedByBytes(_ username: String, _ escaped: String) async throws {
        let value = try await answer(
            to: "Digest realm=\"r\u{301}\", nonce=\"n\", qop=auth, opaque=\"o\\\"\u{301}p\"",
            UsernamePassword(username: username, password: "p"), clientNonce: "c")
        #expect(value.utf8.starts(with: "Digest username=\"\(escaped)\", realm=".utf8))
        #expect(Array(value.utf8).firstRange(of: Array(", opaque=\"o\\\"\u{301}p\", qop=auth".utf8)) != nil)
    }

    /// RFC 7616 §3.9.2 with the values of its erratum 4897: the RFC's own values used another hash.
    @Test(arguments: ["J\u{e4}s\u{f8}n Doe", "Ja\u{308}s\u{f8}n Doe"])
    func userhashExample(_ username: String) async throws {
        let value = try await answer(
            to: """
                Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
                nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
                opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true
                """, UsernamePassword(username: username, password: "Secret, or not?"),
            clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
            for: Challenges.request("http://api.example.org/doe.json"))
        #expect(value.contains("username=\"793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b\""))
        #expect(value.contains("response=\"3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5\""))
        #expect(value.hasSuffix("userhash=true"))
    }

    /// RFC 2069 §2.4 with its erratum 749: without qop and counts.
    @Test func olderForm() async throws {
        let value = try await answer(
            to: "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\"",
            UsernamePassword(username: "Mufasa", password: "CircleOfLife"), clientNonce: "C")
        #expect(value.contains("response=\"1949323746fe6a43ef61f9606e7febea\""))
        #expect(!value.contains("qop") && !value.contains("nc=") && !value.contains("cnonce"))
        #expect(!value.contains("algorithm"))
    }

    /// Computed independently, with another implementation of the hash.
    @Test func authIntCoversTheBody() async throws {
        let value = try await answer(
            to: "Digest realm=\"r\", nonce=\"N\", algorithm=sha-256, qop=\"AUTH-INT\"",
            UsernamePassword(username: "u", password: "p"), clientNonce: "C",
            for: Challenges.request("http://127.0.0.1/x?y", .post, body: .text("body")))
        #expect(value.contains("response=\"74d13aa371daa1e9167d4cba1e8127ac28761402a7dc5c9bcffa2c7e5693f9b2\""))
        #expect(value.contains("qop=auth-int,"))
        #expect(value.contains("algorithm=sha-256,"))
        #expect(value.contains("uri=\"/x?y\""))
    }

    /// The key of a session algorithm, compared with the formula of RFC 7616 §3.4.2, computed independently.
    @Test func sessionKey() {
        guard let algorithm = DigestAlgorithm("md5-SESS") else {
            Issue.record("MD5-sess is unknown")
            return
        }
        let secret = DigestComputation.secret(
            algorithm, user: "Mufasa", realm: "testrealm@host.com", password: "Circle Of Life")
        let computation = DigestComputation(
            algorithm: algorithm,
            key: DigestComputation.sessionKey(algorithm, secret: secret, nonce: "N", clientNonce: "C"), nonce: "N",
            count: "00000001", clientNonce: "C", quality: .auth, uri: "/dir/index.html")
        #expect(computation.response(method: "GET", bodyHash: nil) == "c8bebc06dff935a7ced1b6a7ab537cb6")
    }
}
