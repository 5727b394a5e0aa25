import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite struct ChallengeStrengthTests {
    @Test func methodsAreTheSameByName() {
        let one = AuthenticationMethod("x-hmac", strength: 30)
        #expect(one == AuthenticationMethod("X-HMAC"))
        #expect(Set([one]).contains(AuthenticationMethod("X-Hmac", strength: 1)))
        #expect(one != AuthenticationMethod("x-hmac2", strength: 30))
        #expect(one.strength == 30)
        // U+212A is the Kelvin sign, and differs from K.
        #expect(AuthenticationMethod("x-\u{212A}ey") != AuthenticationMethod("x-key"))
    }

    /// No configuration puts Basic before Digest.
    @Test(arguments: [("basic", 10), ("Digest", 20), ("BEARER", 50), ("dpop", 60), ("x-hmac", 99)])
    func builtInMethodsKeepTheirStrength(_ name: String, _ strength: Int) {
        #expect(AuthenticationMethod(name, strength: 99).strength == strength)
    }

    private static let withDigest = "Basic realm=a, x-hmac realm=b, Digest realm=c, nonce=n, algorithm=MD5"
    private static let withBasic = "Basic realm=a, x-hmac realm=b"
    private static let orders: [(Int, String, [String])] = [
        // No filter is asked for Basic if Digest was offered.
        (0, withDigest, ["Digest", "x-hmac"]), (26, withDigest, ["Digest", "x-hmac"]),
        (28, withDigest, ["x-hmac", "Digest"]), (30, withDigest, ["x-hmac", "Digest"]),
        (0, withBasic, ["Basic", "x-hmac"]), (9, withBasic, ["Basic", "x-hmac"]), (11, withBasic, ["x-hmac", "Basic"]),
    ]

    @Test(arguments: orders.indices) func theStrongestIsAskedFirst(_ index: Int) async throws {
        let (strength, offered, order) = Self.orders[index]
        let seen = Box<[String]>([])
        let transport = ScriptedTransport { _, _ in .init(.unauthorized, [.wwwAuthenticate: offered]) }
        let filter = TestFilter(
            handles: [.basic, .digest, AuthenticationMethod("x-hmac", strength: strength)],
            onChallenge: { challenge, _ in
                seen.update { $0.append(challenge.offered.scheme) }
                return .notHandled
            })
        let manager = testManager(transport) { $0.add(filter) }
        _ = try await manager.get("http://h/")
        #expect(seen.value == order)
    }
}
