import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// A change of the connection's protocol, as a conversation (RFC 9110 §7.8).
@Suite struct UpgradeTests {
    private static let request = try? HTTPRequest(.get, "http://h/chat", fields: [.authorization: "Own x"])

    private func manager(
        _ capabilities: TransportCapabilities = .upgrades,
        _ script: @escaping @Sendable (TransportRequest, Int) -> ScriptedTransport.Answer
    ) -> (HttpConversationManager, ScriptedTransport) {
        let transport = ScriptedTransport(readsBodies: false, capabilities: capabilities) {
            (request, index) throws(ConversationError) in
            script(request, index)
        }
        return (HttpConversationManager(transport: transport), transport)
    }

    @Test func theAnswerIsDelivered() async throws {
        let (manager, transport) = manager { _, _ in .init(.switchingProtocols, body: "hello") }
        manager.update {
            $0.responseFilters.add(TestFilter(onResponse: { _, _ in .restart(reason: "never") }), id: "f")
        }
        let stream = try await manager.upgrade(to: "test", for: try #require(Self.request), sending: .text("x"))
        #expect(stream.status == .switchingProtocols)
        #expect(String(decoding: try await stream.body.collect(upTo: 10), as: UTF8.self) == "hello")
        #expect(transport.requests.map(\.options.upgrade) == ["test"])
        #expect(transport.requests.allSatisfy { $0.body != nil })
    }

    /// A repetition after a challenge asks again.
    @Test func aLoginIsPerformed() async throws {
        let (manager, transport) = manager { request, _ in
            request.headerFields[.authorization] == "Basic YTpi"
                ? .init(.switchingProtocols) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=x"])
        }
        manager.update { configuration in
            configuration.challengeFilters.add(
                TestFilter(onChallenge: { challenge, _ in .authorization(for: challenge) { _ in "Basic YTpi" } }),
                id: "f")
        }
        let request = try HTTPRequest(.get, "http://h/chat")
        let stream = try await manager.upgrade(to: "test", for: request, sending: .text("x"))
        #expect(stream.status == .switchingProtocols)
        #expect(transport.requests.map(\.options.upgrade) == ["test", "test"])
    }

    /// The bytes are for the server that was asked.
    @Test(arguments: ["http://h/other", "http://other/chat"], [301, 302, 303, 307, 308])
    func redirectsAreFollowedWithoutIt(location: String, status: Int) async throws {
        let (manager, transport) = manager { _, index in
            index == 0 ? .init(HTTPResponse.Status(code: status), [.location: location]) : .init(.ok)
        }
        let stream = try await manager.upgrade(to: "test", for: try #require(Self.request), sending: .text("x"))
        #expect(stream.status == .ok)
        #expect(transport.requests.map(\.options.upgrade) == ["test", nil])
        #expect(transport.requests.last?.body == nil)
    }

    @Test(arguments: ["", "two words", "a,b", "WebSocket", "a\r\nb", "ä"])
    func namesAreChecked(name: String) async throws {
        let (manager, transport) = manager { _, _ in .init(.ok) }
        let request = try #require(Self.request)
        #expect(
            await failureCode { try await manager.upgrade(to: name, for: request, sending: .text("")) }
                == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test func onlyGETCan() async throws {
        let (manager, transport) = manager { _, _ in .init(.ok) }
        let request = try HTTPRequest(.post, "http://h/chat")
        #expect(
            await failureCode { try await manager.upgrade(to: "test", for: request, sending: .text("")) }
                == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test func theTransportMustBeAble() async throws {
        let (manager, transport) = manager([]) { _, _ in .init(.ok) }
        let request = try #require(Self.request)
        #expect(
            await failureCode { try await manager.upgrade(to: "test", for: request, sending: .text("")) }
                == .invalidConfiguration)
        #expect(transport.requests.isEmpty)
    }

    /// A transport reads the body only after the change, in a task of its own.
    @Test func aOneShotBodyIsSentAfterTheChange() async throws {
        let opened = Box<OpenedRequestBody?>(nil)
        let transport = ScriptedTransport(readsBodies: false, capabilities: [.upgrades, .streamingRequests]) {
            (request, _) throws(ConversationError) in
            let body = try await request.body?.open()
            opened.update { $0 = body }
            return .init(.switchingProtocols)
        }
        let pieces = Box([Array("hello".utf8)])
        let stream = RequestBodyStream {
            defer { pieces.update { $0 = [] } }
            return pieces.value.first
        }
        _ = try await HttpConversationManager(transport: transport).upgrade(
            to: "test", for: try #require(Self.request), sending: .oneShot(stream))
        #expect(try await opened.value?.stream().next() == Array("hello".utf8))
    }
}
