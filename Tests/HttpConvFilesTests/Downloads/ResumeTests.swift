import Foundation
import HTTPTypes
import HttpC
import HttpConversationTesting
import Testing

/// A download resumes after an interruption, or starts over; bytes of two states of a resource never mix (RFC 9110
/// §14).
@Suite(.timeLimit(.minutes(1))) struct ResumeTests {
    private let bench: ResumeBench

    init() throws { bench = try ResumeBench() }

    /// A name may have as many bytes as the file system allows.
    @Test(arguments: [String(repeating: "n", count: 255), String(repeating: "ü", count: 127)])
    func theNameMayBeLong(name: String) async throws {
        let out = bench.files.url(name)
        bench.server.change { $0.cuts = [40_000] }
        let download = try bench.manager.startDownload(bench.request(), to: out)
        #expect(await download.result.code == .bodyCut)
        let found = try #require(try await DownloadToken.find(for: out))
        let token = try JSONDecoder().decode(DownloadToken.self, from: JSONEncoder().encode(found))
        #expect(token.length == 40_000)
        #expect(try await bench.resume(token).resumedAt == 40_000)
        #expect(bench.files.names == [name])
        #expect(try Data(contentsOf: out) == Data(ResumeBench.bytes))
    }

    @Test func threeCutsAtRandom() async throws {
        var token = try #require(try await bench.cut(after: .random(in: 1..<50_000)))
        for _ in 1...2 {
            let count = Int.random(in: 1..<1000)
            bench.server.change { $0.cuts = [count] }
            let download = try bench.manager.startDownload(bench.request(), resuming: token)
            guard case .failure(let error) = await download.result else { throw SetupError() }
            #expect(error.code == .bodyCut)
            let next = try #require(await download.token)
            #expect(next.length == token.length + count)
            // The message names the file and its length.
            #expect(
                error.message.contains(next.partialFile.lastPathComponent) && error.message.contains("\(next.length)"))
            #expect(bench.files.names == ["out.resume", next.partialFile.lastPathComponent].sorted())
            #expect(try bench.files.mode(next.partialFile.lastPathComponent) == 0o600)
            token = next
        }
        let length = token.length
        let complete = try await bench.resume(token)
        #expect(try bench.written() == ResumeBench.bytes)
        #expect(
            complete.resumedAt == length && complete.startedOver == nil && complete.response.status == .partialContent)
        #expect(bench.files.names == ["out"])
        #expect(bench.ranges.count == 4 && bench.ranges.last == "bytes=\(length)-")
        #expect(bench.transport.requests.dropFirst().allSatisfy { $0.headerFields[.ifRange] == "\"v1\"" })
        #expect(bench.transport.requests.allSatisfy { $0.headerFields[.acceptEncoding] == "identity" })
    }

    /// Bytes of the network never run as a file's owner or its group.
    @Test(arguments: [0o4755, 0o2755] as [mode_t]) func aFileThatRunsAsItsOwnerBecomesAPlainOne(mode: mode_t)
        async throws
    {
        _ = try bench.files.make("out", "old")
        #expect(chmod(bench.out.path, mode) == 0)
        let token = try #require(try await bench.cut(after: 40_000))
        #expect(try await bench.resume(token).resumedAt == 40_000)
        #expect(try bench.written() == ResumeBench.bytes)
        var status = stat()
        #expect(stat(bench.out.path, &status) == 0 && status.st_mode & 0o7777 == 0o755)
    }

    /// If the response does not continue the existing bytes, the same conversation asks for the whole.
    @Test(
        arguments: [
            ("another tag", [.eTag: "\"v2\""]), ("a weak tag", [.eTag: "W/\"v1\""]), ("no tag", [.eTag: ""]),
            ("another start", [.contentRange: "bytes 0-99999/100000"]),
            ("an overlap", [.contentRange: "bytes 39999-99998/100000"]),
            ("a gap", [.contentRange: "bytes 40001-99999/100000"]),
            ("another total", [.contentRange: "bytes 40000-99999/100001"]),
            ("an unknown total", [.contentRange: "bytes 40000-99999/*"]),
            ("less than the rest", [.contentRange: "bytes 40000-99998/100000"]),
            ("another length", [.contentLength: "59999"]), ("an invalid length", [.contentLength: "60000x"]),
            ("no range", [.contentRange: ""]), ("no numbers", [.contentRange: "bytes +40000-99999/100000"]),
            ("another unit", [.contentRange: "lines 40000-99999/100000"]),
            ("a content coding", [.contentEncoding: "gzip"]),
            ("several parts", [.contentType: "multipart/byteranges; boundary=x"]),
        ] as [(String, HTTPFields)])
    func anotherPart(name: String, fields: HTTPFields) async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        bench.server.change { $0.range = { RangeServer.part($0, $1, fields) } }
        let complete = try await bench.resume(token)
        #expect(try bench.written() == ResumeBench.bytes)
        #expect(complete.startedOver != nil && complete.resumedAt == 0)
        #expect(bench.ranges == ["-", "bytes=40000-", "-"])
        #expect(bench.files.names == ["out"])
        #expect(complete.response.attempts.count == 2)
    }

    /// A chunked answer has no length, and needs none: the file takes the bytes of the range.
    @Test func aRestWithoutALengthContinues() async throws {
        var token = try #require(try await bench.cut(after: 40_000))
        bench.server.change { state in
            state.range = { start, state in
                .init(.partialContent, RangeServer.part(start, state), chunks: [Array(state.bytes[start..<70_000])])
            }
        }
        // Fewer bytes than the range has.
        let download = try bench.manager.startDownload(bench.request(), resuming: token)
        #expect(await download.result.code == .bodyCut)
        token = try #require(await download.token)
        #expect(token.length == 70_000)
        bench.server.change { state in
            state.range = { start, state in
                .init(.partialContent, RangeServer.part(start, state), chunks: [Array(state.bytes[start...])])
            }
        }
        let complete = try await bench.resume(token)
        #expect(try bench.written() == ResumeBench.bytes)
        #expect(complete.resumedAt == 70_000 && complete.startedOver == nil)
        #expect(bench.ranges == ["-", "bytes=40000-", "bytes=70000-"])
    }

    /// After a transport has removed a content coding, no field tells of it. Its bytes are not those of the range.
    @Test func aDecodedRestStartsOver() async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        bench.server.change { state in
            state.range = { start, state in
                .init(.partialContent, RangeServer.part(start, state), chunks: [Array(state.bytes[start...])])
            }
        }
        let manager = HttpConversationManager(transport: DecodingTransport(base: bench.transport))
        let complete = try await manager.startDownload(bench.request(), resuming: token).value
        #expect(complete.startedOver == .coded && complete.resumedAt == 0)
        #expect(bench.ranges == ["-", "bytes=40000-", "-"])
        #expect(try bench.written() == ResumeBench.bytes)
    }

    @Test(arguments: [true, false]) func aChangedResourceStartsOver(isKnown: Bool) async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        bench.server.change { state in
            state.bytes = ResumeBench.other
            state.tag = isKnown ? "\"v2\"" : nil
        }
        let complete = try await bench.resume(token)
        #expect(try bench.written() == ResumeBench.other)
        #expect(complete.startedOver == .changed && complete.response.status == .ok)
        #expect(bench.ranges == ["-", "bytes=40000-"])
        #expect(bench.files.names == ["out"])
    }

    @Test func whoIgnoresRangesSendsTheWhole() async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        bench.server.change { state in
            state.range = { _, state in .init(.ok, [.eTag: state.tag ?? ""], bytes: state.bytes) }
        }
        #expect(try await bench.resume(token).startedOver == .rangesIgnored)
        #expect(try bench.written() == ResumeBench.bytes)
    }

    @Test func allOfItIsThere() async throws {
        let token = try #require(try await bench.cut(after: ResumeBench.bytes.count))
        #expect(token.length == token.total)
        let complete = try await bench.resume(token)
        #expect(complete.response.status == .rangeNotSatisfiable && complete.resumedAt == ResumeBench.bytes.count)
        #expect(try bench.written() == ResumeBench.bytes)
        #expect(bench.files.names == ["out"])
    }

    @Test(arguments: ["bytes */99999", "bytes */40000", "", "*/40000"]) func aRangeBeyondTheEnd(range: String)
        async throws
    {
        let token = try #require(try await bench.cut(after: 40_000))
        bench.server.change { state in
            state.range = { _, state in .init(.rangeNotSatisfiable, [.eTag: state.tag ?? "", .contentRange: range]) }
        }
        #expect(try await bench.resume(token).startedOver == .changed)
        #expect(try bench.written() == ResumeBench.bytes)
    }

    /// All bytes exist, but possibly of another resource.
    @Test(
        arguments: [
            ("another total", [.contentRange: "bytes */100001"]), ("another tag", [.eTag: "\"v2\""]),
        ] as [(String, HTTPFields)])
    func anotherWhole(name: String, fields: HTTPFields) async throws {
        let token = try #require(try await bench.cut(after: ResumeBench.bytes.count))
        bench.server.change { state in
            state.range = { _, state in
                var all: HTTPFields = [.eTag: state.tag ?? "", .contentRange: "bytes */\(state.bytes.count)"]
                for field in fields { all[field.name] = field.value }
                return .init(.rangeNotSatisfiable, all)
            }
        }
        #expect(try await bench.resume(token).startedOver == .changed)
        #expect(bench.ranges == ["-", "bytes=100000-", "-"])
        #expect(try bench.written() == ResumeBench.bytes)
    }

    /// A partial response that was not asked for is an error.
    @Test func aPartThatNobodyAskedFor() async throws {
        bench.server.change { $0.status = .partialContent }
        let download = try bench.manager.startDownload(bench.request(), to: bench.out)
        #expect(await download.result.code == .unsuccessfulStatus)
        #expect(bench.files.names.isEmpty)
    }

    /// A new download removes the bytes of an earlier one.
    @Test func anotherDownloadTakesThePlaceOfTheFirst() async throws {
        _ = try await bench.cut(after: 40_000)
        let token = try #require(try await bench.cut(after: 30_000))
        #expect(bench.files.names == ["out.resume", token.partialFile.lastPathComponent].sorted())
    }

    /// Without a received byte there is no token.
    @Test func cutBeforeTheFirstByte() async throws {
        #expect(try await bench.cut(after: 0) == nil)
        #expect(bench.files.names.isEmpty)
    }

    /// More bytes than announced, which a wrong length lets through.
    @Test func moreThanTheRest() async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        bench.server.change { state in
            state.range = { start, state in
                let fields: HTTPFields = [.contentLength: "\(state.bytes.count - start)"]
                return RangeServer.part(start, state, fields, bytes: [UInt8](repeating: 0, count: 70_000))
            }
        }
        let download = try bench.manager.startDownload(bench.request(), resuming: token)
        #expect(await download.result.code == .malformedResponse)
        #expect(!bench.files.names.contains("out"))
    }

    @Test(
        arguments: [
            (nil, true, [:]), ("W/\"v1\"", true, [:]), ("v1", true, [:]), ("\"v1\"", false, [:]),
            ("\"v1\"", true, [.acceptRanges: "none"]), ("\"v1\"", true, [.contentEncoding: "gzip"]),
            ("\"a\"b\"", true, [:]),
        ] as [(String?, Bool, HTTPFields)])
    func withoutAValidatorNothingStays(tag: String?, hasLength: Bool, fields: HTTPFields) async throws {
        let bench = try ResumeBench(tag: tag)
        bench.server.change { state in
            state.hasLength = hasLength
            state.fields = fields
        }
        #expect(try await bench.cut(after: 40_000) == nil)
        #expect(bench.files.names.isEmpty)
    }

    /// The validator is not that of a transformed response (RFC 9110 §15.3.4).
    @Test func ofATransformedAnswerNothingStays() async throws {
        bench.server.change { $0.status = .nonAuthoritativeInformation }
        #expect(try await bench.cut(after: 40_000) == nil)
        #expect(bench.files.names.isEmpty)
    }

    @Test func aStatusThatIsNoSuccessWritesNothing() async throws {
        let token = try #require(try await bench.cut(after: 40_000))
        let names = bench.files.names
        bench.server.change { state in state.range = { _, _ in .init(.serviceUnavailable, body: "later") } }
        let download = try bench.manager.startDownload(bench.request(), resuming: token)
        guard case .failure(let error) = await download.result else { throw SetupError() }
        #expect(error.code == .unsuccessfulStatus && error.response?.text == "later")
        #expect(error.conversationID == download.id)
        #expect(await download.token == token)
        #expect(bench.files.names == names)
        bench.server.change { $0.range = nil }
        #expect(try await bench.resume(token).resumedAt == 40_000)
        #expect(try bench.written() == ResumeBench.bytes)
    }

    @Test func aLoginInTheMiddle() async throws {
        let login = CommonAuthenticationConfigurator.password("alice", "secret", for: "https://example.com")
        let bench = try ResumeBench { $0.apply(login) }
        let token = try #require(try await bench.cut(after: 40_000))
        let transport = ScriptedTransport { request, _ in
            guard request.headerFields.contains(.authorization) else {
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"x\""], body: "who are you?")
            }
            let state = bench.server.state.withLock { $0 }
            return RangeServer.part(RangeServer.start(of: request.headerFields[.range] ?? "") ?? 0, state, [:])
        }
        let manager = HttpConversationManager(transport: transport, login)
        let complete = try await manager.startDownload(bench.request(), resuming: token).value
        #expect(complete.resumedAt == 40_000 && complete.startedOver == nil)
        #expect(try bench.written() == ResumeBench.bytes)
        #expect(transport.requests.map { $0.headerFields[.range] } == ["bytes=40000-", "bytes=40000-"])
    }

    @Test func aRangeOfOnesOwnIsRefused() throws {
        var request = try bench.request()
        request.headerFields[.range] = "bytes=0-1"
        #expect(throws: ConversationError.self) { try bench.manager.startDownload(request, to: bench.out) }
    }
}

struct SetupError: Error {}

/// A transport that removes content codings from parts.
private struct DecodingTransport: HTTPTransport {
    let base: ScriptedTransport

    var capabilities: TransportCapabilities { base.capabilities }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let response = try await base.send(request)
        guard response.head.status == .partialContent else { return response }
        return TransportResponse(
            head: response.head, body: ResponseBody(DecodedBody(response.body), transferLength: nil))
    }

    func shutdown() async {}

    private final class DecodedBody: TransportBody {
        private let body: ResponseBody

        init(_ body: ResponseBody) { self.body = body }

        func next() async throws(ConversationError) -> [UInt8]? { try await body.next() }

        func cancel() { body.cancel() }
    }
}

extension Result where Failure == ConversationError {
    var code: ConversationError.Code? { if case .failure(let error) = self { error.code } else { nil } }
}
