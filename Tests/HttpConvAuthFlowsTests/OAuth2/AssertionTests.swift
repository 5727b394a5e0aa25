import Foundation
import HttpC
import HttpConversationTesting
import TestLandscape
import TestSupport
import Testing

/// Clients that authenticate by assertions (RFC 7523), verified by a server that shares no code with them.
@Suite("OAuth2: assertions", .timeLimit(.minutes(1))) struct AssertionTests {
    @Test(arguments: OAuth2ClientKey.Algorithm.allCases)
    func theServerVerifiesThem(algorithm: OAuth2ClientKey.Algorithm) async throws {
        let kind = ClientKeyTests.kinds.first { $0.algorithm == algorithm } ?? ClientKeyTests.kinds[0]
        let made = try await ClientKeyTests.make(kind.options)
        try await withLandscape { landscape async throws in
            var client = OAuthClient(id: "own", grants: [.password, .refreshToken])
            client.publicKeys = ["k": made.publicKey]
            landscape.addOAuthClient(client)
            let key = try OAuth2ClientKey(.pem(made.key), id: "k", algorithm: algorithm)
            let login = UsernamePassword(username: "alice", password: "wonderland")
            let bench = try MutualBench(
                landscape, client: "own", .privateKeyJWT(key), grant: .password(login), resources: .secure)
            #expect(try await bench.get("/api/data", .secure).text.contains("alice"))
            landscape.expireAccessTokens()
            // Each request has a new assertion: the landscape accepts each only once.
            #expect(try await bench.get("/api/data", .secure).text.contains("alice"))
            #expect(landscape.oauthCounters.refreshes == 1)
            #expect(landscape.oauthCounters.invalidClients == 0)
        }
    }

    /// An assertion for one issuer is refused by another (RFC 7523 §3, item 3), and so is a key with another name.
    @Test(arguments: [("other issuer", "signer-1"), ("", "signer-2"), ("", "signer-1")])
    func theAudienceIsTheIssuer(issuer: String, id: String) async throws {
        try await withLandscape { landscape async throws in
            let key = try OAuth2ClientKey(
                .pem(Array(landscape.certificates.assertionKeyPEM.utf8)), id: id)
            let named = issuer.isEmpty ? landscape.issuer(.secure) : landscape.issuer(.secureOther)
            let support = try ConfiguredOAuth2ServerSupport(
                name: "x", tokenOrigins: [landscape.urlString(.secure)],
                configuration: OAuth2Configuration(
                    clientID: "signer", authentication: .privateKeyJWT(key),
                    tokenEndpoint: landscape.urlString(.secure, "/oauth2/token"), issuer: named,
                    grant: .clientCredentials))
            let bench = MutualBench(landscape, support)
            let isGood = issuer.isEmpty && id == "signer-1"
            let failure = try await bench.failure("/api/data", .secure)
            #expect(failure?.serverError == (isGood ? nil : "invalid_client"))
            #expect(landscape.oauthCounters.invalidClients == (isGood ? 0 : 1))
        }
    }

    /// The assertion is removed from the server's quotes.
    @Test func anAssertionIsInNoError() async throws {
        let made = try await ClientKeyTests.make("-algorithm ED25519")
        let bench = try OAuth2Bench(
            grant: .clientCredentials, authentication: .privateKeyJWT(OAuth2ClientKey(.pem(made.key))))
        bench.server.override { form throws(ConversationError) in
            TokenServer.json(
                #"{"error":"invalid_client","error_description":"no: \#(form["client_assertion"] ?? "")"}"#,
                .unauthorized)
        }
        let failure = try await bench.failure()
        let sent = try #require(bench.server.now.forms.last?["client_assertion"])
        #expect(sent.split(separator: ".").count == 3)
        let text = try #require(failure).description
        #expect(text.contains("<redacted>"))
        #expect(!text.contains(sent))
    }

    /// Checks every log level, events and errors, for success and failure.
    @Test(arguments: [true, false]) func anAssertionIsInNoLog(succeeds: Bool) async throws {
        let made = try await ClientKeyTests.make("-algorithm ED25519")
        let bench = try OAuth2Bench(
            grant: .clientCredentials, authentication: .privateKeyJWT(OAuth2ClientKey(.pem(made.key))))
        bench.server.override { form in
            succeeds ? nil : TokenServer.json(#"{"error":"invalid_client"}"#, .unauthorized)
        }
        let observer = RecordingObserver()
        let log = CollectedLog()
        bench.manager.update { configuration in
            configuration.observers.add(observer)
            configuration.logger = log.logger
        }
        var texts = ""
        do { dump(try await bench.get(), to: &texts) } catch { dump(error, to: &texts) }
        for event in observer.events { dump(event, to: &texts) }
        dump(bench.manager, to: &texts)
        let sent = try #require(bench.server.now.forms.last?["client_assertion"])
        #expect(log.lines.count > 5)
        for part in sent.split(separator: ".") {
            #expect(!([texts] + log.lines).contains { $0.contains(part) })
        }
    }
}
