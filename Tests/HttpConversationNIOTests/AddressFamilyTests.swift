import HTTPTypes
import HttpConversation
import HttpConversationNIO
import TestLandscape
import Testing

@Suite(.timeLimit(.minutes(1))) struct AddressFamilyTests {
    private func code(_ family: NIOTransport.AddressFamily, _ url: String) async -> ConversationError.Code? {
        var settings = NIOTransport.Configuration()
        settings.addressFamily = family
        do throws(ConversationError) {
            _ = try await HttpConversationManager(transport: NIOTransport(configuration: settings)).get(url)
            return nil
        } catch { return error.code }
    }

    /// No name server is asked (RFC 6761 §6.3).
    @Test func namesBelowLocalhostAreThisMachine() async throws {
        try await withLandscape { landscape in
            let url = landscape.urlString(.main, "/json").replacing("127.0.0.1", with: "app.localhost")
            let answer = try await HttpConversationManager(transport: NIOTransport()).get(url)
            #expect(answer.status == .ok && answer.url.origin.host == "app.localhost")
            // Another transport may ask a name server, so secrets need https.
            #expect(!answer.url.origin.isLoopback && !answer.url.origin.isSecure)
        }
    }

    /// The landscape listens on 127.0.0.1 only.
    @Test func onlyOneFamilyIsConnectedTo() async throws {
        try await withLandscape { landscape in
            let port = landscape.urlString(.main, "").split(separator: ":").last.map(String.init) ?? ""
            for host in ["127.0.0.1", "localhost", "app.localhost"] {
                #expect(await code(.ipv4, "http://\(host):\(port)/json") == nil)
                #expect(await code(.ipv6, "http://\(host):\(port)/json") == .connectionFailed)
            }
            #expect(await code(.ipv4, "http://[::1]:\(port)/json") == .connectionFailed)
            #expect(await code(.ipv4, "http://no-such-name.invalid:\(port)/") == .hostNotResolved)
        }
    }
}
