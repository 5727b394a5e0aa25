import Foundation
import HttpC
import HttpConvTranscripts
import HttpConversationNIO
import HttpConversationTesting
import LandscapeSupport
import Testing

/// The export as HAR 1.2.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ArchiveTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: TranscriptBench.Login.allCases)
    func aLoginIsAnArchive(_ login: TranscriptBench.Login) async throws {
        let bench = try login.bench(landscape)
        #expect(try await bench.get(login.rawValue).status == .ok)
        let text = bench.transcript.har(creator: "tests", version: "1")
        #expect(try HARFormat.problems(of: text) == [])
        let archive = try Self.decode(text)
        // All requests that arrived, in their order.
        #expect(
            archive.log.entries.map { "\($0.request.method) \($0.response.status)" }
                == landscape.requests().map { "\($0.method) \($0.status ?? 0)" })
        #expect(Set(archive.log.entries.map(\.request.httpVersion)) == ["HTTP/1.1"])
        #expect(archive.log.entries.allSatisfy { $0.serverIPAddress == "127.0.0.1" && $0.connection != nil })
        let title = "GET \(landscape.urlString(.main, login.rawValue))"
        let root = try #require(archive.log.pages.first)
        #expect(root.title == title)
        #expect(archive.log.pages.dropFirst().allSatisfy { $0._parent == root.id })
        #expect(archive.log.pages.count == (login == .digest ? 1 : archive.log.entries.count - 1))
    }

    @Test func cookiesGoByTheirNames() async throws {
        let bench = try TranscriptBench(landscape)
        try await bench.get("/cookies/set?line=a%3Dcanary-1%3B%20Path%3D/&line=b%3Dcanary-2%3B%20Path%3D/")
        try await bench.get("/json?page=2&token=canary-3#canary-4")
        let text = bench.transcript.har()
        let entries = try Self.decode(text).log.entries
        #expect(entries[0].response.cookies.map(\.name) == ["a", "b"])
        #expect(entries[1].request.cookies.map(\.name) == ["a", "b"])
        #expect(entries[1].request.queryString.map { "\($0.name)=\($0.value)" } == ["page=2", "token=…"])
        #expect(!text.contains("canary") && !bench.transcript.html().contains("canary"))
        #expect(landscape.requests(path: "/json").first?.values(of: "cookie") == ["a=canary-1; b=canary-2"])
    }

    @Test func failuresAreInTheTranscript() async throws {
        let bench = try TranscriptBench(landscape)
        await #expect(throws: ConversationError.self) { try await bench.get("/fault/reset-before-head") }
        let text = bench.transcript.har()
        #expect(try HARFormat.problems(of: text) == [])
        let log = try Self.decode(text).log
        #expect(log.entries.last?.response.status == 0)
        #expect(log.entries.last?.response._error?.isEmpty == false)
        #expect(log.pages.first?.comment == log.entries.last?.response._error)
    }

    /// `Content-Length` is no proof that a body arrived.
    @Test(
        arguments: [
            (.head, .init(.ok, [.contentLength: "5000"]), 0, 0),
            (.get, .init(.notModified, [.contentLength: "5000"]), 0, 0),
            (.get, .init(.noContent), 0, 0), (.get, .init(.ok, [.contentLength: "5"], body: "hello"), 5, 5),
            (.get, .init(.ok, chunks: [Array("hello".utf8)]), -1, 5),
            (.get, .init(.ok, [.contentLength: "5"], body: "hello").failing(after: 2), -1, 0),
        ] as [(HTTPRequest.Method, ScriptedTransport.Answer, Int, Int)])
    func sizesAreOfWhatArrived(
        method: HTTPRequest.Method, answer: ScriptedTransport.Answer, bodySize: Int, size: Int
    ) async throws {
        let recorder = TranscriptRecorder()
        var configuration = HttpConversationManager.Configuration()
        configuration.observers.add(recorder)
        let manager = HttpConversationManager(
            transport: ScriptedTransport { _, _ in answer }, configuration: configuration)
        _ = try? await manager.data(for: HTTPRequest(method, "https://example.com/"))
        let text = recorder.transcript.har()
        #expect(try HARFormat.problems(of: text) == [])
        let response = try #require(try Self.decode(text).log.entries.first).response
        #expect(response.bodySize == bodySize && response.content.size == size)
    }

    @Test func theFormatIsChecked() throws {
        let empty = Transcript().har()
        #expect(try HARFormat.problems(of: empty) == [])
        #expect(
            try HARFormat.problems(of: empty.replacing("\"1.2\"", with: "12")) == ["log.version is 12", "log.version"])
        #expect(try HARFormat.problems(of: empty.replacing("entries", with: "entry")).count == 2)
    }

    private struct Archive: Decodable {
        struct Log: Decodable {
            let pages: [Page]
            let entries: [Entry]
        }
        struct Page: Decodable {
            let id: String
            let title: String
            let _parent: String?
            let comment: String?
        }
        struct Entry: Decodable {
            let request: Request
            let response: Response
            let serverIPAddress: String?
            let connection: String?
        }
        struct Request: Decodable {
            let method: String
            let httpVersion: String
            let cookies: [Pair]
            let queryString: [Pair]
        }
        struct Response: Decodable {
            let status: Int
            let cookies: [Pair]
            let bodySize: Int
            let content: Content
            let _error: String?
        }
        struct Content: Decodable { let size: Int }
        struct Pair: Decodable {
            let name: String
            let value: String
        }
        let log: Log
    }

    private static func decode(_ text: String) throws -> Archive {
        try JSONDecoder().decode(Archive.self, from: Data(text.utf8))
    }
}
