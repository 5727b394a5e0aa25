import HttpConversation
import HttpConversationNIO
import Testing

/// The policy that the transport reports for its settings (security rule S28).
@Suite struct ConnectionPolicyTests {
    private func policy(_ change: (inout NIOTransport.Configuration) throws -> Void) rethrows -> ConnectionPolicy {
        var configuration = NIOTransport.Configuration()
        configuration.proxyTLS = NIOTransport.TLSSettings()
        try change(&configuration)
        return NIOTransport(configuration: configuration).connectionPolicy
    }

    @Test func theDefaultPolicyIsEmpty() { #expect(policy { _ in }.isEmpty) }

    @Test(arguments: [true, false]) func authoritiesApplyIfServersAreVerified(verifies: Bool) {
        let found = policy {
            $0.tls.trustRoots = .pem([])
            $0.tls.verifiesCertificates = verifies
        }
        #expect(found.everywhere == (verifies ? [.authorities] : []))
    }

    @Test func proxiesHaveTheirOwnAuthorities() {
        #expect(policy { $0.proxyTLS?.trustRoots = .pem([]) }.everywhere == [.proxyAuthorities])
        let same = policy {
            $0.tls.trustRoots = .pem([])
            $0.proxyTLS = nil
        }
        #expect(same.everywhere == [.authorities, .proxyAuthorities])
    }

    @Test func theAddressFamilyAppliesEverywhere() {
        #expect(policy { $0.addressFamily = .ipv6 }.everywhere == [.addressFamily])
    }

    @Test func addressesAndSocketsApplyToTheirServers() throws {
        let found = try policy {
            try $0.addresses.set(["192.0.2.7"], forHost: "a.example", port: 443)
            try $0.addresses.set(unixSocket: "/run/x", for: "http://localhost")
        }
        #expect(found.everywhere.isEmpty)
        #expect(found.settings(for: try Origin(scheme: .https, host: "a.example")) == [.givenAddress])
        #expect(found.settings(for: try Origin(scheme: .http, host: "localhost")) == [.unixSocket])
        #expect(found.settings(for: try Origin(scheme: .https, host: "b.example")).isEmpty)
    }
}
