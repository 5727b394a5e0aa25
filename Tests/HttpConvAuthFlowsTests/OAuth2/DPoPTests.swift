import Foundation
import HTTPTypes
import HttpC
import HttpConvAuthFlowsTesting
import HttpConvFormats
import HttpConversationNIO
import Synchronization
import TestLandscape
import Testing

@testable import HttpConvAuthFlows

/// Tokens that are bound to a key (RFC 9449), at a server that shares no code with the client.
@Suite("OAuth2: tokens bound to a key", .timeLimit(.minutes(1))) struct DPoPTests {
    private static let person = DiscoveredGrant.password(UsernamePassword(username: "alice", password: "wonderland"))

    /// A public client and a confidential one.
    private static func bench(
        _ landscape: Landscape, isPublic: Bool = true, grant: DiscoveredGrant = person, usesDPoP: Bool = true,
        storage: any OAuth2TokenStorage = InMemoryTokenStorage()
    ) throws -> GrantBench {
        var client = OAuthClient(
            id: "bound", secret: isPublic ? nil : "bound-secret", redirectURIs: [GrantBench.redirectURI],
            grants: [.password, .refreshToken, .authorizationCode])
        client.usesDPoP = true
        landscape.addOAuthClient(client)
        return try GrantBench(
            landscape, client: "bound", isPublic ? .none : .basic(secret: "bound-secret"), scopes: ["openid", "read"],
            grant: grant, usesDPoP: usesDPoP, storage: storage)
    }

    @Test(arguments: [true, false]) func eachRequestHasAProof(isPublic: Bool) async throws {
        try await withLandscape { landscape async throws in
            let bench = try Self.bench(landscape, isPublic: isPublic)
            #expect(try await bench.get("/api/data?x=1").text.contains(#""isBound":true"#))
            let key = try #require(try await bench.stored()?.dpopKey)
            // A redirect, and requests at the same time: each has a proof of its own.
            #expect(try await bench.get("/api/moved").status == .ok)
            let all = await bench.manager.getAll((0..<50).map { landscape.urlString(.main, "/api/\($0)") })
            #expect(try all.allSatisfy { try $0.get().status == .ok })
            landscape.expireAccessTokens()
            #expect(try await bench.get().status == .ok)
            #expect(try await bench.stored()?.dpopKey == key)
            #expect(landscape.oauthCounters.refreshes == 1)
            #expect(landscape.oauthCounters.refusedProofs == 0)
            #expect(landscape.oauthCounters.boundTokensAsBearer == 0)
        }
    }

    @Test func theCodeIsForTheKey() async throws {
        try await withLandscape { landscape async throws in
            let bench = try Self.bench(landscape, grant: GrantBench.code)
            #expect(try await bench.get().text.contains(#""isBound":true"#))
            let key = try #require(try await bench.stored()?.dpopKey)
            let opened = try #require(bench.web.opened.first)
            #expect(ScriptedOAuth2WebStrategy.parameter("dpop_jkt", of: opened) == key.thumbprint)
        }
    }

    /// Nonces of both servers, demanded with an error or given with a success.
    @Test(arguments: [false, true]) func noncesAreAnswered(rotates: Bool) async throws {
        try await withLandscape { landscape async throws in
            landscape.oauthRule.demandsNonces = true
            landscape.oauthRule.rotatesNonces = rotates
            let bench = try Self.bench(landscape)
            for _ in 0..<5 { #expect(try await bench.get().status == .ok) }
            #expect(try await bench.get("/api/moved").status == .ok)
            // One for each server: all others came with answers.
            #expect(landscape.oauthCounters.noncesDemanded == 2)
            landscape.rotateProofNonces()
            #expect(try await bench.get().status == .ok)
            #expect(landscape.oauthCounters.noncesDemanded == 3)
            landscape.expireAccessTokens()
            #expect(try await bench.get().status == .ok)
            #expect(landscape.oauthCounters.tokenRequests <= 4)
            #expect(landscape.oauthCounters.grants["password"] == 1)
        }
    }

    @Test func aFloodOfNoncesEndsAfterOneAnswer() async throws {
        try await withLandscape { landscape async throws in
            let bench = try Self.bench(landscape)
            #expect(try await bench.get().status == .ok)
            landscape.oauthRule.floodsWithNonces = true
            let before = landscape.oauthCounters
            #expect(try await bench.failure()?.code == .proofRefused)
            #expect(landscape.oauthCounters.noncesDemanded == before.noncesDemanded + 2)
            // Neither a refresh nor a login follows.
            #expect(landscape.oauthCounters.tokenRequests == before.tokenRequests)
            landscape.expireAccessTokens()
            landscape.oauthRule.floodsWithNonces = false
            #expect(try await bench.get().status == .ok)
            try await bench.tokens.removeAllTokens()
            landscape.oauthRule.floodsWithNonces = true
            let requests = landscape.oauthCounters.tokenRequests
            #expect(try await bench.failure()?.code == .proofRefused)
            #expect(landscape.oauthCounters.tokenRequests == requests + 2)
        }
    }

    /// The landscape refuses every proof but the right one: otherwise the other tests would prove nothing.
    @Test(arguments: [
        ("", 200), ("another URL", 401), ("another method", 401), ("another token", 401), ("another key", 401),
        ("a replay", 401), ("an old one", 401), ("no proof", 401), ("a bearer token", 401),
    ])
    func theServerRefusesOtherProofs(fault: String, status: Int) async throws {
        try await withLandscape { landscape async throws in
            let bench = try Self.bench(landscape)
            #expect(try await bench.get().status == .ok)
            let tokens = try #require(try await bench.stored())
            let key = fault == "another key" ? DPoPKey() : try #require(tokens.dpopKey)
            let url = landscape.urlString(.main, "/api/proof")
            let proof = try DPoPProof(
                method: fault == "another method" ? .post : .get,
                target: TargetURL(fault == "another URL" ? landscape.urlString(.main, "/api/other") : url),
                accessToken: fault == "another token" ? Redacted("other") : tokens.accessToken,
                now: Date() - (fault == "an old one" ? 3600 : 0)
            ).signed(by: key).value
            let scheme = fault == "a bearer token" ? "Bearer" : "DPoP"
            let plain = HttpConversationManager(transport: NIOTransport())
            var request = try HTTPRequest(.get, url)
            request.headerFields[.authorization] = "\(scheme) \(tokens.accessToken.value)"
            if fault != "no proof" { request.headerFields[.dpop] = proof }
            if fault == "a replay" { #expect(try await plain.data(for: request).status == .ok) }
            #expect(try await plain.data(for: request).status.code == status)
        }
    }

    /// A server that answers with an unbound token gets nowhere, and no token is sent to the API.
    @Test func anUnboundTokenIsRefused() async throws {
        try await withLandscape { landscape async throws in
            let bench = try Self.bench(landscape)
            landscape.failTokenRequests(.bearerTokenType)
            #expect(try await bench.failure()?.code == .unsupportedTokenType)
            #expect(landscape.oauthCounters.bearerAccepted == 0)
            #expect(landscape.oauthCounters.boundTokensAsBearer == 0)
        }
    }

    /// A stored token stays bound, even if the configuration changes.
    @Test func aBoundTokenIsNeverABearerToken() async throws {
        try await withLandscape { landscape async throws in
            let storage = InMemoryTokenStorage()
            #expect(try await Self.bench(landscape, storage: storage).get().status == .ok)
            let other = try Self.bench(landscape, usesDPoP: false, storage: storage)
            #expect(try await other.get().status == .ok)
            landscape.expireAccessTokens()
            #expect(try await other.get().status == .ok)
            #expect(landscape.oauthCounters.refreshes == 1)
            #expect(landscape.oauthCounters.boundTokensAsBearer == 0)
        }
    }

    /// Stored tokens from before DPoP was required are replaced by a refresh, and else by the grant.
    @Test(arguments: [true, false])
    func anUnboundTokenIsNotSentWhereABoundOneIsRequired(refreshes: Bool) async throws {
        try await withLandscape { landscape async throws in
            let storage = InMemoryTokenStorage()
            let bench = try Self.bench(landscape, isPublic: false, storage: storage)
            #expect(try await bench.get().status == .ok)
            let bound = try #require(try await bench.stored())
            let key = OAuth2TokenKey(
                storageURL: try TargetURL(landscape.urlString()).root, supportName: "\(landscape.issuer()) bound")
            let unbound = OAuth2Tokens(
                accessToken: "unbound", refreshToken: refreshes ? bound.refreshToken?.value : nil,
                expiresAt: Date() + 3600, receivedAt: Date())
            try await storage.save(unbound, for: key)
            let another = try Self.bench(landscape, isPublic: false, storage: storage)
            #expect(try await another.get().text.contains(#""isBound":true"#))
            #expect(try await another.stored()?.dpopKey != nil)
            try await storage.save(unbound, for: key)
            let valid = try await another.tokens.validTokens(
                for: landscape.urlString(), using: another.manager, loggingIn: true)
            #expect(valid?.dpopKey != nil)
            #expect(landscape.oauthCounters.bearerRefused == 0)
        }
    }

    /// The unbound token waits in memory, where it would be sent without a look at the storage.
    @Test func anUnboundTokenInMemoryIsNotSent() async throws {
        let person = UsernamePassword(username: "alice", password: "pw")
        let configuration = try OAuth2Configuration(
            clientID: "native", tokenEndpoint: "https://auth.example.com/token", grant: .password(person),
            usesDPoP: true)
        let bench = try OAuth2Bench(
            support: ConfiguredOAuth2ServerSupport(
                name: OAuth2Bench.name, tokenOrigins: ["https://api.example.com"], configuration: configuration))
        try await bench.store("unbound")
        bench.server.override { _ in
            TokenServer.json(#"{"access_token":"bound","token_type":"DPoP","expires_in":3600}"#)
        }
        bench.server.update { $0.validAccess = ["unbound", "bound"] }
        _ = try? await bench.get()
        #expect(bench.server.count("password") > 0)
        let sent = bench.server.now.calls.map(\.authorization)
        #expect(!sent.isEmpty && sent.allSatisfy { $0 == "DPoP bound" }, "\(sent)")
    }

    /// The proof of another server's key ends nothing here: the token of another key is refused and replaced.
    @Test func aServerThatOnlyTakesBoundTokensGetsNoOthers() async throws {
        let bench = try OAuth2Bench()
        bench.server.update { $0.challenge = .init(.unauthorized, [.wwwAuthenticate: "DPoP algs=\"ES256\""]) }
        #expect(try await bench.failure()?.code == .invalidConfiguration)
        #expect(bench.server.now.forms.isEmpty)
    }

    @Test(arguments: ["use_dpop_nonce", "invalid_dpop_proof"])
    func aRefusedProofIsRenewedOnceAndEndsNoTokens(error: String) async throws {
        let bench = try OAuth2Bench()
        let now = bench.time.date
        let key = DPoPKey()
        let tokens = OAuth2Tokens(
            accessToken: "bound", refreshToken: "r", expiresAt: now + 3600, receivedAt: now - 60, dpopKey: key)
        try await bench.storage.save(tokens, for: bench.key)
        let nonce = try #require(HTTPField.Name("DPoP-Nonce"))
        bench.server.update {
            $0.challenge = .init(.unauthorized, [.wwwAuthenticate: "DPoP error=\"\(error)\"", nonce: "n-1"])
        }
        #expect(try await bench.failure()?.code == .proofRefused)
        let calls = bench.transport.requests
        #expect(calls.count == 2)
        #expect(try await bench.stored() == tokens)
        let name = try #require(HTTPField.Name("DPoP"))
        let proofs = try calls.map { try #require($0.headerFields[name]) }
        let claims = try proofs.map { try #require(JSONWebTokenText($0)).claims }
        #expect(calls.allSatisfy { $0.headerFields[.authorization] == "DPoP bound" })
        #expect(claims.map { $0["nonce"]?.text } == [nil, "n-1"])
        #expect(claims[0]["jti"] != claims[1]["jti"])
        #expect(claims[0]["htu"]?.text == TokenServer.api && claims[0]["htm"]?.text == "GET")
    }

    /// RFC 9449 §4.1 (key), §6.1 (thumbprint) and §7.1 (hash of the access token).
    @Test func vectors() throws {
        let key = DPoPKey.PublicKey(
            x: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", y: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA")
        #expect(key.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        let proof = DPoPProof(
            method: .get, target: try TargetURL("https://resource.example.org/protectedresource?q#f"),
            accessToken: Redacted("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"),
            now: Date(timeIntervalSince1970: 1_562_262_618))
        let claims = try #require(JSONWebTokenText(try proof.signed(by: DPoPKey()).value)).claims
        #expect(claims["ath"]?.text == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        #expect(claims["htu"]?.text == "https://resource.example.org/protectedresource")
        #expect(claims["iat"]?.number == 1_562_262_618)
    }

    @Test func noncesAreBounded() throws {
        let nonces = DPoPNonces()
        let name = try #require(HTTPField.Name("DPoP-Nonce"))
        let origin = try TargetURL("https://a.example/").origin
        for bad in ["", "a b", "a\"b", "a\\b", String(repeating: "n", count: DPoPNonces.maximumLength + 1)] {
            #expect(!nonces.note([name: bad], from: origin, .resource))
        }
        var twice: HTTPFields = [name: "one"]
        twice.append(HTTPField(name: name, value: "two"))
        #expect(!nonces.note(twice, from: origin, .resource))
        #expect(nonces.nonce(of: origin, .resource) == nil)
        #expect(nonces.note([name: "one"], from: origin, .resource))
        #expect(nonces.nonce(of: origin, .authorization) == nil)
        for index in 0..<1000 {
            nonces.note([name: "n\(index)"], from: try TargetURL("https://a\(index).example/").origin, .resource)
        }
        let kept = try (0..<1000).filter {
            nonces.nonce(of: try TargetURL("https://a\($0).example/").origin, .resource) != nil
        }
        #expect((1...DPoPNonces.maximumServers).contains(kept.count))
    }

    /// A version without DPoP does not find the token, so it cannot send it as a bearer token.
    @Test func theStoredFormKeepsTheKey() throws {
        let tokens = OAuth2Tokens(
            accessToken: "a", refreshToken: "r", dpopKey: DPoPKey(), demand: .init(acrValues: "gold", maximumAge: 5))
        let data = try JSONEncoder().encode(tokens)
        #expect(try JSONDecoder().decode(OAuth2Tokens.self, from: data) == tokens)
        let members = try #require(JSONValue.object(Array(data)))
        #expect(members["accessToken"] == nil)
        #expect(members["boundAccessToken"]?.text == "a")
        let damaged = Data(
            String(decoding: data, as: UTF8.self).replacing("\"dpopKey\":\"", with: "\"dpopKey\":\"AA").utf8)
        #expect(throws: (any Error).self) { try JSONDecoder().decode(OAuth2Tokens.self, from: damaged) }
    }
}
