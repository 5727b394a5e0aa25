import HTTPTypes
import HttpConversation
import HttpConversationConformance
import NIOCore
import Testing

@testable import HttpConversationNIO

@Suite(.timeLimit(.minutes(1))) struct SOCKSTests {
    /// A connection that no exchange waits for any more is given up, however long its proxy is silent.
    @Test func anAttemptThatNobodyWaitsForEnds() async throws {
        let begun = Gate()
        try await RawServer.run { connection in
            _ = try await connection.readBytes(3)
            guard connection.index == 0 else {
                begun.open()
                return try await connection.untilClosed()
            }
            try await connection.write([5, 0])
            _ = try await connection.readBytes(Self.request)
            try await connection.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
            while true {
                _ = try await connection.readHead()
                await begun.wait()
                try await connection.respond("ok")
            }
        } _: { server in
            let transport = NIOTransport.make {
                $0.attemptLimit = .milliseconds(500)
                // An attempt that takes long gets no company.
                $0.maximumConnectionsPerOrigin = 2
                $0.idleConnectionTimeout = .seconds(3600)
            }
            let route = ProxyRoute(try ProxyServer(.socks5, host: "127.0.0.1", port: server.port))
            async let first = transport.text(.get, "http://h.example/1") { $0.proxy = route }
            async let second = transport.text(.get, "http://h.example/2") { $0.proxy = route }
            let texts = try await [first, second]
            #expect(texts == ["ok", "ok"])
            await server.wait { $0.closedCount == 1 }
            #expect(server.connectionCount == 2)
            await transport.shutdown()
        }
    }

    /// A proxy's answers at each step, and the expected result.
    struct Dialogue: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The number of bytes to read before each answer, and the answer.
        var answers: [(read: Int, write: [UInt8])]
        var hasLogin = false
        var code = ConversationError.Code.proxyHandshakeFailed
        var words = ""
        var closes = true
    }

    private static let request = 4 + 1 + "h.example".utf8.count + 2
    private static let login = 1 + 1 + 5 + 1 + 6

    static let dialogues = [
        Dialogue(testDescription: "nothing", answers: [(3, [])]),
        Dialogue(testDescription: "version 4", answers: [(3, [4, 0])], words: "SOCKS version 5"),
        Dialogue(testDescription: "HTTP", answers: [(3, Array("HTTP/1.1 400 Bad\r\n\r\n".utf8))], closes: false),
        Dialogue(testDescription: "half a method", answers: [(3, [5])]),
        Dialogue(
            testDescription: "no method", answers: [(3, [5, 0xFF])], code: .proxyRefused, words: "ProxyServer.login"),
        Dialogue(
            testDescription: "no method with a login", answers: [(4, [5, 0xFF])], hasLogin: true, code: .proxyRefused,
            words: "no user name"),
        Dialogue(testDescription: "a login that was not offered", answers: [(3, [5, 2])], words: "not offered"),
        Dialogue(testDescription: "another method", answers: [(4, [5, 1])], hasLogin: true, words: "not offered"),
        Dialogue(testDescription: "more than a method", answers: [(3, [5, 0, 0])], closes: false),
        Dialogue(
            testDescription: "the login refused", answers: [(4, [5, 2]), (login, [1, 1])], hasLogin: true,
            code: .proxyRefused, words: "does not accept"),
        Dialogue(
            testDescription: "half an answer to the login", answers: [(4, [5, 2]), (login, [1])], hasLogin: true),
        Dialogue(
            testDescription: "an answer of another protocol to the login", answers: [(4, [5, 2]), (login, [7, 0])],
            hasLogin: true),
        Dialogue(
            testDescription: "more than an answer to the login", answers: [(4, [5, 2]), (login, [1, 0, 5])],
            hasLogin: true, closes: false),
        Dialogue(testDescription: "a reply of another version", answers: [(3, [5, 0]), (request, [4, 0, 0, 1])]),
        Dialogue(testDescription: "half a reply", answers: [(3, [5, 0]), (request, [5, 0, 0, 1, 0, 0])]),
        Dialogue(testDescription: "a reply with half a name", answers: [(3, [5, 0]), (request, [5, 0, 0, 3, 9, 0])]),
        Dialogue(
            testDescription: "a reply with no known address", answers: [(3, [5, 0]), (request, [5, 0, 0, 2])],
            words: "no known kind"),
        Dialogue(
            testDescription: "bytes after the reply",
            answers: [(3, [5, 0]), (request, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 22])], closes: false),
    ]

    static let replies: [(UInt8, String)] = [
        (1, "in general"), (2, "rules"), (3, "network"), (4, "host cannot"), (5, "refused"), (6, "TTL"),
        (7, "command"), (8, "kind of address"), (9, "reply 9"), (0xFF, "reply 255"),
    ]

    private static func error(
        _ dialogue: Dialogue, scheme: String = "https"
    ) async throws -> ConversationError? {
        try await RawServer.run { connection in
            for answer in dialogue.answers {
                _ = try await connection.readBytes(answer.read)
                try await connection.write(answer.write)
            }
            if !dialogue.closes { try await connection.untilClosed() }
        } _: { proxy in
            let transport = NIOTransport.make()
            let login = dialogue.hasLogin ? ProxyLogin(username: "alice", password: "wonder") : nil
            let route = ProxyRoute(try ProxyServer(.socks5, host: "127.0.0.1", port: proxy.port, login: login))
            let error = await transport.failure(.get, "\(scheme)://h.example/") { $0.proxy = route }
            await proxy.wait { $0.closedCount == $0.connectionCount }
            await transport.shutdown()
            return error
        }
    }

    @Test(arguments: dialogues, ["http", "https"]) func noConnection(
        dialogue: Dialogue, scheme: String
    ) async throws {
        let error = try await Self.error(dialogue, scheme: scheme)
        #expect(error?.code == dialogue.code, "\(String(describing: error))")
        #expect(error?.message.contains("socks5://127.0.0.1") == true)
        #expect(error?.message.contains(dialogue.words) == true || dialogue.words.isEmpty)
        #expect(error?.message.contains("wonder") == false)
    }

    /// The second byte of the reply decides, whether the rest arrives or not.
    @Test(arguments: replies, [0, 8]) func refusals(reply: (UInt8, String), rest: Int) async throws {
        let bytes = [5, reply.0] + [UInt8](repeating: 0, count: rest)
        let error = try await Self.error(
            Dialogue(testDescription: "", answers: [(3, [5, 0]), (Self.request, bytes)]))
        #expect(error?.code == .proxyRefused)
        #expect(error?.message.contains(reply.1) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("h.example:443") == true)
    }

    /// Byte by byte, and with all types of address in the reply.
    @Test(
        arguments: [
            [5, 0, 0, 1, 0, 0, 0, 0, 0, 0], [5, 0, 0, 4] + [UInt8](repeating: 1, count: 18),
            [5, 0, 0, 3, 2, 65, 66, 1, 187],
        ] as [[UInt8]]) func slowly(reply: [UInt8]) async throws
    {
        try await RawServer.run { connection in
            _ = try await connection.readBytes(4)
            for byte: UInt8 in [5, 2] { try await connection.write([byte]) }
            let login = try await connection.readBytes(Self.login)
            #expect(login == [1, 5] + Array("alice".utf8) + [6] + Array("wonder".utf8))
            for byte: UInt8 in [5, 0] { try await connection.write([byte]) }
            let request = try await connection.readBytes(Self.request)
            #expect(request == [5, 1, 0, 3, 9] + Array("h.example".utf8) + [0, 80])
            for byte in reply { try await connection.write([byte]) }
            _ = try await connection.readHead()
            try await connection.respond("there")
        } _: { proxy in
            let login = ProxyLogin(username: "alice", password: "wonder")
            let route = ProxyRoute(try ProxyServer(.socks5, host: "127.0.0.1", port: proxy.port, login: login))
            let text = try await NIOTransport.make().text(.get, "http://h.example/") { $0.proxy = route }
            #expect(text == "there")
        }
    }

    @Test(
        arguments: [
            ("127.0.0.1", [1, 127, 0, 0, 1]), ("[::1]", [4] + [UInt8](repeating: 0, count: 15) + [1]),
            ("localhost", [3, 9] + Array("localhost".utf8)),
            ("b\u{FC}cher.example", [3, 21] + Array("xn--bcher-kva.example".utf8)),
        ] as [(String, [UInt8])]) func addresses(host: String, address: [UInt8]) async throws
    {
        let origin = try TargetURL("http://\(host):8080/").origin
        var negotiation = try SOCKSNegotiation(through: try ProxyServer(.socks5, host: "p"), to: origin)
        var method = ByteBuffer(bytes: [5, 0])
        let step = try negotiation.received(&method)
        #expect(step == .send([5, 1, 0] + address + [0x1F, 0x90]))
    }

    @Test(arguments: [
        ("", "p"), ("u", ""), (String(repeating: "u", count: 256), "p"), ("u", String(repeating: "p", count: 256)),
    ])
    func loginsTooLongForSOCKSAreRefused(username: String, password: String) async throws {
        let login = ProxyLogin(username: username, password: password)
        try await RawServer.run {
            try await $0.untilClosed()
        } _: { server in
            let route = ProxyRoute(try ProxyServer(.socks5, host: "127.0.0.1", port: server.port, login: login))
            let error = await NIOTransport.make().failure(.get, "http://h.example/") { $0.proxy = route }
            #expect(error?.code == .proxyRefused && error?.message.contains("255") == true)
            #expect(server.connectionCount == 0)
        }
    }
}
