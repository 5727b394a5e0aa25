import HTTPTypes
import HttpConvCertificates
import HttpConversation
import NIOSSL
import Testing

@testable import HttpConversationNIO

/// What is sent again, and what never (RFC 9113 §6.8, §8.7).
@Suite(.timeLimit(.minutes(1))) struct HTTP2RetryTests {
    /// Streams behind the last one of a GOAWAY go to a new connection; those before it end where they are.
    @Test(arguments: [HTTPRequest.Method.get, .post]) func goAway(method: HTTPRequest.Method) async throws {
        let arrived = Counter()
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 10)])
            guard connection.index == 0 else { return try await peer.serve("second") }
            for _ in 0..<3 {
                _ = try await peer.readRequest()
                arrived.add()
            }
            try await peer.goAway(last: 3)
            try await peer.respond(1, "first")
            try await peer.respond(3, "first")
            try await connection.untilClosed()
        } _: { server, transport, url in
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<3 { group.addTask { try await transport.text(method, url) } }
                return try await group.reduce(into: []) { $0.append($1) }.sorted()
            }
            #expect(texts == ["first", "first", "second"])
            #expect(server.connectionCount == 2)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post]) func aRefusedStreamIsSentAgain(
        method: HTTPRequest.Method
    ) async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            for _ in 0..<3 { try await peer.reset(try await peer.readRequest(), 7) }
            try await peer.serve()
        } _: { server, transport, url in
            try await transport.expect("ok", method, url, body: .bytes([1]))
            #expect(server.connectionCount == 1)
        }
    }

    @Test func refusingForEverEnds() async throws {
        let count = Counter()
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            while true {
                try await peer.reset(try await peer.readRequest(), 7)
                count.add()
            }
        } _: { server, transport, url in
            #expect(await transport.failure(.get, url)?.code == .http2StreamReset)
            #expect(count.value == 6)
        }
    }

    /// A one-shot body that was read is not sent again.
    @Test func aUsedBodyIsNotSentAgain() async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            try await peer.write(HTTP2Peer.head(stream, [(":status", "100")]))
            _ = try await peer.read(HTTP2Peer.data)
            try await peer.reset(stream, 7)
            try await peer.serve()
        } _: { server, transport, url in
            let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
            continuation.yield([1, 2])
            let error = await transport.failure(.post, url, body: .oneShot(stream))
            continuation.finish()
            #expect(error?.code == .http2StreamReset)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post]) func http1WhereItIsRequired(
        method: HTTPRequest.Method
    ) async throws {
        try await HTTP2Server.run(protocols: ["h2", "http/1.1"]) { connection in
            guard connection.index == 0 else {
                while true {
                    #expect(try await connection.readHead().hasPrefix(method.rawValue))
                    try await connection.respond("old")
                }
            }
            let peer = try await HTTP2Peer.accept(connection)
            try await peer.reset(try await peer.readRequest(), 13)
            // Nothing more for this server goes over HTTP/2.
            if (try? await peer.readRequest()) != nil { Issue.record("a request over HTTP/2") }
        } _: { server, transport, url in
            for _ in 0..<2 {
                let response = try await transport.send(method, url)
                #expect(response.version == .http11)
                let bytes = try await response.body.collect(upTo: 10)
                #expect(bytes == Array("old".utf8))
            }
            #expect(server.connectionCount == 2)
        }
    }

    /// What holds for a connection holds for the one that takes its place (security rules S3 and S4).
    @Test func identityAndTrustStayWhereHTTP1IsRequired() async throws {
        let authority = try TestAuthority()
        let alice = try authority.identity("alice")
        let transport = NIOTransport.trusting(authority)
        let judged = Counter()
        var configuration = try authority.serverConfiguration()
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(authority.pem))
        configuration.applicationProtocols = ["h2", "http/1.1"]
        try await RawServer.run(tls: NIOSSLContext(configuration: configuration)) { connection in
            guard connection.index > 0 else {
                let peer = try await HTTP2Peer.accept(connection)
                try await peer.reset(try await peer.readRequest(), 13)
                return try await connection.untilClosed()
            }
            try await MutualServer.answering(connection)
        } _: { server in
            let source = ClientIdentitySource { alice }
            let policy = ServerTrustPolicy { _, _ in judged.add() }
            let text = try await transport.text(.get, "https://localhost:\(server.port)/") {
                $0.clientIdentity = source
                $0.serverTrust = policy
            }
            #expect(text == "CN=alice")
            #expect(judged.value == 2)
        }
    }

    /// A misdirected request gets a fresh connection, once (RFC 9110 §15.5.20).
    @Test(arguments: [false, true], [HTTPRequest.Method.get, .post])
    func aMisdirectedRequest(staysMisdirected: Bool, method: HTTPRequest.Method) async throws {
        let requests = Counter()
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            while true {
                let stream = try await peer.readRequest()
                requests.add()
                let status = stream == 1 && connection.index > 0 && !staysMisdirected ? "200" : "421"
                try await peer.write(HTTP2Peer.head(stream, [(":status", status)], ends: true))
            }
        } _: { server, transport, url in
            let status = try await transport.send(method, url).head.status
            #expect(status == (staysMisdirected ? .misdirectedRequest : .ok))
            #expect(server.connectionCount == 2)
            #expect(requests.value == 2)
        }
    }

    @Test(arguments: [false, true], [HTTPRequest.Method.get, .post])
    func aMisdirectedRequestOverHTTP1(staysMisdirected: Bool, method: HTTPRequest.Method) async throws {
        let requests = Counter()
        try await RawServer.run { connection in
            while true {
                let head = try await connection.readHead()
                if head.hasPrefix("POST") { _ = try await connection.readBytes(1) }
                requests.add()
                let isMisdirected = connection.index == 0 || staysMisdirected
                try await connection.write(
                    "HTTP/1.1 \(isMisdirected ? "421 Misdirected Request" : "200 OK")\r\nContent-Length: 0\r\n\r\n")
            }
        } _: { server in
            let body: RequestBody? = method == .post ? .bytes([1]) : nil
            let status = try await NIOTransport.make().send(method, server.url, body: body).head.status
            #expect(status == (staysMisdirected ? .misdirectedRequest : .ok))
            #expect(server.connectionCount == 2)
            #expect(requests.value == 2)
        }
    }

    /// A connection that breaks: only what is idempotent, and was sent on a connection that had served before.
    @Test(arguments: [(HTTPRequest.Method.get, true), (.post, false)])
    func aBrokenConnection(method: HTTPRequest.Method, isRepeated: Bool) async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            try await peer.respond(try await peer.readRequest())
            if connection.index == 0 {
                _ = try await peer.readRequest()
                return
            }
            try await peer.serve()
        } _: { server, transport, url in
            try await transport.expect("ok", .get, url)
            let error = await transport.failure(method, url, body: method == .post ? .bytes([1]) : nil)
            #expect(error?.code == (isRepeated ? nil : .emptyResponse))
            #expect(server.connectionCount == (isRepeated ? 2 : 1))
        }
    }

    @Test(arguments: [(8, ConversationError.Code.http2StreamReset), (11, .http2StreamReset), (2, .http2StreamReset)])
    func anyOtherReset(code: Int, expected: ConversationError.Code) async throws {
        let count = Counter()
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            try await peer.respond(try await peer.readRequest())
            let stream = try await peer.readRequest()
            count.add()
            try await peer.reset(stream, code)
            try await peer.serve()
        } _: { server, transport, url in
            try await transport.expect("ok", .get, url)
            #expect(await transport.failure(.get, url)?.code == expected)
            #expect(count.value == 1)
        }
    }
}
