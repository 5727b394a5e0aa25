import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Synchronization
import TestSupport
import Testing

/// Announced sizes beyond 31 or 53 bits, whose bodies never come: no memory is reserved for them, and an interrupted
/// download leaves no file.
@Suite(.timeLimit(.minutes(1))) struct HugeSizeTests {
    static let sizes = ["2147483648", "4294967296", "9007199254740993", "9223372036854775807"]

    private static func run(
        _ head: String, _ work: @Sendable (HttpConversationManager, HTTPRequest) async throws -> Void
    ) async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n\(head)\r\n\r\nabc")
        } _: { server in
            let before = residentBytes()
            try await work(HttpConversationManager(transport: NIOTransport.make()), HTTPRequest(.get, server.url))
            #expect(residentBytes() - before < 512 << 20)
        }
    }

    private static func folder<Result>(_ work: (URL) async throws -> Result) async throws -> Result {
        let folder = try TemporaryPlace.folder("huge")
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await work(folder)
    }

    /// A limit that is too large for any type means no limit, and a negative one means zero.
    @Test(arguments: [Int.max, 1 << 40, 0, -1], [["h2"], ["http/1.1"]])
    func limitsOfHeads(limit: Int, protocols: [String]) async throws {
        try await HTTP2Server.run(protocols: protocols, configure: { $0.maximumHeadBytes = limit }) { connection in
            if protocols == ["h2"] {
                let peer = try await HTTP2Peer.accept(connection, settings: [(3, 10)])
                try await peer.respond(try await peer.readRequest())
                try await peer.serve()
            } else {
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        } _: { _, transport, url in
            do throws(ConversationError) {
                #expect(try await transport.text(.get, url) == "ok")
            } catch { #expect(limit <= 0 && error.code == .tooLarge, "\(error)") }
        }
    }

    @Test(arguments: sizes) func announcedLengthsReserveNoMemory(size: String) async throws {
        try await Self.run("Content-Length: \(size)") { manager, request in
            let stream = try await manager.bytes(for: request)
            #expect(stream.expectedLength == Int(size))
            #expect(await failureCode { for try await _ in stream.body {} } == .bodyCut)
        }
    }

    @Test(arguments: sizes) func inMemory(size: String) async throws {
        try await Self.run("Content-Length: \(size)") { manager, request in
            #expect(await failureCode { try await manager.data(for: request) } == .bodyCut)
        }
    }

    @Test(arguments: sizes) func intoAFile(size: String) async throws {
        try await Self.folder { folder in
            let out = folder.appending(path: "out")
            try await Self.run("Content-Length: \(size)") { manager, request in
                #expect(await failureCode { try await manager.download(for: request, to: out) } == .bodyCut)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            try await Self.run("Content-Length: \(size)") { manager, request in
                let download = try manager.startDownload(request, to: out)
                #expect(await download.result.failureCode == .bodyCut)
                let token = try #require(await download.token)
                #expect(token.length == 3 && token.total == Int(size))
                let copy = try JSONDecoder().decode(DownloadToken.self, from: JSONEncoder().encode(token))
                #expect(copy == token)
                var status = stat()
                #expect(stat(token.partialFile.path, &status) == 0 && status.st_blocks < 64)
            }
            #expect(!FileManager.default.fileExists(atPath: out.path))
        }
    }

    @Test(arguments: [
        ("Content-Length: 9223372036854775808", ConversationError.Code.malformedResponse),
        ("Content-Length: 18446744073709551617", .malformedResponse),
        ("Content-Length: -1", .malformedResponse),
    ]) func invalidLengthsAreRefused(head: String, code: ConversationError.Code) async throws {
        try await Self.run(head) { manager, request in
            #expect(await failureCode { try await manager.data(for: request) } == code)
        }
    }

    @Test(arguments: ["80000000", "20000000000001", "7fffffffffffffff", "ffffffffffffffff", "10000000000000003"])
    func chunks(size: String) async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nabc")
        } _: { server in
            let before = residentBytes()
            let error = await NIOTransport.make().failure(.get, server.url)
            #expect(error?.code == .bodyCut || error?.code == .malformedResponse)
            #expect(residentBytes() - before < 512 << 20)
        }
    }

    /// The caller's limit is checked before the first byte.
    @Test(arguments: sizes) func aLimit(size: String) async throws {
        try await Self.folder { folder in
            try await Self.run("Content-Length: \(size)") { manager, request in
                manager.update { $0.maximumBodyBytes = 1 << 31 - 1 }
                let download = try manager.startDownload(request, to: folder.appending(path: "out"))
                #expect(await download.result.failureCode == .tooLarge)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }
}

extension Result where Failure == ConversationError {
    fileprivate var failureCode: ConversationError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}

/// The resident memory of this process; 0 if unknown.
private func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    let columns = text.split(separator: " ")
    return (columns.count > 1 ? Int(columns[1]) ?? 0 : 0) * 4096
}
