import HTTPTypes
import HttpConversation
import HttpConversationNIO
import Testing

@Suite(.timeLimit(.minutes(1))) struct DecompressionTests {
    private func answer(
        _ bytes: [UInt8], coding: String, _ method: HTTPRequest.Method = .get, fields: HTTPFields = [:],
        maximumExpansion: Int = 1100, inPieces: Bool = false, decompresses: Bool = true
    ) async throws -> Result<(HTTPResponse, [UInt8]), ConversationError> {
        let transport = NIOTransport.make { $0.maximumExpansion = maximumExpansion }
        return try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write(
                "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\nContent-Encoding: \(coding)\r\n\r\n")
            for piece in inPieces ? bytes.map({ [$0] }) : [bytes] { try await connection.write(piece) }
            try await connection.untilClosed()
        } _: { server in
            do throws(ConversationError) {
                let response = try await transport.send(method, server.url, fields: fields) {
                    $0.decompresses = decompresses
                }
                return .success((response.head, try await response.body.collect(upTo: 64 << 20)))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test(
        arguments: [
            ("gzip", Deflated.gzip), ("x-gzip", Deflated.gzip), ("GZIP", Deflated.gzip), ("deflate", Deflated.zlib),
            ("deflate", Deflated.raw), ("gzip", Deflated.gzip + Deflated.gzip), ("identity", Array(Deflated.text.utf8)),
        ], [false, true]) func isUndone(sample: (String, [UInt8]), inPieces: Bool) async throws
    {
        let (head, bytes) = try await answer(sample.1, coding: sample.0, inPieces: inPieces).get()
        let times = sample.1.count == 2 * Deflated.gzip.count ? 2 : 1
        #expect(String(decoding: bytes, as: UTF8.self) == String(repeating: Deflated.text, count: times))
        if sample.0 != "identity" {
            #expect(head.headerFields[.contentEncoding] == nil)
            #expect(head.headerFields[.contentLength] == nil)
        }
    }

    @Test(
        arguments: [
            ("gzip", Array("no gzip at all".utf8)), ("gzip", Array(Deflated.gzip.dropLast(9))), ("br", [1, 2, 3]),
            ("deflate", Deflated.zlib + [1]), ("gzip", Deflated.gzip + [1, 2, 3]),
        ] as [(String, [UInt8])]) func damagedOrUnknown(coding: String, bytes: [UInt8]) async throws
    {
        let result = try await answer(bytes, coding: coding)
        guard case .failure(let error) = result else {
            Issue.record("accepted")
            return
        }
        #expect(error.code == .contentCoding)
    }

    @Test func bombIsStopped() async throws {
        let bomb = Deflated.zeros(16 << 20)
        let refused = try await answer(bomb, coding: "gzip", maximumExpansion: 10)
        guard case .failure(let error) = refused else {
            Issue.record("accepted")
            return
        }
        #expect(error.code == .contentCoding)
        #expect(error.message.contains("10 times"))
        let allowed = try await answer(bomb, coding: "gzip").get()
        #expect(allowed.1.count == 16 << 20)
    }

    @Test func untouchedWhereNotWanted() async throws {
        let plain = try await answer(Deflated.gzip, coding: "gzip", decompresses: false).get()
        #expect(plain.1 == Deflated.gzip)
        #expect(plain.0.headerFields[.contentEncoding] == "gzip")
        let asked = try await answer([1, 2, 3], coding: "br", fields: [.acceptEncoding: "br"]).get()
        #expect(asked.1 == [1, 2, 3])
    }

    @Test func headWithACoding() async throws {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            while true {
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Encoding: gzip\r\n\r\n")
            }
        } _: { server in
            for _ in 0..<2 {
                let text = try await transport.text(.head, server.url)
                #expect(text == "")
            }
            #expect(server.connectionCount == 1)
        }
    }
}
