import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct FileBodyTests {
    private let bench: DownloadBench
    private static let bytes = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })

    init() throws { bench = try DownloadBench() }

    /// As after a login: the body is sent again from its start, and the count starts again.
    @Test(arguments: [true, false]) func aRepeatedBodyStartsAgain(isFile: Bool) async throws {
        let file = bench.url("in")
        try Data(Self.bytes).write(to: file)
        let transport = ScriptedTransport { _, index in .init(index == 0 ? .serviceUnavailable : .ok) }
        let manager = testManager(transport) { $0.responseFilters.add(OnceMore()) }
        let reports = Mutex<[(sent: Int, total: Int?)]>([])
        let body = isFile ? RequestBody.file(file) : .stream { RequestBodyStream(Self.chunks) }
        _ = try await manager.upload(
            for: HTTPRequest(.put, "https://example.com/"),
            from: body.onProgress { sent, total in reports.withLock { $0.append((sent, total)) } })
        #expect(transport.bodies == [Self.bytes, Self.bytes])
        let seen = reports.withLock { $0 }
        #expect(seen.count >= 4 && seen.count.isMultiple(of: 2))
        let first = seen.prefix(seen.count / 2)
        #expect(first.map(\.sent) == seen.suffix(seen.count / 2).map(\.sent))
        #expect(first.map(\.sent) == first.map(\.sent).sorted() && first.last?.sent == Self.bytes.count)
        #expect(seen.allSatisfy { $0.total == (isFile ? Self.bytes.count : nil) })
    }

    private static var chunks: AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: bytes.count, by: 100_000) {
                continuation.yield(Array(bytes[start..<start + 100_000]))
            }
            continuation.finish()
        }
    }

    @Test(arguments: [("", nil as String?), ("none", nil), ("empty", ""), ("text", "hello")])
    func whatIsThere(name: String, text: String?) async throws {
        _ = try bench.make("empty", "")
        _ = try bench.make("text", "hello")
        let body = RequestBody.file(bench.url(name))
        do {
            let opened = try await body.open()
            #expect(opened.length == text?.utf8.count)
            for _ in 1...2 {
                let stream = try await opened.stream()
                var bytes: [UInt8] = []
                while let chunk = try await stream.next() { bytes += chunk }
                #expect(String(decoding: bytes, as: UTF8.self) == text)
            }
        } catch {
            #expect(text == nil && (error as? ConversationError)?.code == .bodyUnavailable)
        }
    }

    #if os(Linux)
    /// A file of /proc reports the size 0, and its bytes are made when it is read.
    @Test(arguments: [false, true]) func aFileWithoutASizeIsReadFromItsStartEachTime(isForm: Bool) async throws {
        let file = URL(filePath: "/proc/version")
        let text = try String(contentsOf: file, encoding: .utf8)
        try #require(!text.isEmpty)
        let opened = try await (isForm ? .multipart([try .file("f", file)]) : RequestBody.file(file)).open()
        #expect(opened.length == nil)
        for _ in 1...2 {
            let stream = try await opened.stream()
            var bytes: [UInt8] = []
            while let chunk = try await stream.next() { bytes += chunk }
            let sent = String(decoding: bytes, as: UTF8.self)
            #expect(isForm ? sent.contains("\r\n\r\n\(text)\r\n--") : sent == text)
        }
    }
    #endif
}

private struct OnceMore: ResponseFilter {
    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
        response.status == .serviceUnavailable ? .repeatExchange(reason: "busy") : .proceed
    }
}
