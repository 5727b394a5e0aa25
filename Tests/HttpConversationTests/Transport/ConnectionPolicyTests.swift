import HttpConversationTesting
import Testing

@testable import HttpConversation

/// The connection policy for strategies: settings that decide which servers are permitted (security rule S28).
@Suite struct ConnectionPolicyTests {
    private struct Judge: ChallengeFilter {
        var handles: Set<AuthenticationMethod> = [.serverTrust]

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer { .notHandled }
    }

    private struct Transport: HTTPTransport {
        var connectionPolicy: ConnectionPolicy
        var capabilities: TransportCapabilities { [] }

        func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
            throw ConversationError(.connectionFailed, "Nothing is sent.")
        }
        func shutdown() async {}
    }

    private let one = try? Origin(scheme: .https, host: "one.example")
    private let other = try? Origin(scheme: .https, host: "other.example")

    private func policy(
        _ policy: ConnectionPolicy = ConnectionPolicy(), _ change: (inout HttpConversationManager.Configuration) -> Void
    ) throws -> ConnectionPolicy {
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .none
        change(&configuration)
        let manager = HttpConversationManager(
            transport: RateLimitedTransport(Transport(connectionPolicy: policy), bytesPerSecond: 1),
            configuration: configuration)
        return try manager.detachedContext(for: TargetURL("https://one.example/")).connectionPolicy
    }

    @Test func anEmptyValuePrintsNothing() throws { #expect(try policy { _ in }.isEmpty) }

    @Test func aFilterThatJudgesServersIsAPinEverywhere() throws {
        let found = try policy { $0.challengeFilters.add(Judge()) }
        #expect(found.settings(for: try #require(other)) == [.pinnedKeys])
        #expect(found.settings(for: try Origin(scheme: .http, host: "other.example")).isEmpty)
        #expect(try policy { $0.challengeFilters.add(Judge(handles: [.basic])) }.isEmpty)
    }

    /// A child conversation has the same policy, though its filters are left out.
    @Test func partsOfFiltersSayTheSame() throws {
        let found = try policy { configuration in
            configuration.challengeFilters.add(Judge(handles: [.serverTrust, .basic]))
            configuration = configuration.withoutPerson()
        }
        #expect(found == ConnectionPolicy([.pinnedKeys]))
    }

    @Test func originsAreKeptApart() throws {
        let (one, other) = (try #require(one), try #require(other))
        var given = ConnectionPolicy([.unixSocket], for: [one])
        given.formUnion(ConnectionPolicy([.pinnedKeys], for: [one, other]))
        let found = try policy(given) { _ in }
        #expect(found.settings(for: one) == [.unixSocket, .pinnedKeys])
        #expect(found.settings(for: other) == [.pinnedKeys])
        #expect(found.everywhere.isEmpty && !found.isEmpty)
    }

    @Test func settingsOfAProxyApplyToAllServers() throws {
        let proxy = try ProxyServer(.https, host: "proxy.example")
        var given = ConnectionPolicy([.proxyAuthorities])
        given.formUnion(ConnectionPolicy([.givenAddress], for: [proxy.origin]))
        #expect(try policy(given) { _ in }.everywhere.isEmpty)
        let found = try policy(given) { $0.proxies = .always(proxy) }
        #expect(found.everywhere == [.proxyAuthorities, .givenAddress])
    }
}
