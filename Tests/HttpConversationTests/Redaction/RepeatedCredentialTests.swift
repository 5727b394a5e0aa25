import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import TestSupport
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

    /// A text that is too long to be shown as a whole may end within a secret.
    @Test(arguments: ["Basic realm=\"at TOKEN\"", "at TOKEN", "at %6COKEN"])
    func aCutText(value: String) async throws {
        let token = String(repeating: "long secret. ", count: 30) + "end"
        let repeated = value.replacing("TOKEN", with: token)
            .replacing("%6COKEN", with: "%6C\(token.dropFirst())")
        let isRealm = value.contains("realm")
        let answer =
            isRealm ? Answer(.unauthorized, [.wwwAuthenticate: repeated]) : Answer(.ok, [.server: repeated])
        let (observer, _) = try await Self.events("Bearer \(token)", answer)
        for response in Self.responses(observer) {
            let shown = try #require(response.shownFields.first).value
            #expect(shown.contains("at …") && !shown.contains("secret"), "\(shown)")
            for cut in ["long secret. l…", "long%20secret.%…", "long%20secret.%2…"] {
                #expect(response.hidingCredentials(in: "at \(cut)") == "at ……")
            }
            #expect(response.hidingCredentials(in: "Bearer … long sec…") == "Bearer … long sec…")
        }
    }

    /// Most of a short secret is as good as the secret. Names of schemes and cookies stay.
    @Test func aCutTextWithAShortSecret() async throws {
        let (observer, _) = try await Self.events("Bearer secret-token", Answer(.ok, [.server: "x"]))
        let response = try #require(Self.responses(observer).first)
        for cut in ["secret-toke…", "secret-…", "secret…", "Bearer secret-toke…"] {
            let shown = response.hidingCredentials(in: "at \(cut)")
            #expect(shown.hasSuffix("……") && !shown.contains("secret"), "\(shown)")
        }
        for harmless in ["Bearer …", "secre…", "secret-toke", "secret-other…"] {
            #expect(response.hidingCredentials(in: harmless) == harmless)
        }
    }

    /// Each redirect replaces all cookies. Any text may have one of the first.
    @Test func moreCookiesThanAreKept() async throws {
        let hops = 8
        let transport = ScriptedTransport { request, _ in
            let hop = Int(request.target.path.dropFirst()) ?? 0
            guard hop < hops else { return Answer(.ok, [.server: "at value-0-0"]) }
            var fields: HTTPFields = [.location: "/\(hop + 1)"]
            for number in 0..<60 {
                let value = "value-\(hop)-\(number)-\(String(repeating: "x", count: 4000))"
                fields.append(HTTPField(name: .setCookie, value: "c\(number)=\(value); Path=/"))
            }
            return Answer(.found, fields)
        }
        let observer = RecordingObserver()
        _ = try await testManager(transport) { $0.observers.add(observer) }.get("https://api.example.com/0")
        #expect(transport.requests.last?.headerFields[.cookie]?.contains("value-7-59-") == true, "nothing was tested")
        let (first, last) = (try #require(Self.responses(observer).first), try #require(Self.responses(observer).last))
        #expect(first.hidingCredentials(in: "harmless words") == "harmless words")
        #expect(last.hidingCredentials(in: "harmless words") == "…")
        #expect(!last.shownFields.isEmpty && last.shownFields.allSatisfy { $0.value == "…" })
    }

    /// A server may put a token that it got where later exchanges carry it, and other servers may repeat it.
    @Test(arguments: [
        ("/b", "tok-5f2c9a77d0b14e=1; Path=/"), ("/session/tok-5f2c9a77d0b14e/b", nil),
        ("/b?tok-5f2c9a77d0b14e=1", nil), ("/b/%74ok-5f2c9a77d0b14e", nil),
        ("https://tok-5f2c9a77d0b14e.example.com/", nil), ("https://other.example.com/", nil),
    ])
    func onLaterHops(location: String, cookie: String?) async throws {
        let token = "tok-5f2c9a77d0b14e"
        let transport = ScriptedTransport { request, _ in
            guard request.target.path == "/a" else { return Answer(.ok, [.server: "at \(token)"]) }
            var fields: HTTPFields = [.location: location]
            fields[.setCookie] = cookie
            return Answer(.found, fields)
        }
        let observer = RecordingObserver()
        let recorder = TranscriptRecorder()
        let manager = testManager(transport) {
            $0.observers.add(observer)
            $0.observers.add(recorder)
        }
        let response = try await manager.get("https://api.example.com/a", fields: [.authorization: "Bearer \(token)"])
        #expect(transport.requests.count == 2, "nothing was tested")
        // Hidden values are still sent.
        let last = try #require(transport.requests.last)
        #expect(try last.target == TargetURL("https://api.example.com/a").resolving(location))
        #expect(cookie == nil || last.headerFields[.cookie] == "\(token)=1")
        #expect(response.head.headerFields[.server] == "at \(token)")
        let shown = observer.events.flatMap { event in
            let fields = (event.request?.shownFields ?? []) + (event.response?.shownFields ?? [])
            return ["\(event)", event.request.map { "\($0.target)" } ?? ""] + fields.flatMap { [$0.name, $0.value] }
        }
        #expect(shown.contains("at …"))
        #expect(!shown.contains { $0.contains(token.dropFirst()) }, "\(shown)")
        let transcript = String(decoding: try JSONEncoder().encode(recorder.transcript), as: UTF8.self)
        #expect(!transcript.contains(token.dropFirst()), "\(transcript)")
    }

    private static func request(secrets: Int, length: Int) throws -> HTTPRequest {
        var request = try HTTPRequest(.get, "http://127.0.0.1/")
        for number in 0..<secrets {
            let name = try #require(HTTPField.Name("X-Api-Key-\(number)"))
            request.headerFields[name] = String(repeating: "a", count: length) + "\(number)"
        }
        return request
    }

    /// A server chooses the fields of its responses and, by its cookies, a part of the secrets (security rule S24).
    @Test func theFieldsOfAResponseShareOneLimit() async throws {
        let text = String(repeating: "a", count: 150)
        let transport = ScriptedTransport { _, _ in
            Answer(.ok, HTTPFields((0..<20).map { _ in HTTPField(name: .via, value: text) }))
        }
        let observer = RecordingObserver()
        let manager = testManager(transport) { $0.observers.add(observer) }
        _ = try await manager.data(for: Self.request(secrets: 10, length: 140))
        let shown = try #require(Self.responses(observer).first).shownFields.map(\.value)
        #expect(shown.count == 20 && shown.first == text && shown.last == "…")
    }

    /// The secrets of a request are read once, however many realms there are.
    @Test func manyChallengesTakeLittleMoreTimeThanOne() throws {
        func time(_ challenges: Int) throws -> Duration {
            let fields = (0..<challenges).map {
                HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"realm number \($0)\"")
            }
            let manager = testManager(ScriptedTransport { _, _ in Answer(.unauthorized, HTTPFields(fields)) }) {
                $0.challengeFilters.add(TestFilter(onChallenge: { _, _ in .notHandled }))
            }
            let request = try Self.request(secrets: 60, length: 1000)
            var shortest = Duration.seconds(60)
            for _ in 0..<3 {
                let spent = try ThreadTime.measure {
                    let response = try InlineExecutor.run { try await manager.data(for: request) }
                    #expect(response.status == .unauthorized)
                }
                shortest = min(shortest, spent)
            }
            return shortest
        }
        let (one, many) = (try time(1), try time(64))
        #expect(many < one * 10, "\(one), \(many)")
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
