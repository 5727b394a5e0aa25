import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Testing

/// Files that change while they are sent.
@Suite(.timeLimit(.minutes(1))) struct ChangingFileTests {
    enum Change: CaseIterable {
        case append, shrink, rewrite, touch
    }

    private let bench: DownloadBench

    init() throws { bench = try DownloadBench() }

    private func apply(_ change: Change, to file: URL) throws {
        let handle = try FileHandle(forUpdating: file)
        defer { try? handle.close() }
        switch change {
        case .append:
            try handle.seekToEnd()
            try handle.write(contentsOf: Data([9]))
        case .shrink: try handle.truncate(atOffset: 200_000)
        case .rewrite: try handle.write(contentsOf: Data([9]))
        case .touch:
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1000)], ofItemAtPath: file.path)
        }
    }

    @Test(arguments: Change.allCases, [true, false]) func aChangedFileIsAnError(change: Change, isForm: Bool)
        async throws
    {
        let file = bench.url("in")
        try Data(repeating: 1, count: 300_000).write(to: file)
        // A file system's clock is coarse: without this, the change may fall into the same tick.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: file.path)
        let body = isForm ? RequestBody.multipart([try .file("f", file)]) : .file(file)
        let stream = try await body.open().stream()
        if isForm { _ = try await stream.next() }
        _ = try await stream.next()
        try apply(change, to: file)
        let error = await #expect(throws: ConversationError.self) {
            while try await stream.next() != nil {}
        }
        #expect(error?.code == .bodyUnavailable)
        if !isForm { #expect(error?.message.contains("\"in\" changed") == true) }
    }

    @Test func aFormOfManyFilesIsWhole() async throws {
        let parts = try (0..<200).map { index in
            try MultipartPart.file("f", bench.make("\(index)", "\(index)"))
        }
        let stream = try await RequestBody.multipart(parts).open().stream()
        var count = 0
        while let chunk = try await stream.next() { count += chunk.count }
        #expect(count > 200 * 100)
    }

    @Test func aMissingFileIsKnownBeforeAnythingIsSent() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = HttpConversationManager(transport: transport)
        let body = RequestBody.multipart([try .field("a", "b"), try .file("c", bench.url("none"))])
        #expect(await failureCode { try await manager.post("https://example.com/", body) } == .bodyUnavailable)
    }
}
