import HTTPTypes
import HttpConvLogon
import HttpConversation
import HttpConversationTesting
import TestLandscape
import Testing

/// A domain's document is a proposal, and only a valid one reaches the person.
@Suite("Discovery", .timeLimit(.minutes(1))) struct DiscoveryTests {
    private static let application = "com.example.app"

    private static func outcome(
        _ discovery: WellKnownDiscovery, _ address: String = "alice@example.com",
        _ options: LogonOptions = LogonOptions()
    ) async -> (found: DiscoveredServer?, error: LogonError?) {
        do throws(LogonError) {
            return (try await discovery.server(for: address, options, applicationID: application), nil)
        } catch { return (nil, error) }
    }

    /// A discovery with a domain's scripted answer.
    private static func scripted(_ document: String) -> (WellKnownDiscovery, ScriptedTransport) {
        let transport = ScriptedTransport { _, _ in .init(.ok, [.contentType: "application/json"], body: document) }
        return (WellKnownDiscovery(HttpConversationManager(transport: transport)), transport)
    }

    @Test func everything() async throws {
        let (discovery, transport) = Self.scripted(
            """
            {"server": {"host": "Mobile.Example.COM.", "port": 8443, "domain": "d", "farm": "farm1", "path": "a/b",
            "securityConfiguration": "s", "gatewayClient": "300", "gatewayPing": "sap/ping", "gatewayOnly": true,
            "later": [1]}, "later": null}
            """)
        var options = LogonOptions()
        options.registration.isHTTPS = false
        options.registration.backendUserName = "ALICE"
        let found = try #require(await Self.outcome(discovery, "alice+tag@Example.com", options).found)
        var expected = RegistrationDefaults()
        expected.serverHost = "mobile.example.com"
        expected.serverPort = 8443
        (expected.serverDomain, expected.farmID, expected.resourcePath) = ("d", "farm1", "a/b")
        (expected.securityConfig, expected.gatewayClient, expected.gatewayPingPath) = ("s", "300", "sap/ping")
        expected.isGatewayOnly = true
        expected.backendUserName = "ALICE"
        #expect(found.registration == expected)
        #expect(found.isWithinDomain)
        #expect(found.source.description == "https://example.com")
        // The proposal is not accepted yet.
        #expect(options.registration.serverHost.isEmpty)
        found.accept(into: &options)
        #expect(options.registration == expected)
        // The domain learns nothing about the person.
        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(request.target.absoluteString == "https://example.com/.well-known/mobile-logon")
        #expect(!"\(request.headerFields)".contains("alice"))
    }

    @Test func aMinimalAnswer() async throws {
        let (discovery, _) = Self.scripted(#"{"server":{"host":"mobile.elsewhere.example"}}"#)
        let found = try #require(await Self.outcome(discovery).found)
        #expect(found.registration.port == 443)
        #expect(found.registration.isHTTPS)
        #expect(found.registration.gatewayPingPath == "sap/bc/ping")
        #expect(!found.isWithinDomain)
        #expect(found.description == "mobile.elsewhere.example:443, named by https://example.com")
    }

    @Test(arguments: [
        "", "alice", "alice@", "@example.com", "a@b@example.com", "alice@example", "alice@localhost",
        "alice@127.0.0.1", "alice@[::1]", "alice@::1", "alice@127.1", "alice@example.com/x", "alice@example.com:8443",
        "alice@example.com?x", "alice@exa mple.com", "alice@example..com", "alice@.example.com", "alice@a.localhost.",
        "alice@\u{0}example.com", "alice@example.com\r\nX: y", String(repeating: "a", count: 65) + "@example.com",
    ]) func whatIsNoAddress(address: String) async {
        let (discovery, transport) = Self.scripted(#"{"server":{"host":"mobile.example.com"}}"#)
        #expect(await Self.outcome(discovery, address).error?.code == .invalidParameter)
        #expect(transport.requests.isEmpty)
    }

    @Test(
        arguments: [
            (#"{"server":{"host":""}}"#, .invalidServerHost), (#"{"server":{"host":"a b"}}"#, .invalidServerHost),
            (#"{"server":{"host":"https://x.example"}}"#, .invalidServerHost),
            (#"{"server":{"host":"u@x.example"}}"#, .invalidServerHost),
            (#"{"server":{"host":"x.example","port":0}}"#, .invalidServerHost),
            (#"{"server":{"host":"x.example","port":65536}}"#, .invalidServerHost),
            (#"{"server":{"host":"x.example","farm":"a/b"}}"#, .invalidParameter),
            (#"{"server":{"host":"x.example","path":"../x"}}"#, .invalidParameter),
            (#"{"server":{"host":"x.example","gatewayPing":"a\r\nb"}}"#, .invalidParameter),
            (#"{"server":{"host":"x.example","gatewayClient":"1&x=y"}}"#, .invalidParameter),
            (#"{"server":{"host":"x.example","domain":"\u001b[31m"}}"#, .invalidParameter),
            (
                #"{"server":{"host":"x.example","domain":""# + String(repeating: "x", count: 257) + #""}}"#,
                .invalidParameter
            ),
            ("", .communicationManagerError), ("null", .communicationManagerError), ("[]", .communicationManagerError),
            ("{}", .communicationManagerError), (#"{"server":"x.example"}"#, .communicationManagerError),
            (#"{"server":{"host":7}}"#, .communicationManagerError),
            (#"{"server":{"host":"x.example","port":"443"}}"#, .communicationManagerError),
            (#"{"server":{"host":"x.example","port":1e99}}"#, .communicationManagerError),
            (#"{"server":{"host":"x.example","gatewayOnly":1}}"#, .communicationManagerError),
        ] as [(String, LogonError.Code)])
    func whatCannotBeUsed(document: String, expected: LogonError.Code) async {
        let (discovery, transport) = Self.scripted(document)
        let error = await Self.outcome(discovery).error
        #expect(error?.code == expected)
        #expect(error?.message.contains("\u{1B}") == false)
        #expect(transport.requests.count == 1)
    }

    // MARK: At the landscape

    private static func withDiscovery(
        _ body: (Landscape, WellKnownDiscovery) async throws -> Void
    ) async throws {
        try await withEnrolment { bench in
            // The manager's logins are not used.
            var discovery = WellKnownDiscovery(bench.manager("alice"))
            let origin = try bench.landscape.url(.secure).targetURL().origin
            discovery.place = { _ in origin }
            try await body(bench.landscape, discovery)
        }
    }

    @Test func atTheLandscape() async throws {
        try await Self.withDiscovery { landscape, discovery in
            let found = try await discovery.server(
                for: "alice@example.com", LogonOptions(), applicationID: Self.application)
            #expect(found?.registration.serverHost == "mobile.example.com")
            landscape.mobileRule.discovery = nil
            let nothing = await Self.outcome(discovery)
            #expect(nothing.found == nil)
            #expect(nothing.error == nil)
            let requests = landscape.requests()
            #expect(requests.map(\.target) == ["/.well-known/mobile-logon", "/.well-known/mobile-logon"])
            #expect(requests.allSatisfy { $0.values(of: "Authorization").isEmpty && $0.values(of: "Cookie").isEmpty })
        }
    }

    @Test(arguments: MobileDiscoveryFault.allCases) func failuresAreTyped(fault: MobileDiscoveryFault) async throws {
        try await Self.withDiscovery { landscape, discovery in
            var discovery = discovery
            if fault == .slow { discovery.timeout = .seconds(8) }
            landscape.mobileRule.discoveryFault = fault
            let error = await Self.outcome(discovery).error
            #expect(error?.code == .communicationManagerError)
            let cause = (error?.underlyingError as? ConversationError)?.code
            let causes: [MobileDiscoveryFault: ConversationError.Code] = [
                .slow: .timedOut, .endless: .tooLarge, .loop: .tooManyRedirects, .downgrade: .redirectRefused,
                .cut: .bodyCut,
            ]
            #expect(cause == causes[fault])
            // The request arrived, and no redirect to plain http was followed.
            #expect(landscape.count(path: "/.well-known/mobile-logon") == (fault == .loop ? 4 : 1))
            #expect(landscape.requests(origin: .other).isEmpty)
        }
    }

    @Test func cancelled() async throws {
        try await Self.withDiscovery { landscape, discovery in
            let gate = landscape.hold("/.well-known/mobile-logon")
            let task = Task { await Self.outcome(discovery).error?.code }
            try await gate.waitForWaiters(1)
            task.cancel()
            #expect(await task.value == .operationCancelled)
        }
    }
}
