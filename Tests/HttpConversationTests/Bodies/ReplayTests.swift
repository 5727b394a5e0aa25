import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReplayTests {
    private typealias Answer = ScriptedTransport.Answer

    static let kinds = ["bytes", "file", "stream", "oneShot"]

    /// A body of each kind with the same contents.
    private static func body(_ kind: String) throws -> RequestBody {
        let chunks: [[UInt8]] = [Array("first ".utf8), Array("second".utf8)]
        switch kind {
        case "bytes": return .text("first second")
        case "file":
            let file = TemporaryPlace.unused("replay")
            try Data("first second".utf8).write(to: file)
            return .file(file)
        case "stream": return .stream(length: 12) { RequestBodyStream(Chunks(chunks)) }
        default: return .oneShot(length: 12, Chunks(chunks))
        }
    }

    private static func manager(
        _ transport: ScriptedTransport, asked: Box<Int> = Box(0)
    ) -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration()
        configuration.challengeFilters.add(
            TestFilter(onChallenge: { _, _ in
                asked.update { $0 += 1 }
                return .use(TokenCredential(token: "right"), .session)
            }))
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    private static func challenging(readsBodies: Bool = true) -> ScriptedTransport {
        ScriptedTransport(readsBodies: readsBodies) { request, _ in
            request.authorization == nil ? Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=\"R\""]) : Answer(.ok)
        }
    }

    @Test(arguments: kinds)
    func aChallengeReplaysTheWholeBodyOrFails(kind: String) async throws {
        let transport = Self.challenging()
        let asked = Box(0)
        let request = try HTTPRequest(.put, "http://h/upload")
        let body = try Self.body(kind)
        if kind == "oneShot" {
            let error = await #expect(throws: ConversationError.self) {
                try await Self.manager(transport, asked: asked).upload(for: request, from: body)
            }
            #expect(error?.code == .bodyNotReplayable)
            #expect(error?.challenge?.realm == "R")
            #expect(asked.value == 0)
            #expect(transport.requests.count == 1)
        } else {
            #expect(try await Self.manager(transport, asked: asked).upload(for: request, from: body).status == .ok)
            #expect(transport.bodies.map { String(decoding: $0, as: UTF8.self) } == ["first second", "first second"])
        }
    }

    /// The writer's progress when an early answer comes.
    enum Slowness: CaseIterable { case hasOpened, isAboutToRead }

    /// Answers before the request body is read. The first writer begins to read late: during the login, or with the
    /// next exchange.
    private struct SlowWriter: HTTPTransport {
        let slowness: Slowness
        var early = HTTPResponse.Status.unauthorized
        let late = Box<(@Sendable () async throws -> RequestBodyStream)?>(nil)
        let read = Box<[[UInt8]]>([])
        let capabilities: TransportCapabilities = [.streamingRequests, .streamingResponses]

        func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
            do {
                guard let body = request.body else { throw CancellationError() }
                let opened = try await body.open()
                guard request.headerFields.contains(.authorization) else {
                    let stream = slowness == .isAboutToRead ? try await opened.stream() : nil
                    late.update { $0 = { if let stream { stream } else { try await opened.stream() } } }
                    let fields: HTTPFields = [.wwwAuthenticate: "Basic realm=\"R\""]
                    return TransportResponse(
                        head: HTTPResponse(status: early, headerFields: fields), body: ResponseBody())
                }
                let stream = try await opened.stream()
                await begin()
                while let chunk = try await stream.next() { read.update { $0.append(chunk) } }
                return TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody())
            } catch {
                throw .wrapping(error, as: .bodyUnavailable, "The body is not there.")
            }
        }

        func begin() async {
            if let chunk = try? await late.value?().next() { read.update { $0.append(chunk + Array("too late".utf8)) } }
        }

        func shutdown() async {}
    }

    @Test(arguments: Slowness.allCases, [true, false])
    func aSlowReaderTakesNothingFromTheNextStream(slowness: Slowness, isAsking: Bool) async throws {
        for isLimited in [false, true] {
            let transport = SlowWriter(slowness: slowness)
            var configuration = HttpConversationManager.Configuration()
            configuration.challengeFilters.add(
                TestFilter(onChallenge: { _, _ in
                    if isAsking { await transport.begin() }
                    return .use(TokenCredential(token: "right"), .session)
                }))
            let manager =
                isLimited
                ? HttpConversationManager(
                    transport: RateLimitedTransport(transport, bytesPerSecond: 1 << 20), configuration: configuration)
                : HttpConversationManager(transport: transport, configuration: configuration)
            let response = try await manager.upload(for: HTTPRequest(.put, "http://h/"), from: Self.body("oneShot"))
            #expect(response.status == .ok)
            #expect(transport.read.value.map { String(decoding: $0, as: UTF8.self) } == ["first ", "second"])
        }
    }

    /// The server of an early 200 may read the body, unless a filter takes the answer for a login.
    @Test(arguments: Slowness.allCases)
    func aSlowReaderOfARefusedSuccessTakesNothing(slowness: Slowness) async throws {
        let transport = SlowWriter(slowness: slowness, early: .ok)
        let isLoggedIn = Box(false)
        let step: ConversationStep<StepOutcome> = ConversationStep("login") { _ in
            await transport.begin()
            isLoggedIn.update { $0 = true }
            return .done
        }
        var configuration = HttpConversationManager.Configuration()
        let filter = TestFilter(
            onAuthorize: { request, _ in if isLoggedIn.value { request.headerFields[.authorization] = "right" } },
            onResponse: { _, _ in isLoggedIn.value ? .proceed : .restart(reason: "a login", after: step) })
        configuration.requestFilters.add(filter)
        configuration.responseFilters.add(filter)
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        let response = try await manager.upload(for: HTTPRequest(.put, "http://h/"), from: Self.body("oneShot"))
        #expect(response.status == .ok)
        #expect(transport.read.value.map { String(decoding: $0, as: UTF8.self) } == ["first ", "second"])
    }

    /// A conversation leaves the body of an early 200 to its server.
    @Test(arguments: Slowness.allCases) func aSlowReaderOfASuccessGetsTheBody(slowness: Slowness) async throws {
        let transport = SlowWriter(slowness: slowness, early: .ok)
        let response = try await HttpConversationManager(transport: transport).upload(
            for: HTTPRequest(.put, "http://h/"), from: Self.body("oneShot"))
        #expect(response.status == .ok)
        await transport.begin()
        #expect(transport.read.value.map { String(decoding: $0, as: UTF8.self) } == ["first too late"])
    }

    /// With `Expect: 100-continue` the 401 comes before the first byte is read, so the body is still complete.
    @Test func anUntouchedOneShotBodyIsStillThere() async throws {
        let transport = Self.challenging(readsBodies: false)
        let body = try Self.body("oneShot")
        #expect(try await Self.manager(transport).upload(for: HTTPRequest(.put, "http://h/"), from: body).status == .ok)
        #expect(body.isReplayable)
    }

    @Test(arguments: [307, 308, 303])
    func redirectsReplayOnlyBodiesThatTheySend(status: Int) async throws {
        let transport = ScriptedTransport { _, index in
            index == 0 ? Answer(.init(code: status), [.location: "http://other/"]) : Answer(.ok)
        }
        let request = try HTTPRequest(.post, "http://h/")
        let body = try Self.body("oneShot")
        if status == 303 {
            #expect(try await Self.manager(transport).upload(for: request, from: body).status == .ok)
        } else {
            let error = await #expect(throws: ConversationError.self) {
                try await Self.manager(transport).upload(for: request, from: body)
            }
            #expect(error?.code == .bodyNotReplayable)
        }
    }

    @Test func anUnhandledChallengeIsDelivered() async throws {
        let transport = Self.challenging()
        let manager = HttpConversationManager(transport: transport)
        let response = try await manager.upload(for: HTTPRequest(.put, "http://h/"), from: Self.body("oneShot"))
        #expect(response.status == .unauthorized)
    }

    @Test func aMissingFileIsATypedError() async throws {
        let transport = Self.challenging()
        let error = await #expect(throws: ConversationError.self) {
            try await Self.manager(transport).upload(
                for: HTTPRequest(.put, "http://h/"), from: .file(URL(filePath: "/nowhere/at/all")))
        }
        #expect(error?.code == .bodyUnavailable)
    }
}

/// A few chunks, as a sequence.
private struct Chunks: AsyncSequence, Sendable {
    let chunks: [[UInt8]]

    init(_ chunks: [[UInt8]]) { self.chunks = chunks }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<[UInt8]>
        mutating func next() async -> [UInt8]? { rest.popFirst() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: chunks[...]) }
}
