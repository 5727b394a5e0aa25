import Foundation
import HttpC
import LandscapeSupport
import Testing

/// Clients that authenticate by certificate, and tokens that are bound to it (RFC 8705), over sockets.
@Suite("OAuth2: client certificates", .landscape, .timeLimit(.minutes(1))) struct MutualTLSTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    /// The certificate is the client's own, or the conversation's.
    @Test(arguments: [true, false]) func aBoundTokenOpensItsResource(isOwn: Bool) async throws {
        let card = try CountedIdentity(landscape.certificates.client("robot"))
        let bench = try MutualBench(
            landscape, client: "robot", .tlsClientAuth(isOwn ? card : nil), certificate: isOwn ? nil : card)
        let response = try await bench.get()
        #expect(response.status == .ok)
        #expect(response.text.contains("robot"))
        let token = landscape.requests(path: "/oauth2/of/secure/token")
        #expect(token.map(\.origin) == [.mutual])
        #expect(token.flatMap { $0.values(of: "cookie") }.isEmpty)
        #expect(try await bench.stored()?.certificateThumbprint == Self.thumbprint(card.identity))
        #expect(try await bench.get("/api/again").attempts.count == 1)
        if isOwn { #expect(card.asked.withLock { $0 } == 1) }
        // At another server, or with another certificate, the token is refused.
        let sent = try #require(landscape.requests(path: "/api/again").last?.values(of: "authorization").first)
        let other = try CountedIdentity(landscape.certificates.client("alice"))
        let thief = MutualBench.manager(landscape, showing: other)
        for origin in [LandscapeOrigin.mutual, .secure] {
            let request = try HTTPRequest(
                .get, landscape.urlString(origin, "/api/stolen"), fields: [.authorization: sent])
            #expect(try await thief.data(for: request).status == .unauthorized)
        }
    }

    /// The old token would be refused with the new certificate, so it is not even tried.
    @Test(arguments: [true, false]) func aChangedCertificateRenewsTheToken(canRefresh: Bool) async throws {
        let storage = InMemoryTokenStorage()
        let grant: DiscoveredGrant =
            canRefresh ? .password(UsernamePassword(username: "alice", password: "wonderland")) : .clientCredentials
        func bench() throws -> (MutualBench, CountedIdentity) {
            let card = try CountedIdentity(landscape.certificates.client("robot"))
            return (
                try MutualBench(landscape, client: "robot", .tlsClientAuth(card), grant: grant, storage: storage),
                card
            )
        }
        let (first, _) = try bench()
        #expect(try await first.get("/api/first").status == .ok)
        let old = try #require(landscape.requests(path: "/api/first").last?.values(of: "authorization").first)
        let (second, card) = try bench()
        #expect(try await second.get("/api/second").status == .ok)
        let requests = landscape.requests(path: "/api/second")
        #expect(requests.last?.status == 200)
        #expect(!requests.contains { $0.values(of: "authorization").contains(old) })
        #expect(landscape.oauthCounters.refreshes == (canRefresh ? 1 : 0))
        #expect(landscape.oauthCounters.grants["password"] == (canRefresh ? 1 : nil))
        #expect(landscape.oauthCounters.grants["client_credentials"] == (canRefresh ? nil : 2))
        #expect(try await second.stored()?.certificateThumbprint == Self.thumbprint(card.identity))
    }

    /// The conversation's certificate is known once the server has asked: the old token is sent once, then a new one.
    @Test func theConversationsCertificateMayChange() async throws {
        let storage = InMemoryTokenStorage()
        for round in 1...2 {
            let bench = try MutualBench(
                landscape, client: "robot", .tlsClientAuth(), storage: storage,
                certificate: CountedIdentity(landscape.certificates.client("robot")))
            #expect(try await bench.get("/api/\(round)").status == .ok)
            #expect(landscape.count(path: "/api/\(round)") == 2)
            #expect(landscape.oauthCounters.grants["client_credentials"] == round)
        }
    }

    /// With different certificates for token endpoint and resource, no token ever fits: the first attempt says so.
    @Test func twoCertificatesDoNotGoTogether() async throws {
        let (one, other) = try (
            CountedIdentity(landscape.certificates.client("robot")),
            CountedIdentity(landscape.certificates.client("robot"))
        )
        let bench = try MutualBench(
            landscape, client: "robot", .tlsClientAuth(), certificate: ByPath(token: one, else: other),
            resources: .mutualOptional)
        let failure = try await bench.failure("/api/data", .mutualOptional)
        #expect(failure?.code == .clientCertificateUnusable)
        #expect(failure?.message.contains("use the same for both") == true)
        #expect(landscape.oauthCounters.grants["client_credentials"] == 1)
        #expect(landscape.count(path: "/api/data") == 1)
    }

    private struct ByPath: ClientCertProvider {
        let token: CountedIdentity
        let `else`: CountedIdentity

        var isInteractive: Bool { false }
        func serves(_ destination: CredentialDestination) -> Bool { true }

        func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
            let isEndpoint = challenge.target.path.hasPrefix("/oauth2/")
            return try await (isEndpoint ? token : `else`).identity(for: challenge)
        }
    }

    /// Parallel requests ask for the certificate and the token once.
    @Test func manyAtOnceAskOnce() async throws {
        let card = try CountedIdentity(landscape.certificates.client("robot"))
        let bench = try MutualBench(landscape, client: "robot", .tlsClientAuth(card))
        for result in await bench.manager.getAll((0..<30).map { landscape.urlString(.mutual, "/api/\($0)") }) {
            #expect(try result.get().status == .ok)
        }
        #expect(landscape.oauthCounters.grants["client_credentials"] == 1)
        #expect(card.asked.withLock { $0 } <= 2)
    }

    /// private_key_jwt, with tokens bound to a certificate that does not authenticate the client (RFC 8705 §3).
    @Test func anotherMethodWithBoundTokens() async throws {
        var signer = try #require(landscape.oauthClients.first { $0.id == "signer" })
        signer.bindsTokens = true
        landscape.addOAuthClient(signer)
        let key = try OAuth2ClientKey(
            .pem(Array(landscape.certificates.assertionKeyPEM.utf8)), id: "signer-1")
        let card = try CountedIdentity(landscape.certificates.client("somebody"))
        let bench = try MutualBench(
            landscape, client: "signer", .privateKeyJWT(key).bindingTokens(to: card))
        #expect(try await bench.get().status == .ok)
        #expect(try await bench.stored()?.certificateThumbprint == Self.thumbprint(card.identity))
    }

    // MARK: What goes wrong

    @Test func withoutAnyCertificateNothingIsSent() async throws {
        let bench = try MutualBench(landscape, client: "robot", .tlsClientAuth(), resources: .secure)
        let failure = try await bench.failure("/api/data", .secure)
        #expect(failure?.code == .clientCertificateUnusable)
        #expect(landscape.requests(path: "/oauth2/of/secure/token").isEmpty)
        #expect(landscape.requests(path: "/oauth2/token").isEmpty)
    }

    /// The endpoint without TLS authentication does not ask for the certificate.
    @Test func aServerThatDoesNotAskIsNamed() async throws {
        let card = try CountedIdentity(landscape.certificates.client("robot"))
        let support = try ConfiguredOAuth2ServerSupport(
            name: "x", tokenOrigins: [landscape.urlString(.mutual)],
            configuration: OAuth2Configuration(
                clientID: "robot", authentication: .tlsClientAuth(card),
                tokenEndpoint: landscape.urlString(.secure, "/oauth2/token"), grant: .clientCredentials))
        let failure = try await MutualBench(landscape, support).failure()
        #expect(failure?.code == .clientCertificateUnusable)
        #expect(failure?.serverError == "invalid_client")
        #expect(failure?.message.contains("has shown none") == true)
    }

    /// Refused in the handshake, on a page, or by the authorization server: each ends the login without a loop.
    @Test(arguments: [LandscapeClientCertificate.Validity.past, .future, .revoked])
    func aCertificateThatIsNotGoodEndsTheLogin(validity: LandscapeClientCertificate.Validity) async throws {
        let made = try landscape.certificates.client("robot", validity: validity)
        let identity = try ClientIdentity.pem(
            certificates: Array(made.certificatePEM.utf8), key: Array(made.keyPEM.utf8),
            now: made.middleOfValidity)
        // The resource does not need the certificate.
        let bench = try MutualBench(
            landscape, client: "robot",
            .tlsClientAuth(StaticIdentityProvider(identity, for: [try .any(landscape)])),
            resources: .secure)
        let failure = try await bench.failure("/api/data", .secure)
        #expect(failure?.code == .clientCertificateUnusable)
        let cause = (failure?.underlyingError as? ConversationError)?.code
        #expect(cause == .clientCertificateRefused)
        #expect(landscape.oauthCounters.grants.isEmpty)
    }

    @Test func plainHTTPHasNoCertificates() async throws {
        let card = StaticIdentityProvider(
            ClientIdentity(
                certificates: [], privateKey: .der([]),
                summary: .init(
                    subject: "", issuer: "", names: [], notBefore: .now, notAfter: .now, fingerprint: [],
                    publicKeyFingerprint: [])))
        #expect {
            try OAuth2Configuration(
                clientID: "c", authentication: .tlsClientAuth(card), tokenEndpoint: "http://127.0.0.1/token",
                grant: .clientCredentials)
        } throws: { ($0 as? OAuth2Error)?.code == .insecureEndpoint }
    }

    private static func thumbprint(_ identity: ClientIdentity) -> String {
        Data(identity.summary.fingerprint).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}

extension LandscapeClientCertificate {
    /// A date at which the certificate is valid.
    fileprivate var middleOfValidity: Date {
        for days in [0.0, -1.5, 1.5] {
            let now = Date(timeIntervalSinceNow: days * 86_400)
            let isGood =
                (try? ClientIdentity.pem(
                    certificates: Array(certificatePEM.utf8), key: Array(keyPEM.utf8), now: now)) != nil
            if isGood { return now }
        }
        return Date()
    }
}

extension Origin {
    fileprivate static func any(_ landscape: Landscape) throws -> Origin {
        try TargetURL(landscape.urlString(.mutual)).origin
    }
}
