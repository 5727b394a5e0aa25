import Foundation
import Testing

@testable import HttpConversation

/// Keys of servers that were accepted.
@Suite struct ServerTrustPolicyTests {
    private let policy = ServerTrustPolicy { _, _ in }

    private func key(_ number: Int) -> [UInt8] { Array("key \(number)".utf8) }

    /// A server whose certificate is bad, and whose key is accepted all the same.
    private func accept(_ number: Int, of origin: Origin) async throws {
        let summary = CertificateSummary(
            subject: "CN=server", issuer: "CN=nobody", names: [], notBefore: .distantPast, notAfter: .distantFuture,
            fingerprint: [], publicKeyFingerprint: key(number))
        try await policy.check(
            ServerTrust(certificates: [], summary: summary, problems: [.unknownIssuer]), of: origin)
    }

    private func server(_ number: Int) throws -> Origin {
        try Origin(scheme: .https, host: "s\(number).example", port: 443)
    }

    @Test func acceptedKeysApplyToTheirServer() async throws {
        let (one, other) = (try server(1), try server(2))
        try await accept(1, of: one)
        #expect(policy.terms(for: one).acceptedKeys == [key(1)])
        #expect(policy.terms(for: other).acceptedKeys.isEmpty)
    }

    @Test func theOldestKeyIsRemoved() async throws {
        let limit = ServerTrustPolicy.maximumAcceptedKeys
        for number in 0..<limit { try await accept(number, of: try server(number)) }
        // Accepted once more it is new again.
        try await accept(0, of: try server(0))
        try await accept(limit, of: try server(limit))
        #expect(policy.terms(for: try server(1)).acceptedKeys.isEmpty)
        for number in [0, 2, limit] {
            #expect(policy.terms(for: try server(number)).acceptedKeys == [key(number)])
        }
    }

    /// A server that changes its key with each connection.
    @Test func keysOfOneServerAreBounded() async throws {
        let origin = try server(0)
        for number in 0...ServerTrustPolicy.maximumAcceptedKeys + 10 { try await accept(number, of: origin) }
        #expect(policy.terms(for: origin).acceptedKeys.count == ServerTrustPolicy.maximumAcceptedKeys)
    }
}
