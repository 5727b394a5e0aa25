import Foundation
import HttpC
import LandscapeSupport
import Synchronization
import Testing

@testable import HttpConvAuthFlows

/// Grants for which the application hands in an assertion or a token: RFC 7523, RFC 7522, RFC 8693.
@Suite("OAuth2: assertions and tokens that are handed in", .landscape, .timeLimit(.minutes(1)))
struct HandedInGrantTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private static func key(_ landscape: Landscape) throws -> OAuth2ClientKey {
        try OAuth2ClientKey(.pem(Array(landscape.certificates.assertionKeyPEM.utf8)), id: "signer-1")
    }

    /// Assertions of the landscape's client `signer` for any client.
    private static func assertions(
        _ landscape: Landscape, audience: String? = nil, subject: String = "alice", age: TimeInterval = 0
    ) throws -> OAuth2AssertionSource {
        let key = try key(landscape)
        return OAuth2AssertionSource(audience: audience) { request in
            try await ClientAssertion(
                clientID: "signer", audience: audience ?? request.audience, subject: subject, now: Date() - age
            ).signed(by: key).value
        }
    }

    @Test func aSignedAssertionBringsAPersonsTokensAndRefreshes() async throws {
        let bench = try GrantBench(
            landscape, client: "service", GrantBench.secret, grant: .jwtBearer(Self.assertions(landscape)))
        #expect(try await bench.get().text.contains("alice"))
        landscape.expireAccessTokens()
        #expect(try await bench.get().text.contains("alice"))
        #expect(landscape.oauthCounters.refreshes == 1)
        // Without a usable refresh token the application is asked for another assertion.
        landscape.revokeTokens(ofUser: "alice")
        #expect(try await bench.get().text.contains("alice"))
        #expect(landscape.oauthCounters.grants[OAuthGrantType.jwtBearer.rawValue] == 2)
    }

    @Test func aServiceAccountSignsItsOwn() async throws {
        let key = try Self.key(landscape)
        let bench = try GrantBench(
            landscape, client: "signer", .privateKeyJWT(key),
            grant: .jwtBearer(.signed(by: key, subject: "alice")))
        #expect(try await bench.get().text.contains("alice"))
    }

    @Test func aSAMLAssertionBringsAPersonsTokens() async throws {
        let bench = try GrantBench(
            landscape, client: "service", GrantBench.secret,
            grant: .saml2Bearer(OAuth2AssertionSource { _ in try landscape.samlAssertion() }))
        #expect(try await bench.get().text.contains("alice"))
        landscape.expireAccessTokens()
        #expect(try await bench.get().text.contains("alice"))
        #expect(landscape.oauthCounters.grants[OAuthGrantType.samlBearer.rawValue] == 1)
        #expect(landscape.oauthCounters.refreshes == 1)
    }

    /// Assertions that are meant for another server, or are long expired, never leave the process.
    @Test(arguments: [true, false], ["audience", "expired", "garbage", ""])
    func anUnfitAssertionIsNotSent(isSAML: Bool, fault: String) async throws {
        let other = "https://other.example/oauth2"
        let key = try Self.key(landscape)
        let source = OAuth2AssertionSource(audience: isSAML ? landscape.issuer() : nil) { request in
            if fault == "garbage" { return isSAML ? "<html/>" : "no token" }
            if fault.isEmpty { return "" }
            let audience = fault == "audience" ? other : request.audience
            let lifetime = Duration.seconds(fault == "expired" ? -3600 : 60)
            guard isSAML else {
                return try await ClientAssertion(
                    clientID: "signer", audience: audience, subject: "alice",
                    now: Date() + (lifetime / .seconds(1))
                ).signed(by: key).value
            }
            return try landscape.samlAssertion(audience: audience, lifetime: lifetime)
        }
        let bench = try GrantBench(
            landscape, client: "service", GrantBench.secret,
            grant: isSAML ? .saml2Bearer(source) : .jwtBearer(source))
        #expect(try await bench.failure()?.code == .assertionUnusable)
        #expect(landscape.oauthCounters.tokenRequests == 0)
    }

    /// The server decides about everything that only it knows; its refusal is no reason to repeat.
    @Test func aRefusedAssertionIsAnError() async throws {
        let bench = try GrantBench(
            landscape, client: "service", GrantBench.secret,
            grant: .jwtBearer(Self.assertions(landscape, age: 120)))
        #expect(try await bench.failure()?.code == .invalidGrant)
        #expect(landscape.oauthCounters.tokenRequests == 1)
        let once = try landscape.samlAssertion()
        let twice = try GrantBench(
            landscape, client: "service", GrantBench.secret,
            grant: .saml2Bearer(OAuth2AssertionSource { _ in once }))
        #expect(try await twice.get().status == .ok)
        try await twice.tokens.removeAllTokens()
        #expect(try await twice.failure()?.code == .invalidGrant)
    }

    @Test func anErrorOfTheApplicationPasses() async throws {
        struct Unavailable: Error {}
        let bench = try GrantBench(
            landscape, client: "service", GrantBench.secret,
            grant: .jwtBearer(OAuth2AssertionSource { _ in throw Unavailable() }))
        await #expect { _ = try await bench.get() } throws: {
            ($0 as? ConversationError)?.underlyingError is Unavailable
        }
    }

    @Test(arguments: [false, true]) func aTokenIsExchanged(delegates: Bool) async throws {
        let incoming = try #require(landscape.issueTokens(client: "native", scopes: ["read", "write"]))
        let service = try #require(landscape.issueTokens(client: "service", user: nil))
        let exchange = TokenExchangeGrant(
            subject: .init(.accessToken) { _ in incoming.accessToken },
            actor: delegates ? .init(.accessToken) { _ in service.accessToken } : nil, audiences: ["orders"],
            requestedType: .accessToken)
        let bench = try GrantBench(
            landscape, client: "service", GrantBench.secret, resources: ["urn:orders", "https://orders.example/"],
            grant: .tokenExchange(exchange))
        let text = try await bench.get().text
        #expect(text.contains(#""user":"alice""#) && text.contains(#""client":"service""#))
        #expect(text.contains(#""actor":"service""#) == delegates)
        #expect(text.contains(#""resources":["urn:orders","https://orders.example/"]"#))
        #expect(try await bench.stored()?.scopes == ["read"])
        landscape.expireAccessTokens()
        #expect(try await bench.get().status == .ok)
        #expect(landscape.oauthCounters.refreshes == 1)
    }

    @Test(arguments: [("unknown", "orders", "invalid_request"), ("", "elsewhere", "invalid_target")])
    func aRefusedExchangeIsAnError(token: String, audience: String, error: String) async throws {
        let incoming = try #require(landscape.issueTokens(client: "native"))
        let exchange = TokenExchangeGrant(
            subject: .init(.accessToken) { _ in token.isEmpty ? incoming.accessToken : token },
            audiences: [audience])
        let bench = try GrantBench(
            landscape, client: "service", GrantBench.secret, grant: .tokenExchange(exchange))
        let failure = try #require(try await bench.failure())
        #expect(failure.serverError == error)
        #expect(!"\(failure)".contains(incoming.accessToken))
    }

    @Test(arguments: ["no-uri", "https://a.example/#x", "https://a.example/ x", ":x"])
    func aResourceIsAnAbsoluteURI(resource: String) {
        #expect {
            try OAuth2Configuration(
                clientID: "c", tokenEndpoint: "https://a.example/t", resources: [resource], grant: .clientCredentials)
        } throws: { ($0 as? OAuth2Error)?.code == .invalidConfiguration }
    }
}
