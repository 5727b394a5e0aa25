import HTTPTypes
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConversation

/// Proxies of a shell's environment, over a transport that uses those of the system's settings.
@Suite("Proxies of the system") struct SystemProxyTests {
    private static let variables = [
        "http_proxy": "http://proxy.example:3128", "https_proxy": "http://[", "no_proxy": "",
    ]

    private func send(
        _ url: String, _ proxies: ProxySettings, _ capabilities: TransportCapabilities
    ) async throws -> [ProxyServer?] {
        let seen = Mutex<[ProxyServer?]>([])
        let transport = ScriptedTransport(capabilities: capabilities) { request, _ in
            seen.withLock { $0.append(request.options.proxy?.server) }
            return .init(.ok)
        }
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = proxies
        _ = try await HttpConversationManager(transport: transport, configuration: configuration).get(url)
        return seen.withLock { $0 }
    }

    /// Nobody has chosen them, so the system's apply, and an invalid one fails nothing.
    @Test(arguments: ["http://example.com/", "https://example.com/"])
    func defaultsAreLeftOut(_ url: String) async throws {
        let proxies = ProxySettings.environment(Self.variables).asDefault
        #expect(try await send(url, proxies, [.systemProxies]) == [nil])
        #expect(try await send(url, proxies.without([]), [.systemProxies]) == [nil])
    }

    /// Proxies that were chosen are never bypassed (security rule S25), nor those of a transport without the system's.
    @Test func othersAreUsedOrFail() async throws {
        let chosen = ProxySettings.environment(Self.variables)
        let cases: [(ProxySettings, TransportCapabilities)] = [
            (chosen, .systemProxies), (chosen, []), (chosen.asDefault, []),
        ]
        for (proxies, capabilities) in cases {
            let error = await #expect(throws: ConversationError.self) {
                _ = try await send("http://example.com/", proxies, capabilities)
            }
            #expect(error?.code == .invalidConfiguration)
        }
        let used = try await send("http://example.com/", chosen.asDefault, [.systemProxies, .proxies])
        #expect(used.map { $0?.origin.host } == ["proxy.example"])
    }

    @Test func strategiesDoNotSeeDefaultsEither() throws {
        let proxies = ProxySettings.environment(["https_proxy": "https://proxy.example:3128"])
        func isEmpty(_ proxies: ProxySettings, _ capabilities: TransportCapabilities) throws -> Bool {
            var configuration = HttpConversationManager.Configuration()
            configuration.proxies = proxies
            let transport = ScriptedTransport(capabilities: capabilities) { _, _ in .init(.ok) }
            let manager = HttpConversationManager(transport: transport, configuration: configuration)
            return configuration.proxies.areUsed(by: manager.transport.capabilities) == false
        }
        #expect(try isEmpty(proxies.asDefault, [.systemProxies]))
        #expect(try !isEmpty(proxies, [.systemProxies]))
        #expect(try !isEmpty(proxies.asDefault, []))
    }
}
