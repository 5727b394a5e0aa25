import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// Forms as request bodies, and header fields as literals.
@Suite(.timeLimit(.minutes(1))) struct FormBodyTests {
    private typealias Answer = ScriptedTransport.Answer
    private let transport = ScriptedTransport { _, _ in Answer(.ok, body: "{}") }

    private static func bytes(_ body: RequestBody?) -> [UInt8]? {
        if case .bytes(let bytes)? = body?.kind { bytes } else { nil }
    }

    /// The expected texts are the output of `new URLSearchParams(…)` in Chromium and Firefox.
    @Test(
        arguments: [
            ([], ""), ([("a", "b")], "a=b"), ([("a", "1"), ("a", "2"), ("b", "")], "a=1&a=2&b="),
            ([("q", "tea & biscuits=50%")], "q=tea+%26+biscuits%3D50%25"), ([("a+b", "c+d")], "a%2Bb=c%2Bd"),
            ([("ä", "€😀")], "%C3%A4=%E2%82%AC%F0%9F%98%80"), ([("k", "*-._~'()!")], "k=*-._%7E%27%28%29%21"),
            ([("text", "a\r\nb\nc")], "text=a%0D%0Ab%0Ac"), ([("", "x")], "=x"), ([("n", "\0/?#")], "n=%00%2F%3F%23"),
        ] as [([(String, String)], String)])
    func isEncodedAsBrowsersDo(fields: [(String, String)], text: String) async throws {
        _ = try await testManager(transport).post("https://example.com/", .form(fields))
        let sent = try #require(transport.requests.first)
        #expect(Self.bytes(sent.body).map { String(decoding: $0, as: UTF8.self) } == text)
        #expect(sent.headerFields[values: .contentType] == ["application/x-www-form-urlencoded"])
    }

    @Test func theCallersContentTypeWins() async throws {
        let type = "application/x-www-form-urlencoded; charset=utf-8"
        _ = try await testManager(transport).post(
            "https://example.com/", .form([("a", "b")]), fields: [.contentType: type])
        #expect(transport.requests.first?.headerFields[values: .contentType] == [type])
    }

    @Test func fieldsAreLiterals() async throws {
        struct Nothing: Decodable {}
        let manager = testManager(transport)
        let url = "https://example.com/"
        _ = try await manager.get(url, fields: ["X-A": "b", "x-a": "c", "Accept": "text/csv"])
        _ = try await manager.data(.put, for: url, body: .text("x"), fields: ["X-A": "b"])
        _ = try await manager.bytes(for: url, fields: ["X-A": "b"])
        _ = try await manager.head(url, fields: ["X-A": "b"])
        _ = try await manager.post(url, .form([]), fields: ["X-A": "b"])
        _ = try await manager.put(url, fields: ["X-A": "b"])
        _ = try await manager.patch(url, fields: ["X-A": "b"])
        _ = try await manager.delete(url, fields: ["X-A": "b"])
        try await manager.preflight(url, fields: ["X-A": "b"])
        _ = try await manager.get(url, fields: ["X-A": "b"], as: Nothing.self)
        _ = try await manager.post(url, fields: ["X-A": "b"], as: Nothing.self)
        _ = try await manager.value(for: url, fields: ["X-A": "b"], as: Nothing.self)
        _ = try await manager.data(for: HTTPRequest(.get, url, fields: ["X-A": "b"]))
        // Literals of `HTTPFields` keep their meaning.
        _ = try await manager.get(url, fields: [.accept: "text/csv"])
        _ = try await manager.get(url, fields: [:])
        let name = try #require(HTTPField.Name("X-A"))
        let sent = transport.requests.map { $0.headerFields[values: name] }
        #expect(sent == [["b", "c"]] + Array(repeating: ["b"], count: 12) + [[], []])
        #expect(transport.requests.first?.headerFields[.accept] == "text/csv")
    }

    /// An invalid field is neither repaired nor sent.
    @Test(
        arguments: [
            ["X-A": "a\r\nX-B: b"], ["X-A": "a\nb"], ["X-A": "\0"], ["X A": "b"], ["": "b"], [":path": "/"],
            ["X-Ä": "b"], ["X-A\r\nX-B": "b"], ["Host": "other.example"], ["Proxy-Authorization": "Basic x"],
        ] as [FieldLiterals])
    func invalidFormFieldsAreRefused(fields: FieldLiterals) async throws {
        let code = await failureCode { try await testManager(transport).get("https://example.com/", fields: fields) }
        #expect(code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }
}
