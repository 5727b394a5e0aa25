import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import TestSupport
import Testing

/// The limit `maximumBodyBytes`, on the wire and decompressed.
@Suite(.timeLimit(.minutes(1))) struct BodyLimitTests {
    /// A way to send a body. Some exceed a limit of 1000 bytes.
    enum Body: CaseIterable, Sendable {
        case announced, announcedMuch, chunked, endless, toTheEnd
        case packed, packedMuch, unpacksToMuch, packedNothingWithoutEnd

        var isTooLarge: Bool { ![.announced, .packed].contains(self) }
        /// Whether it is refused before its first byte.
        var isKnownBefore: Bool { [.announcedMuch, .packedMuch].contains(self) }

        /// Whether it is refused before its end, so that its connection must close.
        var isCutOff: Bool { isKnownBefore || [.endless, .packedNothingWithoutEnd].contains(self) }

        func write(to connection: ServerConnection) async throws {
            switch self {
            case .announced: try await connection.respond(String(repeating: "x", count: 1000))
            // The body never comes: a client that waited for it would wait for ever.
            case .announcedMuch: try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
            case .chunked:
                try await connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                try await connection.write(String(repeating: "1\r\nx\r\n", count: 1001) + "0\r\n\r\n")
            case .endless:
                try await connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                let chunk = "4000\r\n\(String(repeating: "x", count: 16 << 10))\r\n"
                while true { try await connection.write(chunk) }
            case .toTheEnd:
                try await connection.write("HTTP/1.1 200 OK\r\n\r\n\(String(repeating: "x", count: 1001))")
            case .packed: try await packed(Deflated.gzip([UInt8](repeating: 120, count: 1000)), connection)
            case .packedMuch:
                try await connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1001\r\n\r\n")
            case .unpacksToMuch: try await packed(Deflated.gzip([UInt8](repeating: 120, count: 1001)), connection)
            case .packedNothingWithoutEnd:
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
                var nothing = Deflated.gzip([])
                for _ in 0..<10 { nothing += nothing }
                while true { try await connection.write(nothing) }
            }
        }

        private func packed(_ bytes: [UInt8], _ connection: ServerConnection) async throws {
            try await connection.write(
                Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8)
                    + bytes)
        }
    }

    private static func manager(_ limit: Int? = 1000) -> HttpConversationManager {
        return testManager(NIOTransport.make()) { $0.maximumBodyBytes = limit }
    }

    private static func run(_ body: Body, _ test: @Sendable (RawServer) async throws -> Void) async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await body.write(to: connection)
            if body != .toTheEnd { try await connection.untilClosed() }
        } _: { server in
            try await test(server)
        }
    }

    @Test(arguments: Body.allCases) func inMemory(body: Body) async throws {
        try await Self.run(body) { server in
            do throws(ConversationError) {
                let response = try await Self.manager().data(for: try HTTPRequest(.get, server.url))
                #expect(response.bytes.count == 1000)
                #expect(!body.isTooLarge)
            } catch {
                #expect(error.code == .tooLarge)
                #expect(error.message.contains("1000"))
                #expect(body.isTooLarge)
                if body.isCutOff { await server.wait { $0.closedCount == 1 } }
            }
        }
    }

    @Test(arguments: Body.allCases) func asAStream(body: Body) async throws {
        try await Self.run(body) { server in
            let stream = try await Self.manager().bytes(for: try HTTPRequest(.get, server.url))
            #expect(stream.status == .ok)
            var count = 0
            var code: ConversationError.Code?
            do throws(ConversationError) {
                while let chunk = try await stream.body.next() { count += chunk.count }
            } catch { code = error.code }
            #expect(code == (body.isTooLarge ? .tooLarge : nil))
            #expect(body.isKnownBefore ? count == 0 : count <= 1000)
        }
    }

    @Test(arguments: Body.allCases) func intoAFile(body: Body) async throws {
        let directory = try TemporaryPlace.folder("limit")
        defer { try? FileManager.default.removeItem(at: directory) }
        try await Self.run(body) { server in
            let request = try HTTPRequest(.get, server.url)
            _ = try? await Self.manager().download(for: request, to: directory.appending(path: "file"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names == (body.isTooLarge ? [] : ["file"]))
    }

    /// The limit covers only the final response.
    @Test func intermediateAnswersAreNotBounded() async throws {
        let long = String(repeating: "x", count: 5000)
        try await RawServer.run { connection in
            while true {
                let path = try await connection.readHead().split(separator: " ")[1]
                if path == "/" {
                    try await connection.write(
                        "HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 5000\r\n\r\n\(long)")
                } else {
                    try await connection.respond(path == "/child" ? long : "end")
                }
            }
        } _: { server in
            let url = server.url
            let manager = Self.manager()
            manager.update { $0.requestFilters.add(ChildReader(url: "\(url)/child")) }
            let text = try await manager.data(for: HTTPRequest(.get, url)).text
            #expect(text == "end")
        }
    }
}

/// Fetches another document before each attempt.
private struct ChildReader: RequestFilter {
    let url: String

    func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        let document = try await context.start(HTTPRequest(.get, url))
        #expect(document.bytes.count == 5000)
    }
}
