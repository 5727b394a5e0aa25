import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

/// A custom `Host` is sent to one origin, and decides nothing (security rule S1).
@Suite(.timeLimit(.minutes(1))) struct HostFieldTests {
    private func manager(_ transport: ScriptedTransport, _ host: String) throws -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration()
        configuration.hostFields[try Origin(scheme: .http, host: "a.example")] = try HostField(host)
        configuration.redirects.allowsDowngrade = true
        // A trusted origin does not get it either.
        try configuration.credentials.trust("http://b.example")
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    private static func chain(_ locations: [String]) -> ScriptedTransport {
        ScriptedTransport(capabilities: .hostField) { _, index in
            index < locations.count ? .init(.found, [.location: locations[index]]) : .init(.ok)
        }
    }

    /// Redirects to the same server, to the server with the field's value as its name, to others, and back.
    @Test(
        arguments: [
            (["/next"], ["app.example", "app.example"]),
            (["http://app.example/"], ["app.example", nil]),
            (["http://b.example/", "http://a.example/back"], ["app.example", nil, "app.example"]),
            (["https://a.example/"], ["app.example", nil]), (["http://a.example:8080/"], ["app.example", nil]),
            (["http://sub.a.example/"], ["app.example", nil]),
        ] as [([String], [String?])])
    func goesToItsOriginOnly(locations: [String], expected: [String?]) async throws {
        let transport = Self.chain(locations)
        _ = try await manager(transport, "app.example").get("http://a.example/")
        #expect(transport.requests.map(\.options.hostField?.value) == expected)
        // The URL decides the destination.
        #expect(transport.requests.map(\.target.origin.host).first == "a.example")
    }

    @Test func cookiesAreTheURLs() async throws {
        let transport = ScriptedTransport(capabilities: .hostField) { _, index in
            index == 0
                ? .init(.found, [.setCookie: "sid=1; Domain=app.example", .location: "http://app.example/"])
                : .init(.ok)
        }
        _ = try await manager(transport, "app.example").get("http://a.example/")
        #expect(transport.requests.count == 2)
        #expect(transport.requests.allSatisfy { !$0.headerFields.contains(.cookie) })
    }

    @Test func aMissingCapabilityFailsAtOnce() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let code = await failureCode { try await manager(transport, "app.example").get("http://c.example/") }
        #expect(code == .invalidConfiguration)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        "a.example", "A.example:8080", "[::1]:80", "127.0.0.1", "under_score", "a%20b",
        String(repeating: "a", count: 512),
    ]) func values(text: String) throws {
        #expect(try HostField(text).value == text)
    }

    @Test(arguments: [
        "", " a", "a b", "a\r\nX: y", "a\nb", "a\0", "a/b", "a?b", "a#b", "u@a", "ä.example", "a\\b", "a\u{7f}", "a\"b",
        "a\u{301}", String(repeating: "a", count: 513),
    ]) func noValues(text: String) {
        #expect { try HostField(text) } throws: { ($0 as? ConversationError)?.code == .invalidRequest }
    }
}
