import Foundation
import HttpC
import HttpCClient
import HttpConversationConformance
import NIOCore
import Synchronization
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

    @Test func bytesThatAreWantedAsTheyAreStayCoded() async throws {
        try await run(Self.coded("gzip", "not really gzip")) { relay in
            let answer = try await relay.get("/x", "Accept-Encoding: identity")
            #expect(answer.statusLine == "HTTP/1.1 200 OK", "\(answer)")
            #expect(answer.contains("\r\nContent-Encoding: gzip\r\n") && answer.hasSuffix("\r\n\r\nnot really gzip"))
            #expect(answer.contains("\r\nX-Accepted: Accept-Encoding: identity\r\n"))
        }
    }

    /// Some servers call the format of a packed file a content coding.
    @Test(
        arguments: [
            ("/x.tar.gz", []), ("/x.tgz?y=z", ["Accept-Encoding: gzip"]), ("/x", []), ("/x", ["Accept-Encoding: "]),
            ("/x.gz", ["Range: bytes=0-", "Accept-Encoding: gzip, deflate"]),
        ] as [(String, [String])])
    func aFileThatTheServerLabelsAsCodedStaysAsItIs(path: String, fields: [String]) async throws {
        for coding in ["gzip", "x-gzip"] {
            try await run(Self.coded(coding, "not really gzip")) { relay in
                let more = fields.map { "\($0)\r\n" }.joined()
                let answer = try await relay.exchange(
                    "GET /SECRET\(path) HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\(more)\r\n")
                #expect(answer.statusLine == "HTTP/1.1 200 OK", "\(answer)")
                #expect(answer.contains("\r\nContent-Encoding: \(coding)\r\n"), "\(answer)")
                #expect(answer.contains("\r\nX-Accepted: Accept-Encoding: identity\r\n"), "\(answer)")
                #expect(answer.hasSuffix("\r\n\r\nnot really gzip"), "\(answer)")
            }
        }
    }

    /// A page of SAML2's POST binding, compressed by gzip.
    private static let compressedLogin =
        Data(
            base64Encoded:
                "H4sIAAAAAAACA32PQUsDMRCF/0rIySJs9CayLUhBPbQqLbYH8ZDdGUloJhPNRHf99SYePHp6zOO9j3m9EwqrfmCYFcfAFpYa"
                + "eCyEUbo3/qD8cvHa5TKQl7OFXvXNU4TiuCYTZ9HKjuI5LrUTSfnaGA+pw8lSCtiNTCZnrkUfUxElc8Ka9AAYtYqW6rW/2W52+F6w"
                + "wT5tKNV7un9ww3H6ejzdXsKdK890mOB4+Ib11bk2/9F2GOy8Fyv4B5taw7TPq7SpVX53/wCGOtdb/gAAAA==") ?? Data()

    @Test func aLoginPageThatIsCompressedUnaskedIsRecognised() async throws {
        let script: RawServer.Script = { connection in
            _ = try await connection.readHead()
            try await connection.write(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nConnection: close\r\n"
                    + "Content-Length: \(Self.compressedLogin.count)\r\n\r\n")
            try await connection.write(Array(Self.compressedLogin))
        }
        try await run(script) { relay in
            for path in ["/x", "/x.tar.gz"] {
                let answer = try await relay.get(path)
                #expect(answer.statusLine == "HTTP/1.1 502 Bad Gateway", "\(answer)")
                #expect(answer.contains("SAML"), "\(answer)")
            }
        }
    }

    /// A target that has stored a file compressed, and so answers ranges of the compressed bytes.
    private static let stored: RawServer.Script = { connection in
        let head = try await connection.readHead()
        let isPart = head.lowercased().contains("\r\nrange: bytes=10-\r\n")
        let bytes = isPart ? Array(compressed.dropFirst(10)) : compressed
        let status = isPart ? "206 X\r\nContent-Range: bytes 10-69/70" : "200 X"
        try await connection.write(
            "HTTP/1.1 \(status)\r\nContent-Encoding: gzip\r\nAccept-Ranges: bytes\r\nETag: \"a\"\r\n"
                + "Content-MD5: x\r\nContent-Length: \(bytes.count)\r\nConnection: close\r\n\r\n")
        if !head.hasPrefix("HEAD ") { try await connection.write(bytes) }
    }

    /// ``words``, compressed by gzip.
    private static let compressed = Array(
        Data(
            base64Encoded: "H4sIAAAAAAACA+3LwQkAIAwEwVauudPkk4DGaPlqGYLPhR03IqYjpJEoPhqKJtF1oTNpoFYJ"
                + "mN7xpH/wJtidTB5X6gEAAA=="
        ) ?? Data())
    private static let words = String(repeating: "one two three four five six seven eight nine ten ", count: 10)

    @Test func noRangeIsOfOtherBytesThanTheWhole() async throws {
        try await run(Self.stored) { relay in
            for fields in [[], ["Range: bytes=10-"], ["Range: bytes=10-", "If-Range: \"a\""]] {
                let more = (fields + ["Accept-Encoding: gzip"]).map { "\($0)\r\n" }.joined()
                let answer = try await relay.exchange(
                    "GET /SECRET/x HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\(more)\r\n")
                #expect(answer.statusLine.hasPrefix("HTTP/1.1 200 ") && answer.contains(Self.words), "\(answer)")
                for name in ["Accept-Ranges", "Content-Encoding", "Content-MD5"] {
                    #expect(!answer.contains("\r\n\(name):"), "\(answer)")
                }
                #expect(answer.contains("\r\nETag: \"a\"\r\n"))
            }
        }
    }

    @Test func partsOfBytesAsTheyAreArePassedOn() async throws {
        try await run(Self.coded("gzip", "not really gzip")) { relay in
            let answer = try await relay.get("/x", "Accept-Encoding: identity", "Range: bytes=0-")
            #expect(answer.contains("\r\nContent-Encoding: gzip\r\n") && answer.hasSuffix("\r\n\r\nnot really gzip"))
        }
    }

    @Test func theHeadIsThatOfTheDecodedBody() async throws {
        try await run(Self.stored) { relay in
            let head = "HEAD /SECRET/x HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n"
            let answer = try await relay.exchange(head + "Accept-Encoding: gzip\r\n\r\n")
            #expect(answer.statusLine.hasPrefix("HTTP/1.1 200 "))
            for name in ["Content-Length", "Accept-Ranges", "Content-Encoding"] {
                #expect(!answer.contains("\r\n\(name):"), "\(answer)")
            }
            let stored = try await relay.exchange(head + "Accept-Encoding: identity\r\n\r\n")
            #expect(stored.contains("\r\nContent-Length: 70\r\n") && stored.contains("\r\nContent-Encoding: gzip\r\n"))
        }
    }

    // MARK: Fields

    private static func answering(_ bytes: [UInt8]) -> RawServer.Script {
        { connection in
            _ = try await connection.readHead()
            try await connection.write(bytes)
        }
    }

    /// The byte E9 alone is not UTF-8.
    @Test func aRedirectWhoseURLIsLostIsABadGateway() async throws {
        let begin = Array("HTTP/1.1 302 X\r\nContent-Length: 0\r\nConnection: close\r\nLocation: /app/caf".utf8)
        try await run(Self.answering(begin + [0xE9] + Array("\r\n\r\n".utf8))) { relay in
            let answer = try await relay.get("/x")
            #expect(answer.statusLine == "HTTP/1.1 502 Bad Gateway")
            #expect(answer.contains("not UTF-8"), "\(answer)")
        }
    }

    @Test func aServerThatAnswersAsAProxyIsABadGateway() async throws {
        let answer = "HTTP/1.1 407 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        try await run(Self.answering(Array(answer.utf8))) { relay in
            let answer = try await relay.get("/x")
            #expect(answer.statusLine == "HTTP/1.1 502 Bad Gateway")
            #expect(answer.contains("(407)") && !answer.contains("401"), "\(answer)")
        }
    }

    // MARK: Uploads

    /// The requests with a password that a target got: as their heads came, and as their bodies did.
    private final class Uploads: Sendable {
        let begun = Mutex<[String]>([])
        let complete = Mutex<[String]>([])
    }

    /// A target that reads each body before it asks for a password.
    ///
    /// - Parameter isPublic: whether a HEAD needs none
    private static func askingLate(_ uploads: Uploads, isPublic: Bool = false) -> RawServer.Script {
        { connection in
            while true {
                let head = try await connection.readHead().lowercased()
                let length = head.components(separatedBy: "\r\ncontent-length: ").dropFirst().first?.prefix(
                    while: \.isNumber)
                let count = length.flatMap { Int($0) } ?? 0
                if head.contains("\r\nexpect: ") { try await connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
                let hasPassword = head.contains("\r\nauthorization: basic ")
                let name = "\(head.prefix { $0 != " " }) \(count)"
                if hasPassword { uploads.begun.withLock { $0.append(name) } }
                _ = try await connection.readBytes(count)
                if hasPassword { uploads.complete.withLock { $0.append(name) } }
                try await connection.write(
                    hasPassword || isPublic && head.hasPrefix("head ")
                        ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                        : "HTTP/1.1 401 X\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")
            }
        }
    }

    /// The target never gets a head with the password and without its body.
    @Test func anUploadThatComesAgainFindsTheLogin() async throws {
        let uploads = Uploads()
        try await RawServer.run(script: Self.askingLate(uploads)) { server in
            try await TestRelay.run(to: server.url + "/app/", user: UserArgument("alice:wonderland")) { relay in
                let body = String(repeating: "x", count: 2 << 20)
                let upload =
                    "PUT /SECRET/x HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Length: \(2 << 20)\r\n\r\n"
                let first = try await relay.exchange(upload, body: body)
                #expect(first.statusLine == "HTTP/1.1 503 Service Unavailable", "\(first)")
                #expect(first.contains("\r\nRetry-After: 1\r\n") && first.contains("Send it again."))
                let second = try await relay.exchange(upload, body: body)
                #expect(second.statusLine == "HTTP/1.1 200 OK", "\(second)")
            }
        }
        let expected = ["head 0", "put \(2 << 20)"]
        #expect(uploads.begun.withLock(\.self) == expected)
        #expect(uploads.complete.withLock(\.self) == expected)
    }

    /// Another try would end in the same way.
    @Test func anUploadWhoseHeadNeedsNoLoginIsABadGateway() async throws {
        let uploads = Uploads()
        try await RawServer.run(script: Self.askingLate(uploads, isPublic: true)) { server in
            try await TestRelay.run(to: server.url + "/app/", user: UserArgument("alice:wonderland")) { relay in
                let head =
                    "PUT /SECRET/x HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Length: \(2 << 20)\r\n\r\n"
                let answer = try await relay.exchange(head, body: String(repeating: "x", count: 2 << 20))
                #expect(answer.statusLine == "HTTP/1.1 502 Bad Gateway", "\(answer)")
                #expect(!answer.contains("\r\nRetry-After:") && answer.contains("--basic"))
            }
        }
        #expect(uploads.begun.withLock(\.self).isEmpty)
    }

    /// The transport begins again, because the connection was a kept one.
    @Test func anUploadWhoseConnectionEndsIsABadGatewayWithoutALogin() async throws {
        let heads = Heads()
        let script: RawServer.Script = { connection in
            while true {
                let head = try await connection.readHead()
                heads.add(head)
                // More than the relay keeps, and less than all.
                if head.hasPrefix("PUT ") { return _ = try await connection.readBytes(3 << 19) }
                try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        try await run(script) { relay in
            #expect(try await relay.get("/x").statusLine == "HTTP/1.1 200 OK")
            let head =
                "PUT /SECRET/x HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Length: \(2 << 20)\r\n\r\n"
            let answer = try await relay.exchange(head, body: String(repeating: "x", count: 2 << 20))
            #expect(answer.statusLine == "HTTP/1.1 502 Bad Gateway", "\(answer)")
            #expect(!answer.contains("\r\nRetry-After:") && answer.contains("failed before its answer"))
        }
        // Nothing asks for a login. The head of the second try may have been sent.
        #expect([["GET", "PUT"], ["GET", "PUT", "PUT"]].contains(heads.methods))
    }

    /// The heads that a target got.
    private final class Heads: Sendable {
        private let all = Mutex<[String]>([])

        var methods: [String] { all.withLock { $0.map { String($0.prefix { $0 != " " }) } } }

        func add(_ head: String) { all.withLock { $0.append(head) } }
    }

    // MARK: Redirects

    /// The server elsewhere may be one of a login, or take long, or be down.
    @Test func aSilentServerElsewhereIsNotWaitedForLong() async throws {
        let heads = Heads()
        let script: RawServer.Script = { connection in
            let head = try await connection.readHead()
            heads.add(head)
            guard head.hasPrefix("GET /app/") else { return try await connection.untilClosed() }
            try await connection.write(
                "HTTP/1.1 302 X\r\nLocation: /silent\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        var limits = RelayLimits()
        limits.silenceElsewhere = .milliseconds(300)
        try await RawServer.run(script: script) { [limits] server in
            try await TestRelay.run(to: server.url + "/app/", limits, user: UserArgument("alice:wonderland")) { relay in
                let answer = try await relay.get("/x")
                #expect(answer.statusLine.hasPrefix("HTTP/1.1 302 "), "\(answer)")
                #expect(answer.contains("\r\nLocation: \(server.url)/silent\r\n"), "\(answer)")
            }
        }
        #expect(heads.methods == ["GET", "GET"])
        #expect(RelayLimits().silenceElsewhere == .seconds(30))
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
