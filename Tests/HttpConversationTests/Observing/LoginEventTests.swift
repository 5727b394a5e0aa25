import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

/// The texts of login events in transcripts, logs and spans. Other tools read them, so they must not change.
@Suite(.timeLimit(.minutes(1))) struct LoginEventTests {
    private static func told(_ tell: @escaping @Sendable (ConversationContext) -> Void) async throws -> [String] {
        let observer = RecordingObserver()
        let manager = testManager(ScriptedTransport { _, _ in .init(.ok) }) {
            $0.observers.add(observer)
            $0.requestFilters.add(TestFilter(onAuthorize: { _, context in tell(context) }))
        }
        _ = try await manager.get("http://h/")
        #expect(observer.violations == [])
        return observer.events.compactMap {
            switch $0.kind {
            case .login, .custom: $0.description
            default: nil
            }
        }
    }

    @Test func loginsHaveNamesAndDetails() async throws {
        let (endpoint, origin) = (try TargetURL("https://t/token?secret=CANARY"), try TargetURL("https://a").origin)
        let space = ProtectionSpace(origin: origin, method: .basic, realm: "r")
        let events: [(LoginEvent, String)] = [
            (.passwordGiven(source: "of -u"), "passwordGiven source=of -u"),
            (.personAsked(what: "the password"), "personAsked for=the password"),
            (.passwordInTheClear(space), "passwordInTheClear space=basic \"r\" at https://a"),
            (
                .passwordWithheld(space, reason: .plainHTTP),
                "passwordWithheld reason=plainHTTP space=basic \"r\" at https://a"
            ),
            (
                .passwordWithheld(space, reason: .otherServer),
                "passwordWithheld reason=otherServer space=basic \"r\" at https://a"
            ),
            (
                .certificateWithheld(origin: origin, reason: "no\u{1b}"),
                "certificateWithheld origin=https://a reason=no\\u{1b}"
            ),
            (.ticketGiven(space, principal: nil), "ticketGiven space=basic \"r\" at https://a"),
            (
                .ticketGiven(space, principal: "a@B\u{1b}"),
                "ticketGiven principal=a@B\\u{1b} space=basic \"r\" at https://a"
            ),
            (
                .ticketUnavailable(space, reason: "no cache"),
                "ticketUnavailable reason=no cache space=basic \"r\" at https://a"
            ),
            (.tokensNeeded(.missing), "oauth2TokensNeeded why=none"),
            (.tokensNeeded(.ended), "oauth2TokensNeeded why=ended"),
            (.tokensNeeded(.refused), "oauth2TokensNeeded why=refused"),
            (
                .tokensAsked(endpoint: endpoint, grant: .refreshToken),
                "oauth2TokensAsked endpoint=https://t/token?secret=… grant=refresh_token"
            ),
            (.tokensObtained(isRefresh: true, lifetime: 60), "oauth2TokensObtained how=refreshed lifetime=60"),
            (.tokensObtained(isRefresh: false, lifetime: nil), "oauth2TokensObtained how=granted"),
            (.refreshRefused, "oauth2RefreshRefused"),
            (.storageFailed(.write, code: "diskFull"), "oauth2StorageFailed code=diskFull operation=write"),
            (
                .tokensSucceeded(support: "api", storageURL: try TargetURL("https://api/")),
                "oauth2TokensSucceeded storageURL=https://api/ support=api"
            ),
            (
                .webLoginStarted(.saml2, origin: origin, strategy: "S"),
                "webLoginStarted origin=https://a purpose=SAML2 strategy=S"
            ),
            (
                .webLoginShown(.oauth2, origin: nil, by: "in the terminal"),
                "webLoginShown by=in the terminal place=another application purpose=OAuth2"
            ),
            (
                .webLoginFinished(.otp, origin: origin, strategy: "S", outcome: .timedOut),
                "webLoginFinished origin=https://a outcome=timedOut purpose=OTP strategy=S"
            ),
            (
                .webLoginFinished(.otp, origin: nil, strategy: "S", outcome: .failed(code: "pageFailed")),
                "webLoginFinished origin=another application outcome=pageFailed purpose=OTP strategy=S"
            ),
        ]
        let lines = try await Self.told { context in for (event, _) in events { context.notify(event) } }
        #expect(lines == events.map(\.1))
        var dumped = ""
        dump(events, to: &dumped)
        #expect(!dumped.contains("CANARY"))
    }

    /// The texts come from the application, unchecked.
    @Test func customEventsAreSanitisedAndBounded() async throws {
        let values = Dictionary(uniqueKeysWithValues: (100..<200).map { ("k\($0)", "v\u{1b}") })
        let lines = try await Self.told {
            $0.notify("mine", ["a": String(repeating: "x", count: 100_000)])
            $0.notify("more", values)
        }
        #expect(lines.first == "mine a=" + String(repeating: "x", count: 200) + "…")
        #expect(lines.last == "more " + (100..<132).map { "k\($0)=v\\u{1b}" }.joined(separator: " "))
    }

    @Test func withoutObserversNoEventIsMade() async throws {
        let manager = testManager(ScriptedTransport { _, _ in .init(.ok) }) {
            $0.requestFilters.add(
                TestFilter(onAuthorize: { _, context in
                    #expect(!context.isObserved)
                    context.notify(
                        "mine",
                        { () -> [String: String] in
                            Issue.record("made for nobody")
                            return [:]
                        }())
                    context.notify(
                        { () -> LoginEvent in
                            Issue.record("made for nobody")
                            return .refreshRefused
                        }())
                }))
        }
        _ = try await manager.get("http://h/")
    }
}
