import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ObservingTests {
    private typealias Answer = ScriptedTransport.Answer

    private static func eventful() -> ScriptedTransport {
        ScriptedTransport { request, index in
            switch index {
            case 0: Answer(.found, [.location: "/next?code=CANARY"])
            case 1: Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
            default: Answer(.ok, [.setCookie: "sid=CANARY"], body: "done")
            }
        }
    }

    private static func manager(_ observers: [any ConversationObserver]) -> (ScriptedTransport, HttpConversationManager)
    {
        let transport = eventful()
        var configuration = HttpConversationManager.Configuration()
        for (index, observer) in observers.enumerated() { configuration.observers.add(observer, id: "\(index)") }
        let filter = TestFilter(
            onChallenge: { _, _ in .use(TokenCredential(token: "CANARY"), .session) },
            onResponse: { _, context in
                context.notify("flow.step", ["note": "fine"])
                return context.target.path == "/x" && transport.requests.count < 4
                    ? .restart(reason: "why not") : .proceed
            })
        configuration.challengeFilters.add(filter)
        configuration.responseFilters.add(filter)
        return (transport, HttpConversationManager(transport: transport, configuration: configuration))
    }

    @Test func eventsFollowTheGrammar() async throws {
        let observer = RecordingObserver()
        let (_, manager) = Self.manager([observer])
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/x"))
        #expect(observer.violations == [])
        #expect(
            observer.kinds().map(\.name) == [
                "conversationStarted", "attemptStarted", "exchangeStarted", "responseReceived", "redirectDecided",
                "exchangeStarted", "responseReceived", "challengeReceived", "challengeAnswered", "exchangeStarted",
                "responseReceived", "flow.step", "responseDecided", "attemptStarted", "exchangeStarted",
                "responseReceived",
                "flow.step", "conversationEnded", "bodyReceived",
            ])
        let repetitions = observer.events.compactMap { event -> String?? in
            if case .exchangeStarted(let start) = event.kind { .some(start.repetition) } else { nil }
        }
        #expect(repetitions == [nil, nil, "challenge answered", nil])
        #expect(observer.events.last?.kind == .bodyReceived(.success(4)))
        #expect(observer.events.map(\.elapsed) == observer.events.map(\.elapsed).sorted())
    }

    @Test func failuresFollowTheGrammarToo() async throws {
        let observer = RecordingObserver()
        let transport = ScriptedTransport { _, _ throws(ConversationError) in
            throw ConversationError(.connectionFailed, "no")
        }
        let manager = testManager(transport) { $0.observers.add(observer) }
        await #expect(throws: ConversationError.self) { try await manager.data(for: HTTPRequest(.get, "http://h/x")) }
        #expect(observer.violations == [])
        #expect(observer.events.last?.error?.code == .connectionFailed)
    }

    /// The recording observer itself must find disorder.
    @Test func theRecordingObserverNoticesADisorder() async throws {
        let source = RecordingObserver()
        let (_, manager) = Self.manager([source])
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/x"))
        for missing in source.events.indices.dropLast() where source.events[missing].kind.name != "flow.step" {
            let checker = RecordingObserver()
            for (index, event) in source.events.enumerated() where index != missing { checker.observe(event) }
            #expect(checker.violations != [], "without \(source.events[missing].kind)")
        }
    }

    @Test func transcriptsAreRedactedValues() async throws {
        let recorder = TranscriptRecorder()
        let observer = RecordingObserver()
        let (_, manager) = Self.manager([recorder, observer])
        var request = try HTTPRequest(.get, "http://h/x?token=CANARY")
        request.headerFields[.apiKey] = "CANARY"
        _ = try await manager.data(for: request)
        let transcript = recorder.transcript
        #expect(transcript.statuses == [302, 401, 200, 200])
        #expect(transcript.entries.contains { $0.reason == "why not" && $0.verdict == "restart" })
        let encoded = String(decoding: try JSONEncoder().encode(transcript), as: UTF8.self)
        var dumped = ""
        dump(transcript, to: &dumped)
        dump(observer.events, to: &dumped)
        dump(observer.kinds(), to: &dumped)
        for text in [encoded, "\(transcript)", dumped, "\(observer.events)", "\(observer.kinds())"] {
            #expect(!text.contains("CANARY"))
            #expect(text.contains("responseReceived"))
        }
        #expect(try JSONDecoder().decode(Transcript.self, from: Data(encoded.utf8)) == transcript)
    }

    /// The first challenge has no verdict; a challenge after a login says what is wrong with it.
    @Test(
        arguments: [
            ("Basic realm=R", nil, .refused), ("Basic realm=R", "Basic eA==", .refused),
            ("Digest realm=R, nonce=n", "Basic eA==", nil),
            ("Digest realm=R, nonce=n, stale=true", "Digest x", .stale),
        ]
            as [(String, String?, ConversationEvent.Challenge.Verdict?)])
    func challengesSayWhetherALoginWasRefused(
        challenge: String, given: String?, verdict: ConversationEvent.Challenge.Verdict?
    ) async throws {
        let observer = RecordingObserver()
        let transport = ScriptedTransport { _, _ in Answer(.unauthorized, [.wwwAuthenticate: challenge]) }
        var configuration = HttpConversationManager.Configuration()
        configuration.observers.add(observer)
        configuration.challengeFilters.add(
            TestFilter(
                handles: [.basic, .digest],
                onChallenge: { _, context in
                    given == nil && context[AskedKey.self] == nil
                        ? context.update(AskedKey.self, default: true) { _ in
                            .use(TokenCredential(token: "x"), .session)
                        }
                        : .notHandled
                }))
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        var request = try HTTPRequest(.get, "http://h/x")
        request.headerFields[.authorization] = given
        _ = try await manager.data(for: request)
        let verdicts = observer.events.compactMap { event -> ConversationEvent.Challenge.Verdict?? in
            if case .challengeReceived(let challenge) = event.kind { .some(challenge.verdict) } else { nil }
        }
        #expect(verdicts == (given == nil ? [nil, verdict] : [verdict]))
    }

    private enum AskedKey: ConversationContextKey { typealias Value = Bool }

    @Test func eventsHaveTheDateOfTheirElapsedTime() async throws {
        let observer = RecordingObserver()
        let (_, manager) = Self.manager([observer])
        let before = Date()
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/x"))
        let start = try #require(observer.events.first)
        #expect(start.date >= before && start.date <= Date())
        for event in observer.events {
            #expect(
                abs(event.date.timeIntervalSince(start.date) - (event.elapsed - start.elapsed) / .seconds(1)) < 1e-6)
        }
    }

    @Test func transcriptsAreBounded() async throws {
        let recorder = TranscriptRecorder(limit: 10)
        let (_, manager) = Self.manager([recorder])
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/x"))
        #expect(recorder.transcript.entries.count <= 10)
        #expect(recorder.transcript.isCut)
        #expect(recorder.transcript.entries.last?.kind == "bodyReceived")
    }

    @Test func transcriptsAreBoundedInSize() async throws {
        let (whole, recorder) = (TranscriptRecorder(), TranscriptRecorder(byteLimit: 6000))
        let (_, manager) = Self.manager([whole, recorder])
        _ = try await manager.data(for: HTTPRequest(.get, "http://h/x"))
        #expect(whole.transcript.entries.count > 10 && !whole.transcript.isCut)
        #expect(recorder.transcript.isCut && (5...10).contains(recorder.transcript.entries.count))
        #expect(
            recorder.transcript.entries == Array(whole.transcript.entries.suffix(recorder.transcript.entries.count)))
    }
}
