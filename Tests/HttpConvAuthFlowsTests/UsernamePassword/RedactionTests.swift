import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("Nothing prints a password")
struct RedactionTests {
    private static let canary = "canary-7d1f"

    private func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [String(describing: value), String(reflecting: value), "\(value)", dumped]
    }

    private func secrets() async throws -> [(String, Any, isExpected: Bool)] {
        let login = UsernamePassword(username: "alice", password: Self.canary)
        let basicChallenge = try Challenges.make("Basic realm=\"r\"")
        let digestChallenge = try Challenges.make("Digest realm=\"r\", nonce=\"n\", qop=auth")
        let basic = try BasicCredential(login, for: basicChallenge, persistence: .session)
        let digest = try #require(try DigestCredential(login, for: digestChallenge, nonces: NonceCounts()))
        _ = try await digest.authorization(for: Challenges.request())
        let provider = StaticCredentialProvider(username: "alice", password: Self.canary)
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(provider)
        return [
            ("login", login, true), ("basic", basic, true), ("digest", digest, true), ("static", provider, true),
            ("answer", ProvidedCredential.credential(login, persistence: .session), true),
            ("use", ChallengeAnswer.use(basic, .session), true), ("use", ChallengeAnswer.use(digest, .session), true),
            ("filter", UsernamePasswordFilter(providers: [provider]), false), ("configurator", configurator, false),
            ("challenge", try Challenges.make("Digest realm=\"r\", nonce=\"n\"", refused: [basic, digest]), false),
        ]
    }

    @Test func noFormOfThePasswordIsShown() async throws {
        let algorithm = try #require(DigestAlgorithm(nil))
        // The plain form, Basic's form, and Digest's hash.
        let forms = [Self.canary, "YWxpY2U6Y2FuYXJ5LTdkMWY", algorithm.hex("alice:r:\(Self.canary)")]
        for (name, value, namesUser) in try await secrets() {
            for text in texts(value) {
                for form in forms { #expect(!text.contains(form), "\(name) shows a secret") }
                if namesUser { #expect(text.contains("alice"), "\(name) says nothing of whom it is about") }
            }
        }
    }

    /// The positive control of the search above.
    @Test func aPlantedSecretIsFound() {
        struct Leaky { let password: String }
        #expect(texts(Leaky(password: Self.canary)).allSatisfy { $0.contains(Self.canary) })
    }
}
