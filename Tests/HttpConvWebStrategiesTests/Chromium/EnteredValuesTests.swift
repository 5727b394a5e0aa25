#if os(Linux)
import Foundation
import HttpConvFormats
import HttpConversation
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConvWebStrategies

/// Detection of a browser's requests that carry entered values.
@Suite struct EnteredValuesTests {
    private func values() throws -> EnteredValues {
        let values = EnteredValues()
        values.note(
            ["user": Redacted("al ice"), "pw": Redacted("ge\"hé&m+1"), "pin": Redacted("12")], secrets: ["pw", "pin"],
            for: [try TargetURL("https://idp.example").origin])
        return values
    }

    private func request(_ url: String, _ body: [UInt8]? = nil) -> JSONValue {
        var fields: [String: JSONValue] = ["url": .string(url), "hasPostData": .bool(body != nil)]
        if let body {
            fields["postDataEntries"] = .array([.object(["bytes": .string(Data(body).base64EncodedString())])])
        }
        return .object(fields)
    }

    @Test(arguments: [
        "user=al+ice", "user=al%20ice", "x=1&user=al%20ice&y", "pw=ge%22h%C3%A9%26m%2B1", "other=ge%22h%C3%A9%26m%2B1",
        "pw=ge%22h%E9%26m%2B1", "pin=12", "{\"p\":\"ge\\\"hé&m+1\"}", "pw=ge\"hé&m+1\r\n", "user=al ice\r\n",
        "--b\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nal ice\r\n--b--",
    ]) func whatCarriesThem(text: String) throws {
        let values = try values()
        #expect(values.misplaced(request("https://evil.example/", Array(text.utf8))) == "https://evil.example")
        #expect(values.misplaced(request("https://idp.example/", Array(text.utf8))) == nil)
        let query = text.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed) ?? ""
        guard !text.contains("\r"), !text.hasPrefix("{") else { return }
        #expect(values.misplaced(request("https://evil.example/x?\(text.contains("%") ? text : query)")) != nil)
    }

    /// A page may put a password into the name of a server, also cut by dots, or a code into its port.
    @Test func namesOfServersCarryThem() throws {
        let values = EnteredValues(callersHost: "secretword.sp.example")
        values.note(
            ["pw": Redacted("SecretWord"), "pin": Redacted("4711")], secrets: ["pw", "pin"],
            for: [try TargetURL("https://idp.example").origin])
        for host in ["secretword.evil.example", "x.secret.word.evil.example", "xsecretwordx", "evil.example:4711"] {
            let place = values.misplaced(request("https://\(host)/x"))
            #expect(place == "an address that contains the answer", "\(host)")
            // A server's redirect has nothing of a page, but its words are not shown either.
            #expect(values.misplaced(request("https://\(host)/x"), hasServersURL: true) == nil)
        }
        #expect(values.misplaced(request("https://secret.example/x")) == nil)
        #expect(values.misplaced(request("https://secretword.sp.example/x")) == nil)
        #expect(values.misplaced(request("https://evil.example/", Array("SecretWord".utf8))) == "https://evil.example")
    }

    /// Short and harmless values occur anywhere.
    @Test(arguments: ["login_hint=al+ice", "x=12", "pins=12", "user=bob", "SAMLResponse=abc12", ""])
    func whatDoesNot(text: String) throws {
        #expect(try values().misplaced(request("https://sp.example/12?\(text)", Array(text.utf8))) == nil)
    }

    /// A redirect takes a page's fields along.
    @Test(arguments: [
        ("X-Password", "ge\"hé&m+1"), ("X-Password", "ge\"h\u{C3}\u{A9}&m+1"), ("ge%22h%C3%A9%26m%2B1", "x"),
        ("Referer", "https://idp.example/?ge%22h%C3%A9%26m%2B1"),
    ]) func fieldsCarrySecrets(name: String, value: String) throws {
        let values = try values()
        func request(_ url: String) -> JSONValue {
            .object(["url": .string(url), "headers": .object([name: .string(value)])])
        }
        for hasServersURL in [false, true] {
            #expect(values.misplaced(request("https://evil.example/"), hasServersURL: hasServersURL) != nil)
            #expect(values.misplaced(request("https://idp.example/"), hasServersURL: hasServersURL) == nil)
        }
    }

    @Test func fieldsWithoutSecrets() throws {
        let fields = JSONValue.object(["User-Agent": .string("Mozilla/5.12"), "X-User": .string("al ice")])
        let plain = JSONValue.object(["url": .string("https://evil.example/?user=al+ice"), "headers": fields])
        #expect(try values().misplaced(plain, hasServersURL: true) == nil)
    }

    /// A short password may occur in what only the browser writes.
    @Test(arguments: [
        ("Referer", "https://test.example/", true), ("Referer", "https://idp.example/?test", false),
        ("Referer", "test", false), ("User-Agent", "a test", true), ("User-Agent", "another test", false),
        ("sec-ch-ua", "test", true), ("Origin", "https://test.example", true), ("X-Test", "test", false),
    ]) func fieldsThatTheBrowserWrites(name: String, value: String, isTheBrowsers: Bool) throws {
        let values = EnteredValues()
        values.note(["pw": Redacted("test")], secrets: ["pw"], for: [try TargetURL("https://idp.example").origin])
        values.noteUserAgent("a test")
        let request = JSONValue.object([
            "url": .string("https://sp.example/"), "headers": .object([name: .string(value)]),
        ])
        for hasServersURL in [false, true] {
            #expect((values.misplaced(request, hasServersURL: hasServersURL) == nil) == isTheBrowsers)
        }
    }

    private func event(_ name: String, _ parameters: [String: JSONValue]) -> DevToolsEvent {
        DevToolsEvent(
            method: "Network.webSocket\(name)",
            parameters: .object(parameters.merging(["requestId": .string("1")]) { $1 }), session: "s")
    }

    @Test func webSocketsCarryThem() throws {
        let values = try values()
        var reports = WebSocketReports()
        func place(_ event: DevToolsEvent) -> String? { reports.sent(event).flatMap { values.misplaced($0) } }
        func frame(_ code: Int64, _ text: String) -> DevToolsEvent {
            event("FrameSent", ["response": .object(["opcode": .integer(code), "payloadData": .string(text)])])
        }
        #expect(place(event("Created", ["url": .string("wss://evil.example/?pw=ge%22h%C3%A9%26m%2B1")])) != nil)
        #expect(place(event("Created", ["url": .string("wss://evil.example/?user")])) == nil)
        #expect(place(frame(1, "{\"user\": 1}")) == nil)
        #expect(place(frame(1, "user=al ice")) == "https://evil.example")
        let protocols = JSONValue.object([
            "headers": .object(["Sec-WebSocket-Protocol": .string("xge%22h%C3%A9%26m%2B1")])
        ])
        #expect(place(event("WillSendHandshakeRequest", ["request": protocols])) == "https://evil.example")
        #expect(place(frame(2, Data("xge\"hé&m+1x".utf8).base64EncodedString())) == "https://evil.example")
        // The server may have them, and without a URL nobody knows the server.
        #expect(place(event("Created", ["url": .string("wss://idp.example/?user=al+ice")])) == nil)
        #expect(place(frame(1, "user=al ice")) == nil)
        #expect(place(event("Closed", [:])) == nil)
        #expect(place(frame(1, "user=al ice")) != nil)
    }

    @Test func whatCannotBeSeenMayBeAnything() throws {
        let hidden = JSONValue.object(["url": .string("https://evil.example/"), "hasPostData": .bool(true)])
        #expect(try values().misplaced(hidden) == "https://evil.example")
        #expect(EnteredValues().misplaced(hidden) == nil)
        // An address that only the browser understands is checked too.
        #expect(try values().misplaced(request("https://evil!.example/?user=al+ice")) != nil)
        #expect(try values().misplaced(request("https://evil!.example/")) == nil)
        #expect(try values().misplaced(request("data:,user=al+ice")) == nil)
    }
}
#endif
