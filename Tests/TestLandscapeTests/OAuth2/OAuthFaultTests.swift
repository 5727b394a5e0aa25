import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct OAuthFaultTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    /// Whether the answer of the token endpoint shows a fault.
    private static func shows(_ fault: OAuthTokenFault, _ answer: OAuthAnswer) -> Bool {
        let json = answer.json
        let isGood = answer.status == 200 && answer.text("access_token")?.count == 43
        return switch fault {
        case .tooManyRequests: answer.status == 429 && answer["retry-after"] == "2"
        case .unavailable: answer.status == 503 && answer.body.isEmpty
        case .htmlError: answer.status == 500 && answer["content-type"]?.hasPrefix("text/html") == true
        case .captivePortal: answer.status == 200 && answer.body.hasPrefix("<!DOCTYPE html>")
        case .errorInOK: answer.status == 200 && answer.error == "server_error"
        case .invalidGrantInOK: answer.status == 200 && answer.error == "invalid_grant"
        case .invalidGrant: answer.status == 400 && answer.error == "invalid_grant"
        case .lostAnswer: answer.status == -1
        case .malformedJSON: answer.status == 200 && json.isEmpty && answer.body.hasPrefix("{\"access_token\":")
        case .notAnObject: answer.status == 200 && answer.body.hasPrefix("[{")
        case .missingAccessToken: json["access_token"] == nil && json["token_type"] != nil
        case .numericAccessToken: json["access_token"] as? Int == 12_345
        case .missingExpiresIn: isGood && json["expires_in"] == nil
        case .textExpiresIn: isGood && answer.text("expires_in") == "soon"
        case .quotedExpiresIn: isGood && answer.text("expires_in") == "60"
        case .negativeExpiresIn: isGood && answer.body.contains("\"expires_in\":-1,")
        case .hugeExpiresIn: isGood && (json["expires_in"] as? Double ?? 0) == 1e20
        case .missingTokenType: isGood && json["token_type"] == nil
        case .bearerTokenType: isGood && answer.text("token_type") == "bearer"
        case .unknownTokenType: isGood && answer.text("token_type") == "mac"
        case .missingRefreshToken: isGood && json["refresh_token"] == nil
        case .missingIDToken: isGood && json["id_token"] == nil
        // The content of ID tokens has tests of its own.
        case .algNone, .badSignature, .wrongIssuer, .wrongAudience, .unknownKey, .expiredIDToken, .wrongNonce:
            isGood && json["id_token"] != nil
        }
    }

    @Test(arguments: OAuthTokenFault.allCases) func faultHappensOnce(fault: OAuthTokenFault) async throws {
        let person = try OAuthPerson(landscape)
        landscape.failTokenRequests(fault)
        let answer = try await person.password(["scope": "openid read"])
        #expect(Self.shows(fault, answer), "\(answer)")
        let good = try await person.password(["scope": "openid read"])
        for other in OAuthTokenFault.allCases where !other.isAboutIDTokens {
            #expect(!Self.shows(other, good), "\(other)")
        }
        #expect(good.text("refresh_token") != nil && good.text("id_token") != nil)
        #expect(landscape.oauthCounters.injectedFaults == 1)
        #expect(landscape.oauthCounters.tokenRequests == 2)
    }

    @Test(arguments: [OAuthTokenFault.tooManyRequests, .unavailable, .htmlError, .captivePortal, .invalidGrant])
    func aRefreshThatMeetsAFaultLeavesTheTokenAlone(fault: OAuthTokenFault) async throws {
        let person = try OAuthPerson(landscape)
        let token = landscape.issueTokens(client: "native")?.refreshToken
        landscape.failTokenRequests(fault, times: 2, grant: .refreshToken)
        #expect(try await person.password().status == 200)
        #expect(Self.shows(fault, try await person.refresh(token)))
        #expect(Self.shows(fault, try await person.refresh(token)))
        #expect(try await person.refresh(token).status == 200)
    }

    @Test func aLostAnswerHasRotated() async throws {
        let person = try OAuthPerson(landscape)
        let token = landscape.issueTokens(client: "native")?.refreshToken
        landscape.failTokenRequests(.lostAnswer)
        #expect(try await person.refresh(token).status == -1)
        #expect(try await person.refresh(token).error == "invalid_grant")
        #expect(landscape.oauthCounters.reuseDetected == 1)
    }

    @Test func aRefreshWithoutANewTokenKeepsTheOld() async throws {
        let person = try OAuthPerson(landscape)
        let token = landscape.issueTokens(client: "native")?.refreshToken
        landscape.failTokenRequests(.missingRefreshToken)
        #expect(try await person.refresh(token).text("refresh_token") == nil)
        #expect(try await person.refresh(token).text("refresh_token") != nil)
    }

    @Test func holdsTheTokenEndpointAndItsAlias() async throws {
        let person = try OAuthPerson(landscape)
        let gate = landscape.holdTokenRequests()
        let form = ["grant_type": "client_credentials"]
        let client = ["-u", "machine:machine-secret"]
        async let first = person.post(form, client)
        async let second = person.post(form, to: "/oauth2/api/v1/token", client)
        try await gate.waitForWaiters(2)
        #expect(landscape.oauthCounters.tokenRequestsInFlight == 2)
        gate.release()
        #expect(try await [first.status, second.status] == [200, 200])
        #expect(landscape.oauthCounters.grants["client_credentials"] == 2)
        #expect(landscape.oauthCounters.peakTokenRequests == 2)
    }

    @Test func delaysTheTokenEndpoint() async throws {
        landscape.tokenRequestDelay = .milliseconds(300)
        let start = ContinuousClock.now
        #expect(try await OAuthPerson(landscape).password().status == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        landscape.clearOAuthFaults()
        #expect(landscape.tokenRequestDelay == nil)
    }

    @Test func theAdminAPICanDoTheSame() async throws {
        let person = try OAuthPerson(landscape)
        func admin(_ command: String, _ arguments: [String] = ["-d", ""]) async throws -> OAuthAnswer {
            try await person.curl(
                ["-H", "X-Landscape-Token: \(landscape.adminToken)"] + arguments, "/admin/oauth/\(command)")
        }
        let client = #"{"id":"own","grants":["password"],"secret":"s"}"#
        #expect(try await admin("clients", ["-d", client]).status == 200)
        #expect(try await person.password(["client_id": "own", "client_secret": "s"]).status == 200)
        #expect(try await admin("clients", ["-d", "{}"]).status == 400)
        #expect(try await admin("token-faults?kind=unavailable&grant=password").status == 200)
        #expect(try await person.password().status == 503)
        #expect(try await admin("token-faults?kind=nonsense").status == 400)
        #expect(try await admin("authorization-faults?kind=server-error").status == 200)
        #expect(try await person.authorize(["prompt": "none"]).parameter("error") == "server_error")
        #expect(try await admin("rule?access=7").status == 200)
        let tokens = try await person.password()
        #expect(tokens.json["expires_in"] as? Int == 7)
        #expect(try await admin("access-tokens/expire").status == 200)
        #expect(try await person.status(tokens.text("access_token")) == 401)
        #expect(try await admin("revoke?user=alice").json["revoked"] as? Int == 2)
        #expect(try await admin("delay?ms=5").status == 200)
        #expect(landscape.tokenRequestDelay == .milliseconds(5))
        let codes = try await person.post(["client_id": "tv"], to: "/oauth2/device_authorization")
        #expect(try await admin("devices/approve?user_code=\(codes.text("user_code") ?? "")").status == 200)
        #expect(try await admin("devices/deny?user_code=\(codes.text("user_code") ?? "")").status == 400)
        #expect(try await admin("counters", []).json["injectedFaults"] as? Int == 2)
        #expect(try await person.curl(["-d", ""], "/admin/oauth/access-tokens/expire").status == 403)
    }
}

extension OAuthTokenFault {
    /// Whether the fault only changes the ID token.
    fileprivate var isAboutIDTokens: Bool {
        [.algNone, .badSignature, .wrongIssuer, .wrongAudience, .unknownKey, .expiredIDToken, .wrongNonce]
            .contains(self)
    }
}
