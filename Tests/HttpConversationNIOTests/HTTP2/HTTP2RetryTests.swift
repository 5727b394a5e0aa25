import HTTPTypes
import HttpConvCertificates
import HttpConversation
import HttpConversationConformance
import NIOSSL
import Testing

@testable import HttpConversationNIO

/// The requests that are retried, and those that must not be (RFC 9113 §6.8, §8.7).
@Suite(.timeLimit(.minutes(1))) struct HTTP2RetryTests {
    @Test(arguments: [HTTPRequest.Method.get, .post]) func requiredHTTP1IsUsed(
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
            // Further requests to this server do not use HTTP/2.
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

    /// A response that is complete stands, though the server says at once that it has processed nothing.
    @Test func aResponseBeforeGOAWAYStands() async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection)
            let stream = try await peer.readRequest()
            try await peer.write(
                HTTP2Peer.head(stream, [(":status", "200")]) + HTTP2Peer.body(stream, Array("ok".utf8))
                    + HTTP2Peer.frame(HTTP2Peer.goAway, HTTP2Peer.number(0) + HTTP2Peer.number(0)))
            try await connection.untilClosed()
        } _: { server, transport, url in
            try await transport.expect("ok", .post, url, body: .text("once"))
            #expect(server.connectionCount == 1)
        }
    }

    /// The properties of a connection hold for its replacement too (security rules S3 and S4).
    @Test func requiredHTTP1KeepsIdentityAndTrust() async throws {
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

    /// After a broken connection, only an idempotent request on a reused connection is retried.
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
}
