import Foundation
import HttpConvVault
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvVaultStorage

/// Client certificates in a vault.
@Suite(.timeLimit(.minutes(1))) struct VaultIdentityTests {
    private let place: TemporaryVault
    private static let key = Array("key-canary-5d1f".utf8)

    init() throws { place = try TemporaryVault() }

    private static func identity(
        _ name: String, from start: TimeInterval = -60, to end: TimeInterval = 60
    ) -> ClientIdentity {
        ClientIdentity(
            certificates: [[1, 2], [3]], privateKey: .der(key),
            summary: CertificateSummary(
                subject: "CN=\(name)", issuer: "CN=CA", names: ["n"],
                notBefore: Date(timeIntervalSince1970: 1_800_000_000 + start),
                notAfter: Date(timeIntervalSince1970: 1_800_000_000 + end), fingerprint: [7, 8],
                publicKeyFingerprint: [9]))
    }

    private func answer(
        _ identities: VaultIdentities, _ name: String, for origins: [Origin] = []
    ) async throws -> ProvidedIdentity {
        let provider = VaultIdentityProvider(identities, named: name, for: origins, clock: TestClock())
        return try await provider.identity(for: .testing(clientCertificateAt: "https://example.com/"))
    }

    @Test func storesListsAndRemoves() async throws {
        let vault = try await place.vault()
        let identities = VaultIdentities(vault)
        try await identities.store(Self.identity("a"), named: "work")
        try await identities.store(Self.identity("b"), named: "home")
        try await vault.close()
        let again = VaultIdentities(try await place.vault())
        #expect(try await again.names() == ["home", "work"])
        let found = try #require(try await again.identity(named: "work"))
        #expect(found == Self.identity("a"))
        #expect(found.summary == Self.identity("a").summary)
        try await again.store(Self.identity("c"), named: "work")
        #expect(try await again.identity(named: "work")?.summary.subject == "CN=c")
        #expect(try await again.remove("work"))
        #expect(try await !again.remove("work"))
        #expect(try await again.identity(named: "work") == nil)
        #expect(try await again.names() == ["home"])
    }

    @Test func providerAnswers() async throws {
        let identities = VaultIdentities(try await place.vault())
        try await identities.store(Self.identity("a"), named: "work")
        guard case .identity(let identity) = try await answer(identities, "work") else {
            Issue.record("no identity")
            return
        }
        #expect(identity == Self.identity("a"))
        let named = VaultIdentityProvider(
            identities, named: "work", for: [try Origin(scheme: .https, host: "sp.example")])
        for (url, isServed) in [("https://sp.example/x", true), ("https://other.example/", false)] {
            let challenge = try AuthenticationChallenge.testing(clientCertificateAt: url)
            #expect(named.serves(challenge.destination) == isServed)
        }
    }

    /// Each failure has its own message; all have the code for an unusable certificate.
    @Test(arguments: [
        ("missing", "none of that name"), ("past", "was valid until"), ("future", "not valid before"),
        ("damaged", "can read"),
    ]) func whatCannotBeUsed(name: String, words: String) async throws {
        let vault = try await place.vault()
        let identities = VaultIdentities(vault)
        try await identities.store(Self.identity("a", to: -30), named: "past")
        try await identities.store(Self.identity("a", from: 30), named: "future")
        try await vault.write(Array("{\"key\":1}".utf8), for: "damaged", in: identities.collection)
        do {
            _ = try await answer(identities, name)
            Issue.record("an answer")
        } catch let error as ConversationError {
            #expect(error.code == .clientCertificateUnusable)
            #expect(error.message.contains(words), "\(error.message)")
            #expect(error.message.contains("\"\(name)\""))
        }
    }

    @Test func theKeyIsInNoFileAndNoText() async throws {
        let vault = try await place.vault()
        let identities = VaultIdentities(vault)
        try await identities.store(Self.identity("a"), named: "work")
        try await vault.close()
        let canary = String(decoding: Self.key, as: UTF8.self)
        #expect(try !place.contains(canary))
        #expect(try !place.contains("CN=a"))
        var dumped = ""
        for value in [identities, VaultIdentityProvider(identities, named: "work")] as [Any] {
            dump(value, to: &dumped)
        }
        dump(Self.identity("a"), to: &dumped)
        #expect(!dumped.contains(canary))
        #expect(!dumped.contains(Self.key.map(String.init).joined(separator: ", ")))
    }
}
