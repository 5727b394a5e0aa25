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

    /// Short and harmless values occur anywhere.
    @Test(arguments: ["login_hint=al+ice", "x=12", "pins=12", "user=bob", "SAMLResponse=abc12", ""])
    func whatDoesNot(text: String) throws {
        #expect(try values().misplaced(request("https://sp.example/12?\(text)", Array(text.utf8))) == nil)
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
