import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConversation

/// The filter alone, in situations that whole conversations meet only in a race.
@Suite("User name and password filter")
struct UsernamePasswordFilterTests {
    private func answer(
        _ challenge: AuthenticationChallenge, _ provider: any UsernamePasswordProvider
    ) async throws -> (any Credential)? {
        var answer = try await UsernamePasswordFilter(providers: [provider]).answer(challenge, in: challenge.context)
        if case .after(let question) = answer { answer = try await challenge.context.perform(question) }
        if case .use(let credential, _) = answer { return credential }
        return nil
    }

    private func credential(_ password: String, _ parameters: String = "") throws -> BasicCredential {
        try BasicCredential(
            UsernamePassword(username: "alice", password: password),
            for: Challenges.make("Basic realm=\"r\"\(parameters)"), persistence: .session)
    }

    /// A conversation that missed the first attempt knows only the second; the first form is not sent again.
    @Test func theUTF8FormRefusedSpeaksForTheOther() async throws {
        let provider = CountingProvider("alice", "wröng")
        let refused = try credential("wröng", ", charset=UTF-8")
        let given = try await answer(Challenges.make("Basic realm=\"r\"", refused: [refused]), provider)
        #expect(given?.hasSameSecret(as: refused) == true)
        #expect(provider.count == 1)
    }

    @Test func theOtherFormIsTriedWithoutAskingAnybody() async throws {
        let provider = CountingProvider("alice", "wröng")
        let refused = try credential("wröng")
        let given = try await answer(Challenges.make("Basic realm=\"r\"", refused: [refused]), provider)
        #expect(try given?.hasSameSecret(as: credential("wröng", ", charset=UTF-8")) == true)
        #expect(provider.count == 0)
    }

    @Test(arguments: ["Negotiate", "Bearer realm=\"r\"", "Digest realm=\"r\"", "Digest nonce=\"n\""])
    func whatCannotBeAnsweredAsksNobody(_ value: String) async throws {
        let provider = CountingProvider("alice", "wonder")
        #expect(try await answer(Challenges.make(value), provider) == nil)
        #expect(provider.count == 0)
    }
}
