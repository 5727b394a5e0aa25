import HTTPTypes
import HttpC
import HttpCTerminal
import HttpConversationTesting
import Testing

/// The names of servers in messages, which a redirect may have chosen (security rule S20).
@Suite struct ShownOriginTests {
    @Test(arguments: [("there", "there"), ("x-hunter2secret", "x-…")])
    func secretsInNamesAreHidden(host: String, shown: String) async throws {
        let transport = ScriptedTransport { request, _ in
            request.target.origin.host == "a.example"
                ? .init(.found, [.location: "https://\(host).example:8443/b?c=d"]) : .init(.notFound)
        }
        let response = try await testManager(transport).get(
            "https://a.example/", fields: [.authorization: "Bearer hunter2secret"])
        #expect(response.url.originInMessages == "https://\(shown).example:8443")
        #expect(try TargetURL("https://a.example").originInMessages == "https://a.example")
    }
}
