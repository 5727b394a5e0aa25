import HTTPTypes
import HttpConvCertificates
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import NIOSSL
import Testing

/// Apache httpd's answer under TLS 1.3 if a path demands a certificate. Other tests use the real server.
@Suite(.timeLimit(.minutes(1))) struct LateClientCertificateTests {
    private static let sentence = "Reason: Cannot perform Post-Handshake Authentication."

    /// A response that may ask for a certificate.
    struct Answer: Sendable, CustomTestStringConvertible {
        let name: String
        var status = "403 Forbidden"
        var type = "text/html; charset=iso-8859-1"
        var text = "<p>\(sentence)</p>"
        var asks = false

        var testDescription: String { name }
        var bytes: String {
            "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }
    }

    static let answers = [
        Answer(name: "Apache's page", asks: true), Answer(name: "another page", text: "<p>Forbidden</p>"),
        Answer(name: "another status", status: "401 Unauthorized"), Answer(name: "plain text", type: "text/plain"),
        Answer(
            name: "a sentence far down", text: String(repeating: "<br>", count: 2000) + sentence),
    ]

    private static func run(
        _ answer: Answer, _ body: @Sendable (RawServer, NIOTransport, String) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.trusting(authority)
        try await RawServer.run(tls: authority.serverContext(protocols: ["http/1.1"])) { connection in
            while true {
                let head = try await connection.readHead()
                if head.hasPrefix("POST") { _ = try await connection.readBytes(1) }
                if connection.index == 0 {
                    try await connection.write(answer.bytes)
                } else {
                    try await connection.respond("in")
                }
            }
        } _: { server in
            try await body(server, transport, "https://localhost:\(server.port)/")
        }
    }

    @Test(arguments: answers, [HTTPRequest.Method.get, .post])
    func onlyTheNamedPageNeedsAnotherConnection(answer: Answer, method: HTTPRequest.Method) async throws {
        try await Self.run(answer) { server, transport, url in
            let asked = Counter()
            let source = ClientIdentitySource {
                asked.add()
                return nil
            }
            let body: RequestBody? = method == .post ? .bytes([1]) : nil
            for _ in 0..<2 {
                let text = try await transport.text(method, url, body: body) { $0.clientIdentity = source }
                #expect(text == (answer.asks ? "in" : answer.text))
            }
            #expect(asked.value == (answer.asks ? 1 : 0))
            #expect(server.connectionCount == (answer.asks ? 2 : 1))
        }
    }

    /// Without a provider, or with a body that is used up, the page is the response.
    @Test(arguments: [false, true]) func thePageIsDeliveredIfNothingHelps(hasSource: Bool) async throws {
        let answer = Self.answers[0]
        try await Self.run(answer) { server, transport, url in
            let body: RequestBody? = hasSource ? .oneShot(length: 1, Self.oneByte()) : nil
            let text = try await transport.text(hasSource ? .post : .get, url, body: body) { options in
                if hasSource { options.clientIdentity = ClientIdentitySource { nil } }
            }
            #expect(text == answer.text)
            #expect(server.connectionCount == 1)
        }
    }

    private static func oneByte() -> RequestBodyStream {
        let count = Counter()
        return RequestBodyStream { count.add() == 1 ? [1] : nil }
    }

    /// The wait for the person's answer is outside any handshake, and ends with its task.
    @Test func theQuestionEndsWithItsTask() async throws {
        try await Self.run(Self.answers[0]) { server, transport, url in
            let asked = Gate()
            let ended = Gate()
            let source = ClientIdentitySource {
                asked.open()
                defer { ended.open() }
                try await Task.sleep(for: .seconds(3600))
                return nil
            }
            let task = Task { await transport.failure(.get, url) { $0.clientIdentity = source } }
            await asked.wait()
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            await ended.wait()
            #expect(server.connectionCount == 1)
        }
    }
}
