import HTTPTypes
import HttpConversation
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
        for source in [alice, again, bob, nil] { try shown.check(source, for: server) }
        #expect(shown.show(Self.identity(1), of: alice, to: server))
        try shown.check(alice, for: server)
        // The certificate of this source is not known yet, and it would not be asked for it.
        #expect(throws: ConversationError.self) { try shown.check(again, for: server) }
        _ = try await again.identity()
        try shown.check(again, for: server)
        _ = try await bob.identity()
        for source in [bob, nil] {
            let error = #expect(throws: ConversationError.self) { try shown.check(source, for: server) }
            #expect(error?.code == .invalidConfiguration)
            try shown.check(source, for: other)
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
}
