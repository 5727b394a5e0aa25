import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// Bodies from delegates, and the reports of their progress.
@Suite(.timeLimit(.minutes(1))) struct DelegatedUploadTests {
    private typealias Answer = ScriptedTransport.Answer
    private static let text = Array("first second".utf8)

    private static func stream(_ chunks: [[UInt8]] = [Array("first ".utf8), Array("second".utf8)]) -> RequestBodyStream
    {
        RequestBodyStream(
            AsyncStream { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish()
            })
    }

    private static func giving(_ body: @escaping @Sendable () async throws -> RequestBodyStream? = { stream() })
        -> RecordingDelegate
    {
        var delegate = RecordingDelegate()
        delegate.body = body
        return delegate
    }

    /// The reason for sending the body a second time.
    enum Repetition: String, CaseIterable { case challenge, redirect, restart, repetition }

    private static func bench(_ repetition: Repetition, asked: Box<Int> = Box(0)) -> (
        HttpConversationManager, ScriptedTransport
    ) {
        let transport = ScriptedTransport { _, index in
            guard index == 0 else { return Answer(.ok) }
            return switch repetition {
            case .challenge: Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=\"R\""])
            case .redirect: Answer(.temporaryRedirect, [.location: "http://other/"])
            case .restart, .repetition: Answer(.serviceUnavailable)
            }
        }
        let filter = TestFilter(
            onChallenge: { _, _ in
                asked.update { $0 += 1 }
                return .use(TokenCredential(token: "right"), .session)
            },
            onResponse: { response, _ in
                guard response.status == .serviceUnavailable else { return .proceed }
                let step = ConversationStep<StepOutcome>("login", policy: .login) { _ in
                    asked.update { $0 += 1 }
                    return .done
                }
                return repetition == .restart
                    ? .restart(reason: "again", after: step) : .repeatExchange(reason: "again", after: step)
            })
        return (testManager(transport) { $0.add(filter) }, transport)
    }

    @Test(arguments: Repetition.allCases) func aNewStreamTakesThePlaceOfAUsedOne(repetition: Repetition) async throws {
        let delegate = Self.giving()
        let (manager, transport) = Self.bench(repetition)
        let body = RequestBody.oneShot(length: 12, Self.stream())
        let response = try await manager.upload(
            for: HTTPRequest(.put, "http://h/"), from: body, delegate: delegate)
        #expect(response.status == .ok)
        #expect(transport.bodies == [Self.text, Self.text])
        #expect(delegate.calls.count { $0 == .newBodyStream } == 1)
        let sent = delegate.calls.compactMap { if case .sent(let progress) = $0 { progress } else { nil } }
        #expect(sent.contains(UploadProgress(sent: 12, total: 12, pass: 1)))
        #expect(sent.last == UploadProgress(sent: 12, total: 12, pass: 2))
        #expect(sent.map(\.pass) == sent.map(\.pass).sorted())
    }

    @Test(arguments: Repetition.allCases) func withoutAStreamTheLoginIsNotAsked(repetition: Repetition) async throws {
        let delegate = Self.giving { nil }
        let asked = Box(0)
        let (manager, transport) = Self.bench(repetition, asked: asked)
        let error = await #expect(throws: ConversationError.self) {
            try await manager.upload(
                for: HTTPRequest(.put, "http://h/"), from: .oneShot(length: 12, Self.stream()), delegate: delegate)
        }
        #expect(error?.code == .bodyNotReplayable)
        #expect(delegate.calls.contains(.newBodyStream))
        #expect(delegate.calls.last == .failed(.bodyNotReplayable))
        #expect(asked.value == 0 && transport.requests.count == 1)
    }

    struct Broken: Error {}

    @Test(arguments: Repetition.allCases) func aFailingStreamReportsItsError(repetition: Repetition) async throws {
        let asked = Box(0)
        let (manager, transport) = Self.bench(repetition, asked: asked)
        let error = await #expect(throws: ConversationError.self) {
            try await manager.upload(
                for: HTTPRequest(.put, "http://h/"), from: .oneShot(Self.stream()),
                delegate: Self.giving { throw Broken() })
        }
        #expect(error?.code == .bodyUnavailable && error?.underlyingError is Broken)
        #expect(asked.value == 0 && transport.requests.count == 1)
    }

    /// The delegate may have the only body.
    @Test(arguments: [12, nil]) func aBodyThatOnlyTheDelegateHas(length: Int?) async throws {
        let delegate = Self.giving()
        let (manager, transport) = Self.bench(.challenge)
        let response = try await manager.upload(
            for: HTTPRequest(.put, "http://h/"), length: length, delegate: delegate)
        #expect(response.status == .ok)
        #expect(transport.bodies == [Self.text, Self.text])
        #expect(delegate.calls.count { $0 == .newBodyStream } == 2)
        let lengths = transport.requests.map { $0.body?.length }
        #expect(lengths == [length, length])
    }

    @Test(arguments: [true, false]) func aMissingBodyFails(hasDelegate: Bool) async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let error = await #expect(throws: ConversationError.self) {
            try await testManager(transport).upload(
                for: HTTPRequest(.put, "http://h/"), length: nil, delegate: hasDelegate ? RecordingDelegate() : nil)
        }
        #expect(error?.code == .bodyUnavailable)
        #expect(transport.requests.isEmpty)
    }

    /// A replayable body needs no new stream, and its reports say that it starts again.
    @Test func aRestartableBodyCountsItsPasses() async throws {
        let delegate = Self.giving()
        let (manager, _) = Self.bench(.challenge)
        _ = try await manager.upload(
            for: HTTPRequest(.put, "http://h/"), from: .bytes(Self.text), delegate: delegate)
        #expect(
            delegate.calls.prefix(2) == [
                .sent(.init(sent: 12, total: 12, pass: 1)), .sent(.init(sent: 12, total: 12, pass: 2)),
            ])
        #expect(!delegate.calls.contains(.newBodyStream))
    }

    /// Answers when half of the body is sent. The rest is sent while the response is read.
    private struct EarlyAnswer: HTTPTransport {
        final class Echo: TransportBody {
            private let report: @Sendable (Int) -> Void
            private let sent = Box(6)

            init(_ report: @escaping @Sendable (Int) -> Void) { self.report = report }

            func next() async throws(ConversationError) -> [UInt8]? {
                guard sent.value < 12 else { return nil }
                sent.update { $0 += 3 }
                report(sent.value)
                return [UInt8(sent.value)]
            }

            func cancel() {}
        }

        let status: HTTPResponse.Status
        let report = Box<(@Sendable (Int) -> Void)?>(nil)
        let capabilities: TransportCapabilities = [.streamingRequests, .streamingResponses]

        func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
            let progress = request.body?.progress
            let report = { @Sendable (sent: Int) in progress?(sent, 12) ?? () }
            self.report.update { $0 = report }
            report(6)
            return TransportResponse(head: HTTPResponse(status: status), body: ResponseBody(Echo(report)))
        }

        func shutdown() async {}
    }

    /// A server that accepts the body may answer before it has all of it. An error ends the upload.
    @Test(arguments: [.ok, .internalServerError] as [HTTPResponse.Status])
    func theReportsGoOnAfterAnEarlyAnswer(status: HTTPResponse.Status) async throws {
        let transport = EarlyAnswer(status: status)
        var delegate = RecordingDelegate()
        delegate.wait = { call in
            if case .disposition = call { transport.report.value?(7) }
        }
        _ = try await testManager(transport).upload(
            for: HTTPRequest(.put, "http://h/"), from: .bytes(Self.text), delegate: delegate)
        func sent(_ counts: Int...) -> [RecordingDelegate.Call] {
            counts.map { .sent(UploadProgress(sent: $0, total: 12)) }
        }
        let disposition = RecordingDelegate.Call.disposition(status, expectedLength: nil)
        let end = RecordingDelegate.Call.completed(status)
        let goesOn = sent(6) + [disposition] + sent(7, 9) + [.received([9])] + sent(12) + [.received([12]), end]
        let stops = sent(6) + [disposition, .received([9]), .received([12]), end]
        #expect(delegate.calls == (status == .ok ? goesOn : stops))
    }

    /// The `onProgress` callback is still called.
    @Test func theBodysProgressContinues() async throws {
        let reports = Box<[Int]>([])
        _ = try await testManager(ScriptedTransport { _, _ in Answer(.ok) }).upload(
            for: HTTPRequest(.put, "http://h/"),
            from: RequestBody.bytes(Self.text).onProgress { sent, _ in reports.update { $0.append(sent) } },
            delegate: RecordingDelegate())
        #expect(reports.value == [12])
    }

    /// The transport sends the body again by itself.
    @Test func aFallingCountStartsANewPass() throws {
        let delegates = Delegates([RecordingDelegate()], clock: ContinuousClock())
        let first = PassCounter(delegates)
        #expect([5, 10, 5, 10, 12, 12].map { first.pass(at: $0) } == [1, 1, 2, 2, 2, 3])
        #expect(PassCounter(delegates).pass(at: 20) == 4)
    }

    /// The previous exchange may still read while it ends.
    @Test func aLateReaderTakesNothingFromTheNextStream() async throws {
        let body = RequestBody.oneShot(Self.stream())
        guard case .oneShot(let shot) = body.kind else { return }
        let late = try await body.open().stream()
        _ = try await late.next()
        #expect(!body.isReplayable)
        shot.renew(with: Self.stream())
        #expect(body.isReplayable)
        await #expect(throws: CancellationError.self) { try await late.next() }
        #expect(body.isReplayable)
        let next = try await body.open().stream()
        #expect(try await next.next() == Array("first ".utf8))
    }
}
