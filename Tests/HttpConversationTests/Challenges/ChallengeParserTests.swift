import Testing

@testable import HttpConversation

@Suite struct ChallengeParserTests {
    @Test func readsSeveralChallengesInOneField() {
        let text = #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#
        let (challenges, isComplete) = ChallengeParser.parse(text)
        #expect(isComplete)
        #expect(challenges.map(\.scheme) == ["Newauth", "Basic"])
        #expect(challenges[0].parameter("title") == #"Login to "apps""#)
        #expect(challenges[0].parameter("type") == "1")
        #expect(challenges[1].realm == "simple")
    }

    @Test(arguments: [
        ("Negotiate", ["Negotiate"]), ("Negotiate, Basic realm=x", ["Negotiate", "Basic"]),
        ("Negotiate YII=, Basic realm=\"x\"", ["Negotiate", "Basic"]), (",, ,Basic realm=\"x\",,", ["Basic"]),
        ("Basic realm=\"a, b\", Digest realm=\"c\", nonce=\"d\"", ["Basic", "Digest"]), ("", []), (" , ", []),
        ("BASIC REALM=\"x\"", ["BASIC"]), ("Bearer", ["Bearer"]),
        ("Basic realm = \"x\" , charset = \"UTF-8\"", ["Basic"]),
        ("Digest realm=\"x\",domain=/a /b,nonce=\"n\"", ["Digest"]), ("NTLM, Negotiate", ["NTLM", "Negotiate"]),
    ])
    func findsTheSchemes(text: String, schemes: [String]) {
        #expect(ChallengeParser.parse(text).challenges.map(\.scheme).starts(with: schemes))
    }

    /// Answers are kept with their challenge. A ticket of Kerberos may be large.
    @Test func leavesOutLargeParameters() {
        let large = String(repeating: "x", count: 20_000)
        let text = "Basic realm=\"\(large)\", Digest realm=\"r\", Negotiate \(large)"
        #expect(ChallengeParser.parse(text).challenges.map(\.scheme) == ["Digest", "Negotiate"])
    }

    @Test func keepsToken68() {
        let (challenges, _) = ChallengeParser.parse("Negotiate oYG2MIGzoAMKAQGhCwYJ/+==, Basic realm=x")
        #expect(challenges[0].token68 == "oYG2MIGzoAMKAQGhCwYJ/+==")
        #expect(challenges[1].token68 == nil)
    }

    @Test(arguments: [
        "Basic realm=\"unclosed", "Basic realm=\"a\" trailing", "=", "\"x\"", "Basic \u{1}=x", "Basic realm=\"a\\",
    ])
    func unreadableTextIsReportedAndHarmless(text: String) {
        #expect(!ChallengeParser.parse(text).isComplete)
    }

    @Test func challengesBeforeGarbageAreKept() {
        let (challenges, isComplete) = ChallengeParser.parse("Basic realm=\"good\", \u{7F}\u{7F}")
        #expect(challenges.map(\.realm) == ["good"])
        #expect(!isComplete)
    }

    @Test func largeInputTakesLinearTime() {
        let text = String(repeating: "Basic realm=\"x\", ", count: 20_000) + "Digest"
        #expect(ChallengeParser.parse(text).challenges.count == 20_001)
    }

    @Test func strongestFirst() {
        let offered = [
            "Basic realm=b", "Digest realm=d, nonce=n, algorithm=MD5", "Unknown x=y",
            "Digest realm=d, nonce=n, algorithm=SHA-256",
            "Bearer", "Digest realm=d, nonce=n, algorithm=sha-512-256", "Digest realm=d, nonce=n",
            "Digest realm=d, algorithm=X",
        ].flatMap { ChallengeParser.parse($0).challenges }
        let sorted = ChallengeStrength().strongestFirst(offered)
        #expect(
            sorted.map(\.scheme) == ["Bearer", "Digest", "Digest", "Digest", "Digest", "Digest", "Basic", "Unknown"])
        #expect(sorted[1...5].map { $0.parameter("algorithm") } == ["sha-512-256", "SHA-256", "MD5", nil, "X"])
    }
}
