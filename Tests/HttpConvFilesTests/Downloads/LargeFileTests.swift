import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Testing

/// A resumed download beyond 32-bit offsets. The file is sparse, so it takes no space.
@Suite(.timeLimit(.minutes(1))) struct LargeFileTests {
    @Test(arguments: [1 << 31, 1 << 33]) func itGoesOnThere(start: Int) async throws {
        let files = try DownloadBench()
        let total = start + 10
        let transport = ScriptedTransport { request, index in
            var fields: HTTPFields = [.eTag: "\"v1\""]
            if index == 0 {
                fields[.contentLength] = "\(total)"
                return ScriptedTransport.Answer(.ok, fields, bytes: [UInt8](repeating: 1, count: 10)).failing(after: 5)
            }
            guard request.headerFields[.range] == "bytes=\(start)-" else { return .init(.badRequest) }
            fields[.contentLength] = "10"
            fields[.contentRange] = "bytes \(start)-\(total - 1)/\(total)"
            return .init(.partialContent, fields, bytes: Array(0..<10))
        }
        let manager = HttpConversationManager(transport: transport)
        let request = try HTTPRequest(.get, "https://example.com/")
        let cut = try manager.startDownload(request, to: files.url("out"))
        #expect(await cut.result.code == .bodyCut)
        let token = try #require(await cut.token)
        #expect(token.length == 5 && token.total == total)
        try FileHandle(forWritingTo: token.partialFile).truncate(atOffset: UInt64(start))
        let found = try #require(try await DownloadToken.find(for: files.url("out")))
        #expect(found.length == start)
        let complete = try await manager.startDownload(request, resuming: found).value
        #expect(complete.resumedAt == start)
        #expect(files.names == ["out"])
        let handle = try FileHandle(forReadingFrom: files.url("out"))
        #expect(try handle.seekToEnd() == UInt64(total))
        try handle.seek(toOffset: UInt64(start))
        #expect(try handle.readToEnd() == Data(0..<10))
    }
}
