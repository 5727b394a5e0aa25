import Foundation
import HttpC
import HttpConversationNIO
import TestSupport
import Testing

extension RealServerTests {
    /// Pushed requests, bound tokens and token exchange at idpyoidc, and assertions at Authlib. The resources check
    /// proofs with joserfc, as RFC 9449 §4.3 says. See `Fixtures/grants_server.py`.
    @Suite(.serialized) struct ServiceGrants {
        private static let secret = OAuth2ClientAuthentication.basic(secret: "service-secret")
        private static let code = DiscoveredGrant.authorizationCode(redirectURI: "com.example.app:/callback")

        /// A client of one of the servers: `bound` and `plain` are idpyoidc's, `authlib` is Authlib's.
        private static func bench(
            _ name: String, _ client: String = "native", _ authentication: OAuth2ClientAuthentication = .none,
            scopes: [String] = ["read", "offline_access"], grant: DiscoveredGrant = code
        ) async throws -> OAuthBench {
            let server = try await RealServers.shared.server(.grants)
            let support = try DiscoveredOAuth2ServerSupport(
                issuer: server.url("/\(name)"), clientID: client, tokenOrigins: OAuthBench.origins(server),
                authentication: authentication, scopes: scopes, grant: grant, usesDPoP: name == "bound")
            return OAuthBench(server, support, web: Person(TestUsers.alice), resources: "/api/\(name)/")
        }

        /// The claims of a request's access token, by the server's answer.
        private static func claims(_ response: ConversationResponse) throws -> [String: Any] {
            #expect(response.status == .ok, "\(response.text)")
            let answer = try JSONSerialization.jsonObject(with: response.data) as? [String: Any]
            return try #require(answer?["claims"] as? [String: Any])
        }

        private static func thumbprint(_ response: ConversationResponse) throws -> String {
            try #require((try claims(response)["cnf"] as? [String: String])?["jkt"])
        }

        /// Ends the access tokens that have been used.
        private static func endAccessTokens(_ bench: OAuthBench) async throws {
            let ended = try await HttpConversationManager(transport: NIOTransport())
                .data(for: HTTPRequest(.get, bench.server.url("/control/end")))
            #expect(ended.status == .ok)
        }

        @Test(
            "The person's browser gets a reference to the pushed request", arguments: [true, false], ["plain", "bound"])
        func pushed(isPublic: Bool, name: String) async throws {
            let bench =
                isPublic
                ? try await Self.bench(name) : try await Self.bench(name, "service", Self.secret)
            _ = try Self.claims(try await bench.get())
            let push = try #require(try bench.server.received("/\(name)/par").last)
            #expect(push.carriesCredentials == !isPublic)
            #expect(push.field("Form-code_challenge_method") == "S256")
            #expect((push.field("Form-dpop_jkt") != nil) == (name == "bound"))
            let opened = try #require(try bench.server.received(below: "/\(name)/authorization").last)
            let names = URLComponents(string: opened.path)?.queryItems?.map(\.name) ?? []
            #expect(Set(names) == ["client_id", "request_uri"])
        }

        @Test("Each request proves the key, and the refreshed token has the same one")
        func bound() async throws {
            let bench = try await Self.bench("bound")
            let key = try Self.thumbprint(try await bench.get())
            let push = try #require(try bench.server.received("/bound/par").last)
            #expect(push.field("Form-dpop_jkt") == key)
            let all = try await Parallel.inParallel(20) { _ in try await bench.get().status }
            #expect(all == Array(repeating: .ok, count: 20))
            try await Self.endAccessTokens(bench)
            #expect(try Self.thumbprint(try await bench.get()) == key)
            let grants = try bench.server.received("/bound/token").suffix(2).map { $0.field("Grant-Type") }
            #expect(grants == ["authorization_code", "refresh_token"])
            #expect(try bench.server.received("/bound/token").suffix(2).allSatisfy { $0.field("DPoP") != nil })
            // No token went anywhere as a bearer.
            let requests = try bench.server.received(below: "/api/bound/").filter(\.carriesCredentials)
            #expect(requests.count >= 22)
            #expect(requests.allSatisfy { $0.field("Authorization")?.hasPrefix("DPoP ") == true })
        }

        @Test("Both servers refuse a proof for another URL, and a token as a bearer")
        func stolen() async throws {
            let bench = try await Self.bench("bound")
            let path = OAuthBench.newPath(below: "/api/bound/")
            #expect(try await bench.get(path).status == .ok)
            let request = try #require(try bench.server.received(path).last)
            let (token, proof) = (try #require(request.field("Authorization")), try #require(request.field("DPoP")))
            let refresh = try #require(try await bench.stored().refreshToken)
            let other = bench.server.url(OAuthBench.newPath(below: "/api/bound/"))
            let bearer = "Bearer" + token.dropFirst("DPoP".count)
            for fields in [["Authorization: \(token)", "DPoP: \(proof)"], ["Authorization: \(bearer)"]] {
                #expect(try await Self.curl(fields, [other]) == "401")
            }
            let form = "grant_type=refresh_token&client_id=native&refresh_token=\(refresh.value)"
            let endpoint = bench.server.url("/bound/token")
            #expect(try await Self.curl(["DPoP: \(proof)"], ["-d", form, endpoint]) == "400")
            #expect(try await bench.get().status == .ok)
        }

        /// The server knows itself by its address only, so the proof for its name is one for another URL.
        @Test("A refused proof is a typed error: no login, and no bearer")
        func refusedProof() async throws {
            let server = try await RealServers.shared.server(.grants)
            let other = "http://localhost:\(server.port())/api/bound/"
            let support = try DiscoveredOAuth2ServerSupport(
                issuer: server.url("/bound"), clientID: "native", tokenOrigins: [other], scopes: ["read"],
                grant: Self.code, usesDPoP: true)
            let bench = OAuthBench(server, support, web: Person(TestUsers.alice))
            let (path, before) = (OAuthBench.newPath(below: ""), try server.received("/bound/token").count)
            let error = await #expect(throws: ConversationError.self) {
                try await bench.manager.data(for: HTTPRequest(.get, other + path))
            }
            #expect((error?.underlyingError as? OAuth2Error)?.code == .proofRefused, "\(String(describing: error))")
            #expect(try server.received("/bound/token").count == before + 1)
            let requests = try server.received("/api/bound/" + path).compactMap { $0.field("Authorization") }
            #expect((1...2).contains(requests.count))
            #expect(requests.allSatisfy { $0.hasPrefix("DPoP ") })
        }

        /// The status of a request by curl.
        private static func curl(_ fields: [String], _ arguments: [String]) async throws -> String {
            let options = ["-s", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}"]
            return try await Program.run(
                "/usr/bin/curl", options + fields.flatMap { ["-H", $0] } + arguments
            ).text
        }

        private static func exchange(
            _ token: Redacted<String>, for audience: String = "orders", by actor: Redacted<String>? = nil
        ) async throws -> OAuthBench {
            let exchange = TokenExchangeGrant(
                subject: .init(.accessToken) { _ in token.value },
                actor: actor.map { actor in .init(.accessToken) { _ in actor.value } }, audiences: [audience],
                requestedType: .accessToken)
            return try await bench("plain", "service", secret, scopes: ["read"], grant: .tokenExchange(exchange))
        }

        @Test("A service exchanges the person's token for one of its own, again when that has ended")
        func exchanged() async throws {
            let person = try await Self.bench("plain")
            let incoming = try Self.claims(try await person.get())
            let service = try await Self.exchange(try await person.stored().accessToken)
            let own = try Self.claims(try await service.get())
            #expect(own["client_id"] as? String == "service")
            #expect(own["sub"] as? String == incoming["sub"] as? String)
            #expect(try await service.stored().scopes == ["read"])
            let subject = try await person.stored().accessToken
            try await Self.endAccessTokens(service)
            #expect(try await service.get().status == .ok)
            #expect(try await person.stored().accessToken == subject)
            let exchanges = try service.server.received("/plain/token").suffix(2)
            #expect(exchanges.allSatisfy { $0.field("Grant-Type")?.hasSuffix(":token-exchange") == true })
            #expect(exchanges.allSatisfy { $0.field("Form-subject_token") == subject.value })
        }

        @Test("A wrong secret gets neither a pushed request nor a token", arguments: [true, false])
        func wrongSecret(exchanges: Bool) async throws {
            let grant = TokenExchangeGrant(subject: .init(.accessToken) { _ in "token" })
            let bench = try await Self.bench(
                "plain", "service", .basic(secret: "wrong"), grant: exchanges ? .tokenExchange(grant) : Self.code)
            let failure = try #require(try await bench.failure())
            #expect(failure.serverError == "invalid_client")
            #expect(failure.status == 401)
        }

        @Test(
            "A refused exchange is a typed error without the token",
            arguments: [("elsewhere", false, "invalid_target"), ("orders", true, "invalid_request")])
        func refusedExchange(audience: String, hasActor: Bool, error: String) async throws {
            let person = try await Self.bench("plain")
            _ = try await person.get()
            let token = try await person.stored().accessToken
            // idpyoidc takes no actor tokens.
            let service = try await Self.exchange(token, for: audience, by: hasActor ? token : nil)
            let before = try service.server.received("/plain/token").count
            let failure = try #require(try await service.failure())
            #expect(failure.serverError == error)
            #expect(!"\(failure)".contains(token.value))
            #expect(try service.server.received("/plain/token").count == before + 1)
        }

        /// A new key in PEM. Authlib trusts assertions of `issuer` that are signed by it.
        private static func trustedKey(_ kind: String, _ options: [String], issuer: String) async throws -> Data {
            let made = try await Program.run("/usr/bin/openssl", ["genpkey"] + options)
            let known = try await Program.run("/usr/bin/openssl", ["pkey", "-pubout"], input: made.output)
            try #require(made.status == 0 && known.status == 0, "\(made.errors)\(known.errors)")
            let server = try await RealServers.shared.server(.grants)
            let trusted = try await HttpConversationManager(transport: NIOTransport()).data(
                for: HTTPRequest(.post, server.url("/control/trust?issuer=\(issuer)&kind=\(kind)")),
                body: .text(known.text))
            #expect(trusted.status == .ok, "\(trusted.text)")
            return made.output
        }

        private static let curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]

        private static func authlib(_ source: OAuth2AssertionSource) async throws -> OAuthBench {
            try await bench("authlib", "signer", scopes: ["read"], grant: .jwtBearer(source))
        }

        @Test(
            "A signed assertion gets a person's token, a new one when that has ended",
            arguments: [
                ("EC", curve), ("RSA", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]),
            ])
        func assertion(kind: String, options: [String]) async throws {
            let pem = try await Self.trustedKey(kind, options, issuer: "signer")
            let key = try OAuth2ClientKey(.pem(Array(pem)))
            let bench = try await Self.authlib(.signed(by: key, subject: "żółw"))
            #expect(try Self.claims(try await bench.get())["sub"] as? String == "żółw")
            try await Self.endAccessTokens(bench)
            #expect(try await bench.get().status == .ok)
            let requests = try bench.server.received("/authlib/token").suffix(2)
            #expect(requests.allSatisfy { $0.field("Grant-Type")?.hasSuffix(":jwt-bearer") == true })
            #expect(Set(requests.compactMap { $0.field("Form-assertion") }).count == 2)
        }

        @Test("Authlib refuses the key, the audience and the time of an assertion: one request, a typed error")
        func refusedAssertion() async throws {
            let key = try OAuth2ClientKey(.pem(Array(try await Self.trustedKey("EC", Self.curve, issuer: "signer"))))
            let stranger = try OAuth2ClientKey(
                .pem(Array(try await Self.trustedKey("EC", Self.curve, issuer: "stranger"))))
            let others: [OAuth2AssertionSource] = [
                .signed(by: key, subject: "bob"), .signed(by: stranger, subject: "alice"),
                .signed(by: key, subject: "alice", audience: "https://other.example/"),
                OAuth2AssertionSource { request in try await Self.late(for: request.audience) },
            ]
            for source in others {
                let bench = try await Self.authlib(source)
                let before = try bench.server.received("/authlib/token").count
                let failure = try #require(try await bench.failure())
                #expect(failure.code == .invalidGrant, "\(failure)")
                #expect(try bench.server.received("/authlib/token").count == before + 1)
            }
        }

        /// An assertion by Authlib itself that expired two seconds ago: too short a time for this client to refuse it.
        private static func late(for audience: String) async throws -> String {
            let pem = String(decoding: try await trustedKey("EC", curve, issuer: "late"), as: UTF8.self)
            let program = """
                import sys, time
                from authlib.oauth2.rfc7523 import JWTBearerGrant
                from joserfc import jwk
                now = int(time.time())
                print(JWTBearerGrant.sign(jwk.import_key(sys.argv[1], "EC"), "late", sys.argv[2], "alice", now - 60, now - 2,
                                          header={"alg": "ES256"}))
                """
            let made = try await Program.run(ServerKind.grants.executable, ["-c", program, pem, audience])
            try #require(made.status == 0, "\(made.errors)")
            return made.text
        }
    }
}
