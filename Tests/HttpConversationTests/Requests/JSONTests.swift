import Foundation
import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite struct JSONTests {
    private struct Order: Codable, Equatable {
        var item = "tea"
        var count = 2
        var prices: [Double] = []
        var notes: [String: Int] = [:]
    }

    private static func answering(_ body: String, _ status: HTTPResponse.Status = .ok) -> ScriptedTransport {
        ScriptedTransport { _, _ in .init(status, [.contentType: "application/json"], body: body) }
    }

    // MARK: Sending

    @Test func aBodySetsItsContentType() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = HttpConversationManager(transport: transport)
        let url = "https://h/orders"
        _ = try await manager.post(url, .json(Order()))
        _ = try await manager.put(url, .json(Order()), fields: [.contentType: "application/vnd.order+json"])
        _ = try await manager.patch(url, .text("{}"))
        _ = try await manager.data(for: HTTPRequest(.post, url), body: .json(Order()))
        #expect(
            transport.requests.map { $0.headerFields[.contentType] } == [
                "application/json", "application/vnd.order+json", nil, "application/json",
            ])
        #expect(transport.requests.map(\.method) == [.post, .put, .patch, .post])
        #expect(try JSONDecoder().decode(Order.self, from: Data(transport.bodies[0])) == Order())
    }

    @Test func aFiltersBodySetsItsContentType() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = testManager(transport) {
            $0.add(TestFilter(onPrepare: { request, _ in request.body = try .json(Order()) }))
        }
        _ = try await manager.post("https://h/")
        #expect(transport.requests[0].headerFields[.contentType] == "application/json")
    }

    /// RFC 9110 §15.4: a request that becomes a GET loses the fields that describe its body.
    @Test(arguments: [(303, nil), (307, "application/json")] as [(Int, String?)])
    func redirectsKeepTheTypeWithTheBody(_ status: Int, _ type: String?) async throws {
        let transport = ScriptedTransport { request, _ in
            request.target.path == "/to" ? .init(.init(code: status), [.location: "/there"]) : .init(.ok)
        }
        _ = try await HttpConversationManager(transport: transport).post("https://h/to", .json(Order()))
        #expect(transport.requests.count == 2)
        #expect(transport.requests[1].headerFields[.contentType] == type)
    }

    @Test func anUnencodableValueIsNotSent() throws {
        let order = Order(prices: [1, .infinity])
        let error = #expect(throws: ConversationError.self) { try RequestBody.json(order) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("Order cannot be encoded as JSON at prices[1]") == true)
        #expect(error?.message.contains("inf") == false)
    }

    // MARK: Receiving

    @Test func aResponseDecodesItself() async throws {
        let transport = Self.answering(#"{"item":"tea","count":2,"prices":[1.5],"notes":{}}"#)
        let manager = HttpConversationManager(transport: transport)
        let order: Order = try await manager.get("https://h/1").decoded()
        #expect(order == Order(prices: [1.5]))
        #expect(try await manager.get("https://h/1", as: Order.self) == order)
        #expect(try await manager.post("https://h/1", .json(order), as: Order.self) == order)
        #expect(try await manager.get("https://h/1", fields: [.accept: "text/json"], as: Order.self) == order)
        #expect(
            transport.requests.map { $0.headerFields[.accept] }
                == [nil, "application/json", "application/json", "text/json"])
    }

    @Test(arguments: [
        (#"{"item":"canary","count":"canary"}"#, "Int was expected at count"),
        (#"{"item":"canary"}"#, "count is missing"),
        (#"{"item":"x","count":1,"prices":[1,"canary"],"notes":{}}"#, "Double was expected at prices[1]"),
        (#"{"item":"x","count":1,"prices":[],"notes":{"canary":"x"}}"#, "Int was expected at notes.*"),
        (#"{"item":null,"count":1}"#, "null instead of String at item"),
        ("canary", "not valid JSON"), ("", "is empty"), ("[]", "was expected"),
    ])
    func decodingErrorsDoNotShowTheBody(_ body: String, _ reason: String) async throws {
        let manager = HttpConversationManager(transport: Self.answering(body))
        let error = await #expect(throws: ConversationError.self) {
            try await manager.get("https://h/1?token=canary", as: Order.self)
        }
        #expect(error?.code == .bodyNotDecodable)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("https://h/1") == true)
        #expect(error?.response?.text == body)
        #expect(error?.attempts.count == 1)
        var shown = "\(String(describing: error)) \(String(reflecting: error))"
        dump(error, to: &shown)
        #expect(!shown.contains("canary"))
    }

    // MARK: Statuses

    @Test(arguments: [200, 204, 206, 299]) func aSuccessIsReturned(_ status: Int) async throws {
        let manager = HttpConversationManager(transport: Self.answering("x", .init(code: status)))
        #expect(try await manager.get("https://h/").successful().text == "x")
    }

    @Test(arguments: [304, 400, 401, 404, 500, 599]) func anErrorStatusThrowsWhereItIsAsked(_ status: Int) async throws
    {
        let manager = HttpConversationManager(transport: Self.answering("canary", .init(code: status)))
        let response = try await manager.get("https://h/1?q=canary")
        #expect(response.status.code == status)
        let refused = #expect(throws: ConversationError.self) { try response.successful() }
        #expect(refused?.code == .unsuccessfulStatus)
        #expect(refused?.response?.status.code == status)
        #expect(refused?.response?.text == "canary")
        #expect(refused?.conversationID == response.id)
        var shown = "\(String(describing: refused)) \(String(reflecting: refused))"
        dump(refused, to: &shown)
        #expect(!shown.contains("canary") && shown.contains("\(status)"))
        // The status counts, even if the body would decode.
        let numbers = HttpConversationManager(transport: Self.answering("7", .init(code: status)))
        #expect(await failureCode { try await numbers.get("https://h/", as: Int.self) } == .unsuccessfulStatus)
    }

    @Test func everyMethodHasItsVerb() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = HttpConversationManager(transport: transport)
        let url = try #require(URL(string: "https://h/a"))
        _ = try await manager.get(url)
        _ = try await manager.head(url)
        _ = try await manager.post(url, .text("b"))
        _ = try await manager.put(url, .text("b"))
        _ = try await manager.patch(url, .text("b"))
        _ = try await manager.delete(url, .text("b"), fields: [.ifMatch: "*"])
        _ = try await manager.data(.options, for: TargetURL(url))
        _ = try await manager.bytes(for: url)
        #expect(transport.requests.map(\.method) == [.get, .head, .post, .put, .patch, .delete, .options, .get])
        #expect(transport.bodies.map { String(decoding: $0, as: UTF8.self) } == ["b", "b", "b", "b"])
        #expect(transport.requests[5].headerFields[.ifMatch] == "*")
    }
}
