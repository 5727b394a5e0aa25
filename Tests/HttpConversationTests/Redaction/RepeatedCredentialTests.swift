import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

/// Responses that repeat what their request carried, in the texts that are shown (security rule S20).
@Suite(.timeLimit(.minutes(1))) struct RepeatedCredentialTests {
    private typealias Answer = ScriptedTransport.Answer

    /// The events of a request that a server answers with its own credentials.
    private static func events(_ field: String, _ answer: Answer) async throws -> (RecordingObserver, HTTPResponse) {
        let observer = RecordingObserver()
        let manager = testManager(ScriptedTransport { _, _ in answer }) { $0.observers.add(observer) }
        var request = try HTTPRequest(.get, "http://127.0.0.1/")
        request.headerFields[.authorization] = field
        let response = try await manager.data(for: request)
        return (observer, response.head)
    }

    private static func responses(_ observer: RecordingObserver) -> [ObservedResponse] {
        observer.events.compactMap { event in
            switch event.kind {
            case .responseReceived(let response), .conversationEnded(.success(let response)): response
            default: nil
            }
        }
    }

    /// alice:hunter2secret
    private static let basic = "YWxpY2U6aHVudGVyMnNlY3JldA=="

    @Test(arguments: ["alice:hunter2secret", "hunter2secret", basic, "x hunter2%73ecret"])
    func realms(realm: String) async throws {
        let value = "Basic realm=\"\(realm)\""
        let (observer, head) = try await Self.events(
            "Basic \(Self.basic)", Answer(.unauthorized, [.wwwAuthenticate: value]))
        let responses = Self.responses(observer)
        #expect(responses.count == 2)
        for response in responses {
            let shown = response.shownFields.map(\.value).joined()
            #expect(shown.contains("realm=") && shown.contains("…") && !shown.contains(realm.suffix(6)), "\(shown)")
            #expect(!response.hidingCredentials(in: realm).contains(realm))
        }
        #expect(!observer.events.contains { $0.description.contains(realm) })
        // The field itself stays: a login may be computed from it.
        #expect(head.headerFields[.wwwAuthenticate] == value)
    }

    /// The reason phrase has no other use than to be shown.
    @Test func reasonPhrases() async throws {
        let status = HTTPResponse.Status(code: 403, reasonPhrase: "bad opaque-SECRET-123")
        let (observer, head) = try await Self.events("Bearer opaque-SECRET-123", Answer(status))
        #expect(head.status.code == 403 && head.status.reasonPhrase == "bad …")
        #expect(Self.responses(observer).allSatisfy { $0.status.reasonPhrase == "bad …" })
        let other = HTTPResponse.Status(code: 403, reasonPhrase: "bad token")
        #expect(try await Self.events("Bearer opaque-SECRET-123", Answer(other)).1.status.reasonPhrase == "bad token")
    }

    /// The place of a challenge is the same whatever was sent before it.
    @Test func theSpaceOfAChallenge() async throws {
        let observer = RecordingObserver()
        let transport = ScriptedTransport { request, _ in
            Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=\"\(request.authorization ?? "first")\""])
        }
        let manager = testManager(transport) {
            $0.observers.add(observer)
            $0.challengeFilters.add(
                TestFilter(onChallenge: { challenge, _ in
                    challenge.previousFailureCount == 0
                        ? .use(TokenCredential(token: "opaque-SECRET-123"), .session) : .notHandled
                }))
        }
        _ = try await manager.get("http://127.0.0.1/")
        let spaces = observer.events.compactMap { event -> ProtectionSpace? in
            if case .challengeReceived(let challenge) = event.kind { challenge.space } else { nil }
        }
        #expect(transport.requests.count > 1, "nothing was sent")
        let repeating = try #require(spaces.first { $0.realm.contains("SECRET") })
        #expect(!repeating.shownRealm.contains("SECRET") && !"\(repeating)".contains("SECRET"))
        #expect(repeating == ProtectionSpace(origin: repeating.origin, method: .basic, realm: repeating.realm))
    }
}
