import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct OAuthTokenTests {
    private let landscape: Landscape
    private let person: OAuthPerson

    init() throws {
        landscape = try .current
        person = try OAuthPerson(landscape)
    }

    @Test(
        arguments: [
            (["-u", "machine:machine-secret"], [:], 200, nil),
            ([], ["client_id": "machine", "client_secret": "machine-secret"], 200, nil),
            (["-u", "machine:machine-secret"], ["client_id": "machine"], 200, nil),
            (["-u", "machine:wrong"], [:], 401, "invalid_client"),
            (["-u", "nobody:wrong"], [:], 401, "invalid_client"),
            ([], ["client_id": "machine"], 401, "invalid_client"), ([], [:], 401, "invalid_client"),
            ([], ["client_id": "machine", "client_secret": "machine-secre"], 401, "invalid_client"),
            (["-H", "Authorization: Basic %%%"], [:], 401, "invalid_client"),
            (["-u", "machine:machine-secret"], ["client_secret": "machine-secret"], 400, "invalid_request"),
            (["-u", "machine:machine-secret"], ["client_id": "web"], 400, "invalid_request"),
            ([], ["client_id": "native"], 400, "unauthorized_client"),
            (["-u", "native:x"], [:], 401, "invalid_client"), (["-u", "native:"], [:], 401, "invalid_client"),
            (["-u", "machine:machine-secret"], ["scope": "admin"], 400, "invalid_scope"),
            (["-u", "machine:machine-secret"], ["grant_type": "implicit"], 400, "unsupported_grant_type"),
            (["-u", "machine:machine-secret"], ["grant_type": ""], 400, "invalid_request"),
            (["-u", "machine:machine-secret", "-d", "scope=read", "-d", "scope=write"], [:], 400, "invalid_request"),
            (["-u", "machine:machine-secret", "-b", "session=1"], [:], 400, "invalid_request"),
            (["-u", "machine:machine-secret", "-H", "Content-Type: text/plain"], [:], 400, "invalid_request"),
            (["-u", "machine:machine-secret", "-X", "PUT"], [:], 405, "invalid_request"),
        ] as [([String], [String: String], Int, String?)])
    func authenticatesClients(
        arguments: [String], form: [String: String], status: Int, error: String?
    ) async throws {
        let parameters = ["grant_type": "client_credentials"].merging(form) { $1 }
        let answer = try await person.post(parameters, arguments)
        #expect(answer.status == status)
        #expect(answer.error == error)
        #expect((answer["www-authenticate"] == #"Basic realm="oauth2""#) == (status == 401))
        #expect((answer["allow"] == "POST") == (status == 405))
        #expect(answer.text("refresh_token") == nil)
        #expect(landscape.oauthCounters.invalidClients == (status == 401 ? 1 : 0))
        guard status == 200 else { return }
        #expect(try await person.status(answer.text("access_token")) == 200)
    }

    @Test func cookiesMayBeAllowed() async throws {
        landscape.oauthRule.refusesCookies = false
        let form = ["grant_type": "client_credentials"]
        #expect(try await person.post(form, ["-u", "machine:machine-secret", "-b", "session=1"]).status == 200)
    }

    @Test func decodesBasicCredentials() async throws {
        let form = ["grant_type": "password", "username": "alice", "password": "wonderland"]
        let encoded = "web:web-secret%3A+100%25+%2B+more"
        #expect(try await person.post(form, ["-u", encoded]).status == 200)
        #expect(try await person.post(form, ["-u", "web:web-secret: 100% + more"]).status == 401)
    }

    @Test func rotatesAndNoticesReuse() async throws {
        let first = try await person.password(["scope": "read write"])
        let second = try await person.refresh(first.text("refresh_token"))
        #expect(second.status == 200)
        #expect(second.text("refresh_token") != first.text("refresh_token"))
        #expect(try await person.status(first.text("access_token")) == 200)
        #expect(try await person.status(second.text("access_token")) == 200)
        #expect(try await person.refresh(first.text("refresh_token")).error == "invalid_grant")
        #expect(try await person.refresh(second.text("refresh_token")).error == "invalid_grant")
        #expect(try await person.status(second.text("access_token")) == 401)
        let counters = landscape.oauthCounters
        #expect(counters.reuseDetected == 1 && counters.refreshes == 1 && counters.invalidGrants == 2)
        #expect(counters.grants == ["password": 1, "refresh_token": 1])
    }

    @Test func keepsTheRefreshTokenOfAClientWithoutRotation() async throws {
        let secret = ["client_id": "web", "client_secret": "web-secret: 100% + more"]
        let first = try await person.password(secret)
        let refresh = secret.merging(
            ["grant_type": "refresh_token", "refresh_token": first.text("refresh_token") ?? ""]
        ) { $1 }
        for _ in 0..<2 {
            let answer = try await person.post(refresh)
            #expect(answer.status == 200)
            #expect(answer.text("refresh_token") == nil)
        }
        #expect(landscape.oauthCounters.refreshes == 2)
    }

    @Test func narrowsScopesButNeverWidensThem() async throws {
        let tokens = try #require(landscape.issueTokens(client: "native", scopes: ["read", "write"]))
        let form = [
            "grant_type": "refresh_token", "refresh_token": tokens.refreshToken ?? "", "client_id": "native",
        ]
        #expect(try await person.post(form.merging(["scope": "admin"]) { $1 }).error == "invalid_scope")
        let narrow = try await person.post(form.merging(["scope": "read"]) { $1 })
        #expect(narrow.text("scope") == "read")
        #expect(try await person.refresh(narrow.text("refresh_token")).text("scope") == "read write")
    }

    @Test func refreshTokensBelongToClientAndIssuerAndExpire() async throws {
        let token = landscape.issueTokens(client: "native")?.refreshToken
        #expect(try await person.refresh(token, client: "tv").error == "invalid_grant")
        #expect(try await OAuthPerson(landscape, .other).refresh(token).error == "invalid_grant")
        #expect(try await person.refresh("unknown").error == "invalid_grant")
        landscape.clock.advance(by: .seconds(86_401))
        #expect(try await person.refresh(token).error == "invalid_grant")
        let fresh = landscape.issueTokens(client: "native")?.refreshToken
        #expect(try await person.refresh(fresh).status == 200)
        #expect(landscape.issueTokens(client: "nobody") == nil)
    }

    @Test func refusesAWrongPassword() async throws {
        #expect(try await person.password(["password": "wrong"]).error == "invalid_grant")
        #expect(try await person.password(["username": "nobody"]).error == "invalid_grant")
        #expect(try await person.password(["password": ""]).error == "invalid_request")
        #expect(landscape.oauthCounters.failedLogins == 2)
    }

    @Test func revokes() async throws {
        let tokens = try #require(landscape.issueTokens(client: "native"))
        let refresh = try #require(tokens.refreshToken)
        func revoke(_ token: String, client: String = "native") async throws -> OAuthAnswer {
            try await person.post(["token": token, "client_id": client], to: "/oauth2/revoke")
        }
        #expect(try await revoke(tokens.accessToken, client: "tv").error == "unauthorized_client")
        let answer = try await revoke(tokens.accessToken)
        #expect(answer.status == 200 && answer.body.isEmpty)
        #expect(try await person.status(tokens.accessToken) == 401)
        let second = try await person.refresh(refresh)
        #expect(second.status == 200)
        #expect(try await revoke(second.text("refresh_token") ?? "").status == 200)
        #expect(try await person.status(second.text("access_token")) == 401)
        #expect(try await person.refresh(second.text("refresh_token")).error == "invalid_grant")
        #expect(try await revoke("unknown").status == 200)
        #expect(try await person.post(["client_id": "native"], to: "/oauth2/revoke").error == "invalid_request")
        #expect(landscape.oauthCounters.revocations == 2)
    }

    @Test func introspects() async throws {
        let tokens = try #require(
            landscape.issueTokens(client: "native", user: "jürgen", scopes: ["read", "write"]))
        func inspect(_ token: String?, _ client: String = "machine:machine-secret") async throws -> OAuthAnswer {
            try await person.post(["token": token ?? ""], to: "/oauth2/introspect", ["-u", client])
        }
        let access = try await inspect(tokens.accessToken)
        #expect(access.json["active"] as? Bool == true)
        #expect(access.text("username") == "jürgen" && access.text("client_id") == "native")
        #expect(access.text("scope") == "read write" && access.text("iss") == landscape.issuer())
        let (issued, expires) = (access.json["iat"] as? Int ?? 0, access.json["exp"] as? Int ?? 0)
        #expect(abs(expires - issued - 60) <= 1 && abs(issued - Int(Date().timeIntervalSince1970)) < 30)
        #expect(try await inspect(tokens.refreshToken).json["active"] as? Bool == true)
        landscape.clock.advance(by: .seconds(61))
        #expect(try await inspect(tokens.accessToken).json.count == 1)
        #expect(try await inspect("unknown").json["active"] as? Bool == false)
        #expect(try await inspect(tokens.accessToken, "machine:wrong").status == 401)
        let form = ["token": tokens.accessToken, "client_id": "native"]
        #expect(try await person.post(form, to: "/oauth2/introspect").status == 401)
    }

    @Test func controlsEndTokens() async throws {
        let (alice, machine) = (
            try #require(landscape.issueTokens(client: "native")),
            try #require(landscape.issueTokens(client: "machine", user: nil))
        )
        landscape.expireAccessTokens()
        #expect(try await person.status(alice.accessToken) == 401)
        #expect(try await person.status(machine.accessToken) == 401)
        let fresh = try await person.refresh(alice.refreshToken)
        #expect(try await person.status(fresh.text("access_token")) == 200)
        #expect(landscape.revokeTokens(ofUser: "alice") == 1)
        #expect(try await person.status(fresh.text("access_token")) == 401)
        #expect(try await person.refresh(fresh.text("refresh_token")).error == "invalid_grant")
        landscape.oauthRule.accessTokenLifetime = .seconds(5)
        #expect(try await person.password().json["expires_in"] as? Int == 5)
        landscape.removeOAuthClient("native")
        #expect(try await person.password().error == "invalid_client")
        landscape.reset()
        #expect(landscape.oauthCounters == OAuthCounters())
    }
}
