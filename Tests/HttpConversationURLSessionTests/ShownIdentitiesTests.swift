import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConversationURLSession

/// A TLS session with a certificate is never another identity's.
@Suite("Certificates that servers were shown", .timeLimit(.minutes(1)))
struct ShownIdentitiesTests {
    private static func identity(_ number: UInt8) -> ClientIdentity {
        let summary = CertificateSummary(
            subject: "CN=\(number)", issuer: "CN=\(number)", names: [], notBefore: .distantPast,
            notAfter: .distantFuture, fingerprint: [number], publicKeyFingerprint: [number])
        return ClientIdentity(certificates: [[number]], privateKey: .der([number]), summary: summary)
    }

    private static func source(_ number: UInt8) -> ClientIdentitySource {
        ClientIdentitySource { identity(number) }
    }

    @Test func othersAreRefused() async throws {
        let (server, other) = (try TargetURL("https://a.example").origin, try TargetURL("https://b.example").origin)
        let (alice, again, bob) = (Self.source(1), Self.source(1), Self.source(2))
        let shown = ShownIdentities()
        for source in [alice, again, bob, nil] { try await shown.check(source, for: server) }
        #expect(!again.isAnswered, "a server that was shown nothing asks by itself")
        #expect(shown.show(Self.identity(1), of: alice, to: server))
        try await shown.check(alice, for: server)
        // Another source with the same certificate, such as after a log-out.
        try await shown.check(again, for: server)
        for source in [bob, ClientIdentitySource { nil }, nil] {
            let error = await #expect(throws: ConversationError.self) { try await shown.check(source, for: server) }
            #expect(error?.code == .invalidConfiguration)
            try await shown.check(source, for: other)
        }
        #expect(shown.show(Self.identity(1), of: again, to: server))
        #expect(!shown.show(Self.identity(2), of: bob, to: server))
        #expect(shown.show(Self.identity(2), of: bob, to: other))
    }

    @Test func nothingIsSent() async throws {
        let target = try TargetURL("https://shown.invalid/")
        #expect(ShownIdentities.shared.show(Self.identity(1), of: Self.source(1), to: target.origin))
        let manager = HttpConversationManager(transport: URLSessionTransport())
        let error = await #expect(throws: ConversationError.self) {
            _ = try await manager.data(for: HTTPRequest(.get, target.absoluteString))
        }
        #expect(error?.code == .invalidConfiguration, "\(error as Any)")
    }

    /// Every conversation is told that the server refuses the only certificate, also after a log-out.
    @Test func aRefusalStaysARefusal() async throws {
        struct Provider: ClientCertProvider {
            var isInteractive: Bool { false }

            func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
                .identity(ShownIdentitiesTests.identity(1))
            }
        }
        let shown = ShownIdentities()
        let transport = ScriptedTransport(capabilities: [.streamingRequests, .clientCertificates]) {
            request, _ throws(ConversationError) in
            let (source, origin) = (request.options.clientIdentity, request.target.origin)
            try await shown.check(source, for: origin)
            if let source, let identity = try await source.identity() {
                #expect(shown.show(identity, of: source, to: origin))
            }
            throw ConversationError(.clientCertificateRefused, "It is not acceptable.")
        }
        func manager() -> HttpConversationManager {
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(clientCertificate: Provider())
            return HttpConversationManager(transport: transport, configurator)
        }
        let first = manager()
        for manager in [first, first, manager()] {
            let code = await failureCode { _ = try await manager.get("https://a.example/") }
            #expect(code == .clientCertificateRefused)
        }
        first.configuration.session.removeCredentials()
        #expect(await failureCode { _ = try await first.get("https://a.example/") } == .clientCertificateRefused)
    }

    // MARK: Handshakes

    private func question(
        _ method: HandshakeDecision.Question.Method, _ host: String = "A.example", port: Int = 443,
        isProxy: Bool = false
    ) -> HandshakeDecision.Question { .init(method: method, host: host, port: port, isProxy: isProxy) }

    private func answer(
        _ question: HandshakeDecision.Question, _ change: (inout TransportOptions) -> Void, in shown: ShownIdentities
    ) async throws -> String {
        var options = TransportOptions()
        change(&options)
        let decision = HandshakeDecision(
            options: options, origin: try TargetURL("https://a.example").origin, shown: shown)
        let answer = await decision.answer(question) { authorities in
            ServerTrust(certificates: authorities, summary: nil, problems: authorities.isEmpty ? [.expired] : [])
        }
        return switch answer {
        case .identity(let identity): "\(identity.summary.subject)"
        case .refused(let error): "\(error.code)"
        case let other: "\(other)"
        }
    }

    /// A certificate is for the exchange's server only, and a policy judges no other server. A 401 is the conversation's,
    /// and no system answers it with a ticket.
    @Test func handshakesAskForTheirOwnServer() async throws {
        let refused = "certificateNotTrusted"
        for (asked, expected) in [
            (question(.clientCertificate, "b.example"), "noIdentity"),
            (question(.clientCertificate, port: 8443), "noIdentity"),
            (question(.clientCertificate, isProxy: true), "noIdentity"),
            (question(.serverTrust, "b.example"), refused), (question(.serverTrust, port: 8443), refused),
            (question(.serverTrust, isProxy: true), "byDefault"),
            (question(.ticket), "rejected"), (question(.ticket, "b.example"), "rejected"),
            (question(.ticket, isProxy: true), "rejected"),
            (question(.other), "rejected"), (question(.other, isProxy: true), "byDefault"),
        ] {
            let found = try await answer(
                asked,
                {
                    $0.clientIdentity = Self.source(1)
                    $0.serverTrust = ServerTrustPolicy { _, _ in throw CancellationError() }
                }, in: ShownIdentities())
            #expect(found == expected, "\(asked)")
        }
        for (asked, expected) in [
            (question(.clientCertificate), "noIdentity"), (question(.serverTrust), "byDefault"),
            (question(.serverTrust, "b.example"), "byDefault"),
        ] {
            #expect(try await answer(asked, { _ in }, in: ShownIdentities()) == expected, "\(asked)")
        }
    }

    @Test func aNamedProxyMayGetATicket() async throws {
        let decision = HandshakeDecision(
            options: TransportOptions(), origin: try TargetURL("https://a.example").origin, hasNamedProxies: true)
        for (isProxy, expected) in [(true, "byDefault"), (false, "rejected")] {
            let found = await decision.answer(question(.ticket, "p.example", port: 3128, isProxy: isProxy)) { _ in
                ServerTrust(certificates: [], summary: nil, problems: [])
            }
            #expect("\(found)" == expected)
        }
    }

    /// The system makes the connections of a background session, and a redirect may lead to any server.
    @Test func aBackgroundSessionShowsNothing() {
        for (asked, expected) in [
            (question(.clientCertificate), "noIdentity"), (question(.clientCertificate, isProxy: true), "noIdentity"),
            (question(.ticket), "rejected"), (question(.ticket, isProxy: true), "byDefault"),
            (question(.serverTrust), "byDefault"), (question(.other), "byDefault"),
        ] {
            #expect("\(HandshakeDecision.bySystem(asked, hasNamedProxies: true))" == expected, "\(asked)")
        }
        #expect(
            "\(HandshakeDecision.bySystem(question(.ticket, isProxy: true), hasNamedProxies: false))" == "rejected")
    }

    @Test func handshakesShowOneIdentity() async throws {
        let (shown, alice) = (ShownIdentities(), Self.source(1))
        let none = ClientIdentitySource { nil }
        let asked = question(.clientCertificate)
        #expect(try await answer(asked, { $0.clientIdentity = none }, in: shown) == "noIdentity")
        #expect(try await answer(asked, { $0.clientIdentity = alice }, in: shown) == "CN=1")
        #expect(try await answer(asked, { $0.clientIdentity = alice }, in: shown) == "CN=1")
        for source in [Self.source(2), none, nil] {
            #expect(try await answer(asked, { $0.clientIdentity = source }, in: shown) == "invalidConfiguration")
            // Before the request of another identity is sent on a session that might be resumed.
            let trust = question(.serverTrust)
            #expect(try await answer(trust, { $0.clientIdentity = source }, in: shown) == "invalidConfiguration")
        }
        let failing = ClientIdentitySource { throw CancellationError() }
        #expect(try await answer(asked, { $0.clientIdentity = failing }, in: ShownIdentities()) == "cancelled")
    }

    /// The policy gets the system's judgement, with the authorities of its terms.
    @Test func handshakesAskThePolicy() async throws {
        func policy(_ authorities: [[UInt8]]) -> ServerTrustPolicy {
            ServerTrustPolicy { _ in
                var terms = ServerTrustTerms()
                terms.authorities = authorities
                return terms
            } _: { trust, origin in
                guard trust.problems.isEmpty else { throw ConversationError(.certificateNotTrusted, "\(origin)") }
            }
        }
        let asked = question(.serverTrust)
        let shown = ShownIdentities()
        #expect(try await answer(asked, { $0.serverTrust = policy([]) }, in: shown) == "certificateNotTrusted")
        #expect(try await answer(asked, { $0.serverTrust = policy([[1]]) }, in: shown) == "trusted")
    }
}
