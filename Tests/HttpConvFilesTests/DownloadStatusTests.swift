import Foundation
import HTTPTypes
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvFiles
@testable import HttpConversation

/// A status other than 2xx touches no file, with any kind of download.
@Suite(.timeLimit(.minutes(1))) struct DownloadStatusTests {
    private typealias Answer = ScriptedTransport.Answer

    enum Way: String, CaseIterable { case download, start, sink, closure, completion, becomes }

    private let bench: DownloadBench

    init() throws { bench = try DownloadBench() }

    private struct Becomes: ConversationDelegate {
        let file: URL
        func disposition(of response: ConversationResponse, expectedLength: Int?) async -> ResponseDisposition? {
            .becomeDownload(to: file)
        }
    }

    /// - Returns: the response that a closure got
    private func perform(_ way: Way, _ manager: HttpConversationManager, _ file: URL) async throws
        -> ConversationResponse
    {
        let request = try HTTPRequest(.get, "https://example.com/report")
        switch way {
        case .download: return try await manager.download(for: request, to: file)
        case .start: return try await manager.startDownload(request, to: file).value.response
        case .sink: return try await manager.download(for: request, to: OutputFile(file))
        case .closure:
            return try await manager.download(for: request) { chunk in try Data(chunk).write(to: file) }
        case .completion:
            return try await withCheckedContinuation { continuation in
                _ = manager.executeDownloadRequest(request, to: OutputFile(file)) { continuation.resume(returning: $0) }
            }.get()
        case .becomes: return try await manager.data(for: request, delegate: Becomes(file: file))
        }
    }

    @Test(arguments: [401, 403, 404, 500, 302, 304, 206], Way.allCases)
    func theGoodFileStays(code: Int, way: Way) async throws {
        let file = try bench.make("report", "good")
        let answer = Answer(.init(code: code), [.wwwAuthenticate: "Basic realm=R"], body: "an error page")
        let manager = bench.manager(answer)
        if way == .becomes, code != 206 {
            // The caller gets the error page, the file does not.
            let response = try await perform(way, manager, file)
            #expect(response.status.code == code && response.text == "an error page")
        } else if way != .becomes {
            let error = await #expect(throws: ConversationError.self) { _ = try await perform(way, manager, file) }
            #expect(error?.code == .unsuccessfulStatus)
            #expect(error?.response?.status.code == code && error?.response?.text == "an error page")
            #expect(error?.login == (code == 401 ? .notConfigured : .notAsked))
            #expect(error?.message.contains("an error page") == false)
        } else {
            return
        }
        #expect(try bench.text("report") == "good")
        #expect(bench.names == ["report"])
    }

    /// The control: a success replaces the file.
    @Test(arguments: [200, 201, 203], Way.allCases) func aSuccessReplacesIt(code: Int, way: Way) async throws {
        let file = try bench.make("report", "old")
        let response = try await perform(way, bench.manager(Answer(.init(code: code), body: "new")), file)
        #expect(response.status.code == code)
        #expect(try bench.text("report") == "new")
    }

    /// A partial response that was asked for is a success.
    @Test func aPartThatWasAskedFor() async throws {
        let answer = Answer(.partialContent, [.contentRange: "bytes 0-2/9"], body: "one")
        _ = try await bench.manager(answer).download(
            for: HTTPRequest(.get, "https://example.com/", fields: [.range: "bytes=0-2"]), to: bench.url("out"))
        #expect(try bench.text("out") == "one")
    }

    /// The page does not come: the error does not wait for it.
    @Test func aPageThatNeverComes() async throws {
        let answer = Answer(.internalServerError, chunks: [[65]]).pausing(.seconds(3600))
        let transport = ScriptedTransport { _, _ in answer }
        var configuration = HttpConversationManager.Configuration()
        configuration.peekTimeout = .milliseconds(50)
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        let error = await #expect(throws: ConversationError.self) {
            try await manager.download(for: HTTPRequest(.get, "https://example.com/"), to: bench.url("out"))
        }
        #expect(error?.code == .unsuccessfulStatus && error?.response?.bytes.isEmpty == true)
        #expect(bench.names.isEmpty)
    }

    /// The error has the page's start.
    @Test func aLongPage() async throws {
        let answer = Answer(.internalServerError, bytes: [UInt8](repeating: 65, count: 2 << 20))
        let error = await #expect(throws: ConversationError.self) {
            try await bench.manager(answer).download(
                for: HTTPRequest(.get, "https://example.com/"), to: bench.url("out"))
        }
        #expect(error?.code == .unsuccessfulStatus && error?.response?.bytes.count == 1 << 20)
        #expect(bench.names.isEmpty)
    }
}
