import Foundation
import HttpC
import Testing

extension RealServerTests {
    /// The grants without a browser of the client, at django-oauth-toolkit.
    @Suite(.serialized) struct OAuth2Grants {
        private static let machineSecret = "machine secret: 100%"

        @Test("A client acts for itself, its secret in the header or in the form", arguments: [true, false])
        func clientCredentials(_ byHeader: Bool) async throws {
            let secret = Self.machineSecret
            let bench = try await OAuthBench(
                "machine", byHeader ? .basic(secret: secret) : .post(secret: secret), grant: .clientCredentials)
            let response = try await bench.get()
            #expect(response.status == .ok)
            #expect(response.owner == "")
            let request = try #require(try bench.tokenRequests().last)
            #expect(request.field("Grant-Type") == "client_credentials")
            #expect(request.carriesCredentials == byHeader)
        }

        @Test("A wrong client secret gives a clear error, once", arguments: [true, false])
        func wrongSecret(_ byHeader: Bool) async throws {
            let bench = try await OAuthBench(
                "machine", byHeader ? .basic(secret: "not-the-one") : .post(secret: "not-the-one"),
                grant: .clientCredentials)
            let before = try bench.tokenRequests().count
            let failure = try #require(try await bench.failure())
            #expect(failure.code == .refused)
            #expect(failure.serverError == "invalid_client")
            #expect(failure.status == 401)
            #expect(failure.description.contains(bench.server.url("/o/token/")))
            #expect(!failure.description.contains("not-the-one"))
            #expect(try bench.tokenRequests().count == before + 1)
        }

        @Test("A password gets tokens", arguments: [TestUsers.alice, TestUsers.zolw])
        func password(_ user: TestUsers.User) async throws {
            let bench = try await OAuthBench(
                "legacy", grant: .password(UsernamePassword(username: user.name, password: user.password)))
            #expect(try await bench.get().owner == user.name)
        }

        @Test("A wrong password is not tried twice")
        func wrongPassword() async throws {
            let bench = try await OAuthBench(
                "legacy", grant: .password(UsernamePassword(username: "alice", password: "wrong")))
            let before = try bench.tokenRequests().count
            #expect(try await bench.failure()?.code == .invalidGrant)
            #expect(try bench.tokenRequests().count == before + 1)
        }

        @Test("A device's code is typed elsewhere")
        func device() async throws {
            let bench = try await Self.device(Person(TestUsers.alice))
            #expect(try await bench.get().owner == "alice")
        }

        @Test("A device that somebody says no to")
        func deviceDenied() async throws {
            let bench = try await Self.device(Person(TestUsers.alice, consents: false))
            #expect(try await bench.failure()?.code == .accessDenied)
        }

        /// This server's metadata does not name its device authorization endpoint.
        private static func device(_ person: Person) async throws -> OAuthBench {
            let server = try await RealServers.shared.server(.oauth)
            let configuration = try OAuth2Configuration(
                clientID: "tv", tokenEndpoint: server.url("/o/token/"), scopes: ["read"],
                grant: .deviceAuthorization(
                    DeviceAuthorizationGrant(endpoint: server.url("/o/device-authorization/"), presenter: person)))
            return OAuthBench(
                server,
                try ConfiguredOAuth2ServerSupport(
                    name: "tv", tokenOrigins: OAuthBench.origins(server), configuration: configuration))
        }

        @Test("If the token lacks a scope, the caller gets the server's answer, and no login starts")
        func insufficientScope() async throws {
            let bench = try await OAuthBench(
                "machine", .basic(secret: Self.machineSecret), grant: .clientCredentials)
            _ = try await bench.get()
            let before = try bench.tokenRequests().count
            let response = try await bench.get("/api/write")
            #expect(response.status == .forbidden)
            #expect(response.headerFields[.wwwAuthenticate]?.contains("insufficient_scope") == true)
            #expect(try bench.tokenRequests().count == before)
        }

        @Test("A body goes whole through the challenge")
        func body() async throws {
            let bench = try await OAuthBench(
                "machine", .basic(secret: Self.machineSecret), scopes: ["read", "write"], grant: .clientCredentials)
            let request = try HTTPRequest(.post, bench.server.url("/api/write"))
            let body = String(repeating: "0123456789", count: 5000)
            let response = try await bench.manager.data(for: request, body: .text(body))
            #expect(response.text.contains("\"50000\""))
        }
    }
}
