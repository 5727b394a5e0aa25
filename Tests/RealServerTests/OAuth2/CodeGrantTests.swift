import Foundation
import HttpC
import Testing

extension RealServerTests {
    /// The authorization code grant at django-oauth-toolkit, which requires PKCE and sends its issuer in its answers.
    @Suite(.serialized) struct OAuth2Code {
        private static let redirectURI = "com.example.app:/callback"

        private static func bench(
            _ person: Person, _ client: String = "native", _ authentication: OAuth2ClientAuthentication = .none,
            scopes: [String] = ["openid", "read"]
        ) async throws -> OAuthBench {
            try await OAuthBench(
                client, authentication, scopes: scopes, grant: .authorizationCode(redirectURI: redirectURI),
                web: person)
        }

        @Test("An issuer and a client id are enough", arguments: [TestUsers.alice, TestUsers.zolw])
        func issuerAndClientID(_ user: TestUsers.User) async throws {
            let bench = try await Self.bench(Person(user))
            let path = OAuthBench.newPath()
            let response = try await bench.get(path)
            #expect(response.status == .ok)
            #expect(response.owner == user.name)
            let requests = try bench.server.received(path)
            #expect(requests.map(\.carriesCredentials) == [false, true])
            // The challenge named a document (RFC 9728), which confirmed the issuer.
            #expect(try !bench.server.received("/o/.well-known/oauth-protected-resource").isEmpty)
            // The second request sends the token at once.
            let second = OAuthBench.newPath()
            #expect(try await bench.get(second).status == .ok)
            #expect(try bench.server.received(second).count == 1)
        }

        @Test("The ID token is for this client and this login")
        func idToken() async throws {
            let bench = try await Self.bench(Person(TestUsers.alice))
            _ = try await bench.get()
            let token = try #require(try await bench.stored().idToken?.value)
            let claims = try Self.claims(token)
            #expect(claims["iss"] as? String == OAuthBench.issuer(bench.server))
            #expect(claims["aud"] as? String == "native")
            let opened = try #require(try bench.server.received(below: "/o/authorize/?").last)
            #expect(claims["nonce"] as? String == Self.parameter("nonce", of: opened.path))
            #expect(Self.parameter("code_challenge_method", of: opened.path) == "S256")
            // The client fetched the published key to check the signature.
            #expect(try !bench.server.received("/o/.well-known/jwks.json").isEmpty)
        }

        @Test("Without openid no ID token is asked for")
        func withoutOpenID() async throws {
            let bench = try await Self.bench(Person(TestUsers.alice), scopes: ["read"])
            #expect(try await bench.get().owner == "alice")
            #expect(try await bench.stored().idToken == nil)
        }

        @Test("A confidential client logs in with PKCE and its secret", arguments: [true, false])
        func confidential(_ byHeader: Bool) async throws {
            let secret = "web secret: 100%"
            let bench = try await Self.bench(
                Person(TestUsers.alice), "web", byHeader ? .basic(secret: secret) : .post(secret: secret))
            #expect(try await bench.get().owner == "alice")
            #expect(try bench.tokenRequests().last?.carriesCredentials == byHeader)
        }

        @Test("The redirect comes to the loopback listener on a port of its choice")
        func loopback() async throws {
            let bench = try await OAuthBench(
                "native", scopes: ["openid", "read"], grant: .authorizationCode(),
                web: LoopbackOAuth2Strategy(opener: Person(TestUsers.alice)))
            #expect(try await bench.get().owner == "alice")
        }

        @Test("Without consent there is no token")
        func denied() async throws {
            let bench = try await Self.bench(Person(TestUsers.alice, consents: false))
            let before = try bench.tokenRequests().count
            let failure = try await bench.failure()
            #expect(failure?.code == .accessDenied)
            #expect(failure?.serverError == "access_denied")
            #expect(try bench.tokenRequests().count == before)
        }

        @Test("A wrong password ends where the person ends")
        func wrongPassword() async throws {
            let bench = try await Self.bench(Person(TestUsers.User(name: "alice", password: "wrong")))
            let failure = try await bench.failure()
            #expect(failure?.code == .loginFailed)
            #expect(failure?.underlyingError is Person.Stuck)
        }

        @Test("A wrong client secret is named as the reason")
        func wrongSecret() async throws {
            let bench = try await Self.bench(Person(TestUsers.alice), "web", .basic(secret: "wrong"))
            let failure = try await bench.failure()
            #expect(failure?.serverError == "invalid_client")
            #expect(failure?.status == 401)
        }

        @Test("Fifty conversations, one login")
        func oneLogin() async throws {
            let bench = try await Self.bench(Person(TestUsers.alice))
            let before = try bench.tokenRequests().count
            let owners = try await Parallel.inParallel(50) { _ in try await bench.get().owner }
            #expect(owners == Array(repeating: "alice", count: 50))
            #expect(try bench.tokenRequests().count == before + 1)
        }

        @Test("The server's session cookie and ours never go to the token endpoint")
        func noCookies() async throws {
            let bench = try await Self.bench(Person(TestUsers.alice))
            bench.manager.configuration.session.cookies.store(
                setCookie: ["ours=1; Path=/"], from: try TargetURL(bench.server.url("/")))
            let path = OAuthBench.newPath()
            _ = try await bench.get(path)
            let requests = try bench.server.received(path)
            #expect(!requests.isEmpty && requests.allSatisfy { $0.field("Cookie") == "ours=1" })
            let last = try #require(try bench.tokenRequests().last)
            #expect(last.field("Cookie") == nil)
        }

        private static func claims(_ token: String) throws -> [String: Any] {
            let part = try #require(token.split(separator: ".").dropFirst().first)
            var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            let data = try #require(Data(base64Encoded: text))
            return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        }

        private static func parameter(_ name: String, of path: String) -> String? {
            URLComponents(string: path)?.queryItems?.first { $0.name == name }?.value
        }
    }
}
