import Foundation
import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite struct TargetURLConvertibleTests {
    @Test func spellingsOfOneTargetAreEqual() throws {
        let text = "https://example.com:8443/a?b=c"
        let target = try TargetURL(text)
        let spellings: [any TargetURLConvertible] = [
            text, text[...], try #require(URL(string: text)), target,
        ]
        for spelling in spellings {
            #expect(try spelling.targetURL() == target)
            #expect(spelling.urlText == text)
            #expect(try spelling.targetOrigin() == target.origin)
        }
        #expect(try target.origin.targetURL().absoluteString == "https://example.com:8443/")
    }

    @Test(arguments: ["", "example.com", "ftp://example.com/", "https://exa mple.com/", "https://", "file:///etc"])
    func invalidValuesThrow(_ text: String) async throws {
        #expect(throws: ConversationError.self) { try text.targetURL() }
        #expect(throws: ConversationError.self) { _ = try HTTPRequest(.get, text) }
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = HttpConversationManager(transport: transport)
        await #expect(throws: ConversationError.self) { try await manager.get(text) }
        if let url = URL(string: text) {
            await #expect(throws: ConversationError.self) { try await manager.get(url) }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func originsAreShownWithoutPasswords() throws {
        #expect(throws: ConversationError.self) { try "https://alice:pw@example.com".targetOrigin() }
        let error = #expect(throws: ConversationError.self) { try HTTPRequest(.get, "https://alice:pw@example.com/") }
        #expect(error?.description.contains("pw") == false)
    }
}
