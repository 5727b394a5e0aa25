import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationConformance
import Testing

@testable import HttpConversationNIO

@Suite(.timeLimit(.minutes(1))) struct DecompressionTests {
    private func answer(
        _ bytes: [UInt8], coding: String, _ method: HTTPRequest.Method = .get, fields: HTTPFields = [:],
        maximumExpansion: Int = 1100, allowance: Int = 10 << 20, inPieces: Bool = false, decompresses: Bool = true
    ) async throws -> Result<(HTTPResponse, [UInt8]), ConversationError> {
        let transport = NIOTransport.make {
            $0.maximumExpansion = maximumExpansion
            $0.expansionAllowance = allowance
        }
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

    @Test func decompressionBombsAreStopped() async throws {
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

    private func code(_ result: Result<(HTTPResponse, [UInt8]), ConversationError>) -> ConversationError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    private static func list(_ coding: String, _ count: Int) -> String {
        Array(repeating: coding, count: count).joined(separator: ",")
    }

    // MARK: Security rule S24

    @Test(arguments: ["gzip", "identity", "br", "gzip ,x"], [6, 20_000])
    func moreThanFiveCodingsAreRefused(coding: String, count: Int) async throws {
        for bytes in [[], Deflated.gzip] {
            let result = try await answer(bytes, coding: Self.list(coding, count), fields: [.acceptEncoding: "br"])
            #expect(code(result) == .contentCoding)
        }
    }

    @Test func fiveCodingsInSeveralFieldsAreUndone() async throws {
        var bytes = Array(Deflated.text.utf8)
        for _ in 0..<5 { bytes = Deflated.gzip(bytes) }
        let five = try await answer(
            bytes, coding: ",gzip, ,gzip\r\nContent-Encoding: gzip,gzip\r\nContent-Encoding: gzip,")
        let text = try String(decoding: five.get().1, as: UTF8.self)
        #expect(text == Deflated.text)
        let six = try await answer(bytes, coding: "gzip, gzip\r\nContent-Encoding: gzip,gzip,gzip,identity")
        #expect(code(six) == .contentCoding)
    }

    @Test func emptyElementsOfCodingsAreIgnored() {
        var fields: HTTPFields = [.contentEncoding: Self.list("gzip", 6) + String(repeating: ",", count: 100_000)]
        #expect(ContentCoding.list(fields) == .tooMany)
        fields[.contentEncoding] = String(repeating: " ,\t", count: 20_000)
        #expect(ContentCoding.list(fields) == .known([]))
    }

    @Test func codingsWithoutABodyAreIgnored() async throws {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            while true {
                _ = try await connection.readHead()
                try await connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nContent-Encoding: \(Self.list("gzip", 20_000))\r\n\r\n")
            }
        } _: { server in
            let text = try await transport.text(.head, server.url)
            #expect(text == "")
        }
    }

    /// 32 MiB in three codings are a few hundred bytes, and no single coding expands to more than 1,100 times its
    /// input.
    @Test func expansionIsCountedOverAllCodings() async throws {
        let bomb = Deflated.gzip(Deflated.gzip(Deflated.zeros(32 << 20)))
        #expect(bomb.count < 1000)
        #expect(code(try await answer(bomb, coding: "gzip, gzip, gzip")) == .contentCoding)
        // A small body may expand by any factor.
        let small = Deflated.gzip(Deflated.gzip(Deflated.zeros(1 << 20)))
        let count = try await answer(small, coding: "gzip, gzip, gzip").get().1.count
        #expect(count == 1 << 20)
    }

    /// The outer coding expands to empty members: work without a byte for the consumer.
    @Test func emptyOutputCountsToo() async throws {
        var members = Deflated.gzip([])
        while members.count < 1 << 20 { members += members }
        let bomb = Deflated.gzip(members)
        let result = try await answer(bomb, coding: "gzip, gzip", maximumExpansion: 10, allowance: 64 << 10)
        #expect(code(result) == .contentCoding)
    }

    @Test func theAllowanceIsASetting() async throws {
        let bytes = Deflated.zeros(8 << 20)
        let allowed = try await answer(bytes, coding: "gzip", maximumExpansion: 10)
        let count = try allowed.get().1.count
        #expect(count == 8 << 20)
        let refused = try await answer(bytes, coding: "gzip", maximumExpansion: 10, allowance: 1 << 20)
        #expect(code(refused) == .contentCoding)
    }

    @Test(arguments: [false, true]) func emptyGzipMembersAreSkipped(inPieces: Bool) async throws {
        let nothing = Deflated.gzip([])
        let bytes = nothing + nothing + nothing + Deflated.gzip + nothing + nothing
        let result = try await answer(bytes, coding: "gzip", inPieces: inPieces).get()
        #expect(String(decoding: result.1, as: UTF8.self) == Deflated.text)
    }

    /// zlib gives out at most a piece at once, and may hold bytes when it has taken all input.
    @Test(arguments: [ContentCoding.gzip, .deflate], [true, false])
    func allBytesAreGivenOut(coding: ContentCoding, isBare: Bool) throws {
        for count in Array(65_530...65_560) + [65_794, 65_795, 66_100, 131_073] {
            let bytes = [UInt8](repeating: 7, count: count)
            let packed =
                switch coding {
                case .gzip: Deflated.gzip(bytes)
                case .deflate: isBare ? Deflated.raw(bytes) : Deflated.zlib(bytes)
                }
            var inflater = Inflater(coding)
            inflater.add(packed)
            var expanded: [UInt8] = []
            while true {
                let piece = try inflater.piece()
                if piece.isEmpty { break }
                expanded += piece
            }
            #expect(expanded == bytes && inflater.isComplete && inflater.needsInput, "\(count) bytes")
        }
    }

    /// Each member is one byte: the pieces would be as many, with the memory of a whole buffer each.
    @Test func smallMembersShareAPiece() throws {
        let count = 90_000
        let member = Deflated.gzip([7])
        var inflater = Inflater(.gzip)
        inflater.add([UInt8]((0..<count).map { _ in member }.joined()))
        let pieces = [try inflater.piece(), try inflater.piece()]
        #expect(pieces.map(\.count) == [64 << 10, count - (64 << 10)])
        #expect(pieces[1].capacity < 64 << 10)
    }

    @Test(arguments: ["none", "None, identity"]) func plainBodiesThatAreNamedStayAsTheyAre(coding: String) async throws
    {
        #expect(try await answer([1, 2], coding: coding).get().1 == [1, 2])
    }

    /// The challenge is understood without its body; the page is not.
    @Test func anUnknownCodingHidesNoChallenge() async throws {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            while true {
                let isLoggedIn = try await connection.readHead().contains("\r\nAuthorization: Basic ")
                try await connection.write(
                    "HTTP/1.1 \(isLoggedIn ? "200 OK" : "401 No")\r\nContent-Length: 3\r\nContent-Encoding: utf-8\r\nWWW-Authenticate: Basic realm=x\r\n\r\nabc"
                )
            }
        } _: { server in
            let manager = HttpConversationManager(
                transport: transport,
                configuration: .init(applying: [CommonAuthenticationConfigurator.password("a", "b", for: server.url)]))
            let head = try await manager.head(server.url)
            #expect(head.status == .ok)
            let stream = try await manager.bytes(for: HTTPRequest(.get, server.url))
            #expect(stream.status == .ok)
            let error = await #expect(throws: ConversationError.self) { try await stream.body.collect(upTo: 10) }
            #expect(error?.code == .contentCoding)
        }
        await transport.shutdown()
    }
}
