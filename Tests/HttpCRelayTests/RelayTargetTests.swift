import HttpC
import HttpConversationConformance
import NIOCore
import TestSupport
import Testing

@testable import HttpCRelay

/// A relay before targets that do what the landscape does not, byte by byte.
@Suite(.timeLimit(.minutes(1))) struct RelayTargetTests {
    private func run(
        _ script: @escaping RawServer.Script, _ work: @Sendable (TestRelay) async throws -> Void
    ) async throws {
        try await RawServer.run(script: script) { server in
            try await TestRelay.run(to: server.url + "/app/") { relay in try await work(relay) }
        }
    }

    // MARK: Content codings

    /// A target that answers every request with a coding, and the head that it got as a field.
    private static func coded(_ coding: String, _ body: String) -> RawServer.Script {
        { connection in
            let accepted = try await connection.readHead().components(separatedBy: "\r\n").filter {
                $0.lowercased().hasPrefix("accept-encoding:")
            }
            try await connection.write(
                "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nX-Accepted: \(accepted.joined(separator: "|"))\r\n"
                    + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        }
    }

    @Test(arguments: ["br", "zstd", "aws-chunked", "gzip, br"])
    func unknownCodingsPass(coding: String) async throws {
        try await run(Self.coded(coding, "not decoded")) { relay in
            let answer = try await relay.get("/x", "Accept-Encoding: br")
            #expect(answer.statusLine == "HTTP/1.1 200 OK", "\(answer)")
            #expect(answer.contains("\r\nContent-Encoding: \(coding)\r\n") && answer.hasSuffix("\r\n\r\nnot decoded"))
            #expect(answer.contains("\r\nX-Accepted: Accept-Encoding: gzip, deflate\r\n"))
        }
    }

    @Test(arguments: ["Accept-Encoding: identity", "Range: bytes=0-"])
    func bytesThatAreWantedAsTheyAreStayCoded(field: String) async throws {
        try await run(Self.coded("gzip", "not really gzip")) { relay in
            let answer = try await relay.get("/x", field)
            #expect(answer.statusLine == "HTTP/1.1 200 OK", "\(answer)")
            #expect(answer.contains("\r\nContent-Encoding: gzip\r\n") && answer.hasSuffix("\r\n\r\nnot really gzip"))
            #expect(answer.contains("\r\nX-Accepted: Accept-Encoding: identity\r\n"))
        }
    }

    // MARK: Early answers

    /// A connection that is closed with unread bytes would be reset, and the client's next write would fail.
    @Test func anEarlyAnswerLetsTheClientFinish() async throws {
        let script: RawServer.Script = { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 413 X\r\nContent-Length: 0\r\n\r\n")
            try await connection.untilClosed()
        }
        try await run(script) { relay in
            try await RawClient.converse("127.0.0.1", relay.port, staysOpen: true) { answers, requests in
                let head = "POST /SECRET/x HTTP/1.1\r\nHost: HOST\r\nContent-Length: 200000\r\n\r\n"
                try await requests.write(ByteBuffer(string: relay.filled(head)))
                var answer = ""
                // The relay ends its side after the answer.
                while let buffer = try await answers.next() { answer += String(buffer: buffer) }
                #expect(answer.statusLine.hasPrefix("HTTP/1.1 413 "))
                for _ in 0..<20 {
                    try await requests.write(ByteBuffer(repeating: 0x78, count: 10_000))
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
        }
    }
}
